#include "jobs/phase/symmetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "projfgd/measures/image.hpp"
#include "projfgd/operators/fourier.hpp"

namespace projfgd {
namespace {

constexpr double same_image = 0.05;  // a relative error that is none

/// Whether an image with the error `left` is the truth, all but, where the one with `error` is not.
bool explains_error(double left, double error) {
  constexpr double mostly_explained = 0.5;
  return error > same_image && left < mostly_explained * std::min(error, 1.0);
}

/// Where the overlap |<T_s x, z>| is largest over all shifts s of an image x, or of its twin.
template <class S>
struct Overlaps {
  Overlaps(const Matrix<S>& z, const Matrix<S>& x, Index height, Index width)
      : transform(height, width), found(spectrum(z)), known(spectrum(x)) {}

  struct Largest {
    Index at = 0;
    double value = 0;
  };

  Largest largest(bool twin) const {
    std::vector<S> product(found), overlap(found.size());
    for (std::size_t k = 0; k < product.size(); ++k) {
      product[k] *= twin ? known[k] : std::conj(known[k]);
    }
    const Index width = transform.width();
    transform.backward(product.data(), [&](Index i, const S* row) {
      std::copy_n(row, width, overlap.begin() + i * width);
    });
    const auto nearest = std::ranges::max_element(overlap, {}, [](S x) { return std::norm(x); });
    return {nearest - overlap.begin(),
            static_cast<double>(std::abs(*nearest)) / static_cast<double>(overlap.size())};
  }

  std::vector<S> spectrum(const Matrix<S>& image) const {
    const Index width = transform.width();
    std::vector<S> v(static_cast<std::size_t>(image.size()));
    transform.forward([&](Index i, S* row) { std::copy_n(image.data() + i * width, width, row); },
                      v.data());
    return v;
  }

  FourierTransform<RealOf<S>> transform;
  std::vector<S> found, known;
};

/// What the answer is to be multiplied by to have the size of the truth; 1 where that is near.
template <class S>
double unit_factor(const Matrix<S>& z, const Matrix<S>& truth) {
  constexpr double nearly_one = 0.05;
  const double factor = wide(truth).norm() / wide(z).norm();
  return std::isfinite(factor) && std::abs(factor - 1) >= nearly_one ? factor : 1;
}

template <class S>
Symmetry symmetry_of_size(const Matrix<S>& z, const Matrix<S>& truth, Index height, Index width) {
  const Overlaps<S> overlaps(z, truth, height, width);
  const double size = static_cast<double>(truth.norm());
  const double sum = static_cast<double>(z.squaredNorm()) + size * size;
  Symmetry best;
  double most = -1;
  for (const bool twin : {false, true}) {
    const auto [at, here] = overlaps.largest(twin);
    if (here <= most) continue;
    most = here;
    best = {twin, at / width, at % width, std::sqrt(std::max(sum - 2 * here, 0.0)) / size};
  }
  return best;
}

}  // namespace

template <class S>
Symmetry nearest_symmetry(const Matrix<S>& z, const Matrix<S>& truth, Index height, Index width) {
  Symmetry plain = symmetry_of_size(z, truth, height, width);
  const double unit = unit_factor(z, truth);
  if (unit == 1) return plain;
  Symmetry scaled =
      symmetry_of_size(Matrix<S>(z * static_cast<RealOf<S>>(unit)), truth, height, width);
  scaled.unit = unit;
  return explains_error(scaled.error, plain.error) ? scaled : plain;
}

std::optional<std::string> symmetry_line(const Symmetry& symmetry, double error, Index height,
                                         Index width) {
  if (!explains_error(symmetry.error, error)) return std::nullopt;
  const auto nearest = [](Index shift, Index size) {
    return 2 * shift > size ? shift - size : shift;
  };
  const std::string what =
      symmetry.twin ? "twin of the truth (rotated by 180 degrees and conjugated)"
                    : fmt::format("truth shifted by {} rows and {} columns",
                                  nearest(symmetry.down, height), nearest(symmetry.right, width));
  constexpr auto line =
      "{}the image is {}the {}, which gives the same pattern; compared with that, its relative "
      "error is {:.2g}";
  const std::string unit =
      symmetry.unit == 1
          ? ""
          : fmt::format("the truth and the data have different units: multiplied by {:.4g}, ",
                        symmetry.unit);
  return fmt::format(line, unit, symmetry.error <= same_image ? "" : "closest to ", what,
                     symmetry.error);
}

template <class S>
bool is_own_twin(const Matrix<S>& support, Index height, Index width) {
  const double size = wide(support).squaredNorm();
  return Overlaps<S>(support, support, height, width).largest(true).value > size - 0.5;
}

template <class S>
bool alternates(const Matrix<S>& z, Index height, Index width) {
  constexpr Index fewest = 8;  // of fewer it may be chance
  constexpr double opposite = -0.3;
  if (height < fewest || width < fewest) return false;
  for (Index c = 0; c < z.cols(); ++c) {
    const auto likeness = [&](Index rows, Index columns) {
      double sum = 0, size = 0;
      for (Index i = 0; i + rows < height; ++i) {
        for (Index j = 0; j + columns < width; ++j) {
          const std::complex<double> here = z(i * width + j, c);
          const std::complex<double> next = z((i + rows) * width + j + columns, c);
          sum += std::real(std::conj(here) * next);
          size += (std::norm(here) + std::norm(next)) / 2;
        }
      }
      return sum / size;
    };
    if (likeness(1, 0) < opposite && likeness(0, 1) < opposite) return true;
  }
  return false;
}

std::string alternation_line(const char* of_what, const char* cause) {
  return fmt::format(
      "neighbouring pixels of the {} have opposite signs: {}; if so, the moduli are right but the "
      "phases are wrong",
      of_what, cause);
}

template <class S>
std::optional<std::string> unit_line(const Matrix<S>& z, const Matrix<S>& truth, double error) {
  const double factor = unit_factor(z, truth);
  const double left = aligned_error(Matrix<S>(z * static_cast<RealOf<S>>(factor)), truth);
  if (!explains_error(left, error)) return std::nullopt;
  return fmt::format(
      "the truth and the data have different units: multiplied by {:.4g}, the image has a relative "
      "error of {:.2g}",
      factor, left);
}

template <class S>
std::optional<std::string> conjugate_line(const Matrix<S>& z, const Matrix<S>& truth,
                                          double error) {
  const Matrix<S> turned = z.conjugate();
  const double left = aligned_error(turned, truth);
  if (!explains_error(left, error)) return std::nullopt;
  return fmt::format(
      "the complex conjugate of the image has a relative error of {:.2g}: the vectors or masks may "
      "have to be conjugated",
      left);
}

#define PROJFGD_INSTANTIATE(S)                                                               \
  template bool is_own_twin(const Matrix<S>&, Index, Index);                                 \
  template bool alternates(const Matrix<S>&, Index, Index);                                  \
  template Symmetry nearest_symmetry(const Matrix<S>&, const Matrix<S>&, Index, Index);      \
  template std::optional<std::string> unit_line(const Matrix<S>&, const Matrix<S>&, double); \
  template std::optional<std::string> conjugate_line(const Matrix<S>&, const Matrix<S>&, double);
PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd
