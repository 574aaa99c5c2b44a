#include "jobs/phase/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>

#include "jobs/phase/causes.hpp"
#include "projfgd/io/report.hpp"
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

bool leaves_much(const PhaseOutcome& outcome) {
  const PhaseFit& fit = outcome.fit;
  if (!std::isfinite(fit.misfit)) return true;
  if (fit.misfit <= doubtful_phase_misfit) return outcome.disputed;
  // Whatever the noise, so few numbers leave an image room to fit it and be wrong.
  const Index numbers = free_numbers(outcome.set, outcome.free), enough = 2 * numbers;
  const auto fewest_photons = static_cast<double>(photons_a_number * numbers);
  const bool photons = fit.photons > 0 && fit.photons >= fewest_photons;
  const bool dim = fit.counted > 0 && fit.counted < fewest_photons;
  // Wrong images that are the best around may leave the look of noise; but hardly twice the same,
  // nor where the data are many.
  const Index most = numbers > 0 ? numbers : 2 * outcome.free;
  const bool sure = outcome.confirmed || outcome.different() >= 6 * most;
  const bool noise = outcome.ended() && !outcome.disputed && (photons || (fit.growth <= 1 && sure));
  return fit.amplitudes || fit.blind > 0 || dim || outcome.different() < enough || !noise;
}

/// That intensities do not tell one image from another, or need not.
void warn_of_ambiguity(const PhaseData& data, const PhaseOutcome& outcome,
                       std::vector<std::string>& warnings) {
  const Index numbers = free_numbers(outcome.set, outcome.unknowns);
  const char* const kind = outcome.set == "none" ? "complex" : "real";
  const char* const ambiguous = explains(outcome) ? ": the answer may be one of several" : "";
  const Index different = outcome.different();
  if (data.open && !outcome.support) {
    warnings.push_back(fmt::format(
        "{} without masks {} not tell one image from another: give the --masks, or a --support "
        "around the image",
        data.patterns == 1 ? "one pattern" : "patterns", data.patterns == 1 ? "does" : "do"));
  } else if (data.open && data.height == 1) {
    warnings.emplace_back(
        "a pattern without masks does not determine a signal, even with a support: the answer is "
        "one of many");
  } else if (!outcome.support && different < numbers) {
    warnings.push_back(fmt::format(
        "{} intensities do not determine the {} numbers of {} {} pixels: {}more patterns or a set "
        "tell them apart",
        different, numbers, outcome.unknowns, kind,
        explains(outcome) ? "the answer is one of many, and " : ""));
  } else if (!outcome.support && outcome.set == "l1-ball" && different <= 2 * outcome.unknowns) {
    warnings.push_back(
        fmt::format("{} intensities need not determine {} complex pixels, sparse as they may be{}",
                    different, outcome.unknowns, ambiguous));
  } else if (!outcome.support && different < 2 * numbers - numbers / outcome.unknowns) {
    warnings.push_back(fmt::format(
        "{} intensities need not determine the {} numbers of {} {} pixels, which takes about twice "
        "as many{}",
        different, numbers, outcome.unknowns, kind, ambiguous));
  }
}

}  // namespace

bool explains(const PhaseOutcome& outcome) { return !leaves_much(outcome); }

std::string noise_note(const PhaseOutcome& outcome) {
  const double misfit = outcome.fit.misfit;
  if (!(misfit > doubtful_phase_misfit) || !explains(outcome)) return "";
  return fmt::format("{:.0f}% of the amplitudes are left, as noise would; so would a background",
                     100 * misfit);
}

std::vector<std::string> phase_warnings(const PhaseData& data, const PhaseOutcome& outcome) {
  std::vector<std::string> warnings;
  if (data.codes_as_numbers) {
    warnings.emplace_back(
        "the masks are whole numbers from 0 up, as codes are, and were taken as they stand: "
        "--mask-values names the table of what codes mean");
  }
  if (const Index left = data.count_left_out(); left > outcome.measurements) {
    warnings.push_back(fmt::format(
        "{} of {} intensities are marked as bad: a mask of bad pixels is not zero where the "
        "detector does not see",
        left, left + outcome.measurements));
  }
  if (std::isfinite(outcome.fit.misfit)) warn_of_ambiguity(data, outcome, warnings);
  if (outcome.own_twin) {
    warnings.emplace_back(
        "the support is its own mirror image: the image and its twin, turned by 180 degrees and "
        "conjugated, are both answers, and either may come out");
  }
  if (outcome.alternates) {
    warnings.push_back(fmt::format(
        "neighbouring pixels of the answer have opposite signs, as where {}: if so, the moduli are "
        "right and the phases are not",
        data.centred ? "--centred was said of patterns that begin with the zero frequency"
                     : "--centred was left out"));
  }
  if (outcome.dark > 0) {
    warnings.push_back(fmt::format(
        "{} of {} pixels are dark in every mask: nothing was measured of them, and they are 0 in "
        "the answer",
        outcome.dark, outcome.unknowns));
  }
  if (outcome.fit.blind > 0) {
    warnings.push_back(fmt::format(
        "{} {} 0 in every pattern, although the answer sends light there: --bad-pixels tells what "
        "the detector does not see",
        format_count(outcome.fit.blind, "pixel"), outcome.fit.blind == 1 ? "is" : "are"));
  }
  if (outcome.status == Status::diverged) {
    warnings.emplace_back("the run diverged, and its answer is none");
  } else if (leaves_much(outcome)) {
    const bool more_may_help = !data.open && outcome.fit.exposures.empty();
    warnings.push_back(fmt::format(
        "{}the answer leaves {} of the amplitudes unexplained: {} {}{}",
        outcome.disputed ? "no two attempts came to the same image, and " : "",
        outcome.fit.misfit <= 1 ? fmt::format("{:.0f}%", 100 * outcome.fit.misfit)
                                : "more than all",
        outcome.ended() ? "unless the data are that noisy it is wrong;"
                        : "the run was stopped before its end, and if a longer one does "
                          "not help,",
        likely_causes(data, outcome),
        more_may_help ? "; else more patterns, a set or another seed may help" : ""));
  }
  if (outcome.ended() && !leaves_much(outcome)) {
    if (const std::string line = outstanding_patterns(outcome.fit.patterns, far_more_than_noise);
        !line.empty()) {
      warnings.push_back("something may be wrong with the " + line);
    }
  }
  if (outcome.fit.amplitudes) {
    warnings.emplace_back(
        "the data vary as amplitudes do, not as intensities: square them if that is what they are; "
        "a blurred detector or light that is coherent in part leaves as little contrast");
  }
  return warnings;
}

namespace {

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
      symmetry.twin ? "twin of the truth, turned by 180 degrees and conjugated"
                    : fmt::format("truth shifted by {} rows and {} columns",
                                  nearest(symmetry.down, height), nearest(symmetry.right, width));
  constexpr auto line =
      "{}the answer is {}the {}, which has the same pattern: its relative error from that is "
      "{:.2g}";
  const std::string unit =
      symmetry.unit == 1
          ? ""
          : fmt::format("the truth has another unit than the data: times {:.4g} ", symmetry.unit);
  return fmt::format(line, unit, symmetry.error <= same_image ? "" : "nearest to ", what,
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

template <class S>
std::optional<std::string> unit_line(const Matrix<S>& z, const Matrix<S>& truth, double error) {
  const double factor = unit_factor(z, truth);
  const double left = aligned_error(Matrix<S>(z * static_cast<RealOf<S>>(factor)), truth);
  if (!explains_error(left, error)) return std::nullopt;
  return fmt::format(
      "the truth has another unit than the data: times {:.4g} the answer has the relative error "
      "{:.2g}",
      factor, left);
}

template <class S>
std::optional<std::string> conjugate_line(const Matrix<S>& z, const Matrix<S>& truth,
                                          double error) {
  const Matrix<S> turned = z.conjugate();
  const double left = aligned_error(turned, truth);
  if (!explains_error(left, error)) return std::nullopt;
  return fmt::format(
      "the conjugate of the answer has the relative error {:.2g}: the vectors or masks may be the "
      "conjugates of those meant",
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

}  // namespace projfgd
