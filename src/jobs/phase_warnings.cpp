#include "phase_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>

#include "projfgd/io/report.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/operators/fourier.hpp"

namespace projfgd {
namespace {

constexpr double same_image = 0.05;       // a relative error that is none
constexpr double mostly_explained = 0.2;  // of an error, at most left

/// Real numbers that an image in the set has free; 0 where the set does not tell.
Index free_numbers(const std::string& set, Index n) {
  if (set == "none") return 2 * n;
  return set == "real" || set == "nonnegative" ? n : 0;
}

/// What may be behind an answer that explains too little.
std::string likely_causes(const PhaseData& data, const PhaseOutcome& outcome) {
  const std::string& set = outcome.set;
  std::vector<std::string> causes;
  if (!data.open && outcome.measurements <= 2 * free_numbers(set, outcome.unknowns)) {
    causes.emplace_back("too few patterns for an image of which so little is known");
  }
  if (set != "none" && set != "support") {
    causes.push_back(fmt::format("a set ({}) that does not hold the image", set));
  }
  if (data.open) {
    causes.emplace_back("--masks left out");
  } else if (data.vectors.size() > 0) {
    causes.emplace_back("vectors of other data");
  } else {
    causes.emplace_back("masks of other patterns or in another order");
    causes.emplace_back("masks where their complex conjugates are meant");
  }
  if (outcome.support) causes.emplace_back("a --support that does not hold the image");
  if (data.vectors.size() == 0) {
    causes.emplace_back(data.centred ? "--centred for patterns that begin with the zero frequency"
                                     : "--centred left out");
  }
  causes.emplace_back("amplitudes given as intensities");
  constexpr Index many = 16;
  if (data.height == 1 && data.patterns >= many && data.vectors.size() == 0) {
    causes.push_back(fmt::format(
        "one pattern of an image taken for {0} patterns of a signal: as 1 x {0} x {1} it is one",
        data.patterns, data.width));
  }
  return fmt::format("the likely cause is {}", fmt::join(causes, ", or "));
}

bool leaves_much(const PhaseOutcome& outcome) {
  if (!std::isfinite(outcome.misfit)) return true;
  if (outcome.growth <= 1 && !outcome.amplitudes) return false;  // noise
  const double most = outcome.attempts > 1 ? doubtful_phase_misfit : largest_phase_misfit;
  return outcome.misfit > most;
}

/// That intensities do not tell one image from another, or need not.
void warn_of_ambiguity(const PhaseData& data, const PhaseOutcome& outcome,
                       std::vector<std::string>& warnings) {
  const Index numbers = free_numbers(outcome.set, outcome.unknowns);
  Index different = outcome.measurements;
  if (data.distinct > 0) different = std::min(different, data.distinct * outcome.unknowns);
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
        "{} intensities do not determine the {} numbers of {} {} pixels: the answer is one of "
        "many, and more patterns or a set tell them apart",
        different, numbers, outcome.unknowns, outcome.set == "none" ? "complex" : "real"));
  } else if (!outcome.support && different < 2 * numbers - numbers / outcome.unknowns) {
    warnings.push_back(fmt::format(
        "{} intensities need not determine the {} numbers of {} {} pixels, which takes about twice "
        "as many: the answer may be one of several",
        different, numbers, outcome.unknowns, outcome.set == "none" ? "complex" : "real"));
  }
}

}  // namespace

double growth_of_errors(const std::vector<double>& measured, const std::vector<double>& predicted) {
  std::vector<double> sorted = predicted;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  double square[2] = {0, 0}, count[2] = {0, 0};
  for (std::size_t k = 0; k < predicted.size(); ++k) {
    const int bright = predicted[k] > *middle ? 1 : 0;
    square[bright] += (measured[k] - predicted[k]) * (measured[k] - predicted[k]);
    ++count[bright];
  }
  return square[1] / count[1] / (square[0] / count[0]);
}

bool explains(const PhaseOutcome& outcome) { return !leaves_much(outcome) && !outcome.amplitudes; }

bool seem_amplitudes(const Eigen::Ref<const Vector<double>>& y, Index measured) {
  constexpr double of_amplitudes = 4 / std::numbers::pi, nearness = 0.12;
  const double sum = y.sum();
  return std::abs(static_cast<double>(measured) * y.squaredNorm() / (sum * sum) - of_amplitudes) <
         nearness;
}

Index blind_pixels(const PhaseData& data, const Eigen::Ref<const Vector<double>>& y,
                   const std::function<Vector<double>()>& predict) {
  constexpr double more_than_likely = 10, much_light = 0.3;
  if (data.patterns < 2) return 0;
  const Index n = data.height * data.width;
  std::vector<Index> dark;
  Index zeros = 0, measured = 0;  // of the other pixels
  for (Index k = 0; k < n; ++k) {
    Index here = 0, none = 0;
    for (Index i = k; i < y.size(); i += n) {
      if (data.is_left_out(i)) continue;
      ++here;
      if (y[i] == 0) ++none;
    }
    if (here > 0 && none == here) {
      dark.push_back(k);
    } else {
      zeros += none, measured += here;
    }
  }
  const double share =
      measured > 0 ? static_cast<double>(zeros) / static_cast<double>(measured) : 1;
  const double likely =
      static_cast<double>(n) * std::pow(share, static_cast<double>(data.patterns));
  if (dark.empty() || static_cast<double>(dark.size()) <= more_than_likely * likely) return 0;
  const Vector<double> p = predict();
  double light = 0;
  Index count = 0;
  for (const Index k : dark) {
    for (Index i = k; i < p.size(); i += n) light += p[i], ++count;
  }
  const bool lit = light / static_cast<double>(count) > much_light * p.mean();
  return lit ? static_cast<Index>(dark.size()) : 0;
}

std::vector<std::string> phase_warnings(const PhaseData& data, const PhaseOutcome& outcome) {
  std::vector<std::string> warnings;
  if (data.codes_as_numbers) {
    warnings.emplace_back(
        "the masks are whole numbers from 0 up, as codes are, and were taken as they stand: "
        "--mask-values names the table of what codes mean");
  }
  if (std::isfinite(outcome.misfit)) warn_of_ambiguity(data, outcome, warnings);
  if (outcome.dark > 0) {
    warnings.push_back(fmt::format(
        "{} of {} pixels are dark in every mask: nothing was measured of them, and they are 0 in "
        "the answer",
        outcome.dark, outcome.unknowns));
  }
  if (outcome.blind > 0) {
    warnings.push_back(fmt::format(
        "{} {} 0 in every pattern, although the answer sends light there: --bad-pixels tells what "
        "the detector does not see",
        format_count(outcome.blind, "pixel"), outcome.blind == 1 ? "is" : "are"));
  }
  const bool ended = outcome.status == Status::converged || outcome.status == Status::stalled;
  if (outcome.status != Status::diverged && leaves_much(outcome)) {
    warnings.push_back(fmt::format(
        "the answer leaves {} of the amplitudes unexplained: {} {}{}",
        outcome.misfit <= 1 ? fmt::format("{:.0f}%", 100 * outcome.misfit) : "more than all",
        ended ? "unless the data are that noisy it is wrong;"
              : "the run was stopped before its end, and if a longer one does "
                "not help,",
        likely_causes(data, outcome),
        data.open ? "" : "; else more patterns, a set or another seed may help"));
  }
  if (outcome.amplitudes) {
    warnings.emplace_back(
        "the data vary as amplitudes do, not as intensities: square them if that is what they are");
  }
  return warnings;
}

template <class S>
Symmetry nearest_symmetry(const Matrix<S>& z, const Matrix<S>& truth, Index height, Index width) {
  const FourierTransform<RealOf<S>> transform(height, width);
  const auto forward = [&](const Matrix<S>& image) {
    std::vector<S> v(static_cast<std::size_t>(image.size()));
    transform.forward([&](Index i, S* row) { std::copy_n(image.data() + i * width, width, row); },
                      v.data());
    return v;
  };
  const std::vector<S> found = forward(z), known = forward(truth);
  const double size = static_cast<double>(truth.norm());
  const double sum = static_cast<double>(z.squaredNorm()) + size * size;
  Symmetry best;
  double most = -1;
  for (const bool twin : {false, true}) {
    std::vector<S> product(found);
    for (std::size_t k = 0; k < product.size(); ++k) {
      product[k] *= twin ? known[k] : std::conj(known[k]);
    }
    std::vector<S> overlap(product.size());
    transform.backward(product.data(), [&](Index i, const S* row) {
      std::copy_n(row, width, overlap.begin() + i * width);
    });
    const auto nearest = std::ranges::max_element(overlap, {}, [](S x) { return std::norm(x); });
    const double here = static_cast<double>(std::abs(*nearest)) / static_cast<double>(z.size());
    if (here <= most) continue;
    most = here;
    const Index at = nearest - overlap.begin();
    best = {twin, at / width, at % width, std::sqrt(std::max(sum - 2 * here, 0.0)) / size};
  }
  return best;
}

std::optional<std::string> symmetry_line(const Symmetry& symmetry, double error, Index height,
                                         Index width) {
  constexpr double explained = 0.5;  // of the error, at most left
  if (error <= same_image || !(symmetry.error < explained * error)) return std::nullopt;
  const auto nearest = [](Index shift, Index size) {
    return 2 * shift > size ? shift - size : shift;
  };
  const std::string what =
      symmetry.twin ? "twin of the truth, turned by 180 degrees and conjugated"
                    : fmt::format("truth shifted by {} rows and {} columns",
                                  nearest(symmetry.down, height), nearest(symmetry.right, width));
  constexpr auto line =
      "the answer is {}the {}, which has the same pattern: its relative error from that is {:.2g}";
  return fmt::format(line, symmetry.error <= same_image ? "" : "nearest to ", what, symmetry.error);
}

template <class S>
std::optional<std::string> unit_line(const Matrix<S>& z, const Matrix<S>& truth, double error) {
  constexpr double nearly_one = 0.05;
  const double size = wide(z).norm(), factor = wide(truth).norm() / size;
  if (!(size > 0) || !(factor > 0) || std::abs(factor - 1) < nearly_one) return std::nullopt;
  const Matrix<S> scaled = z * static_cast<RealOf<S>>(factor);
  const double left = aligned_error(scaled, truth);
  if (!(left < mostly_explained * error)) return std::nullopt;
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
  if (error <= same_image || !(left < mostly_explained * error)) return std::nullopt;
  return fmt::format(
      "the conjugate of the answer has the relative error {:.2g}: the vectors or masks may be the "
      "conjugates of those meant",
      left);
}

#define PROJFGD_INSTANTIATE(S)                                                               \
  template Symmetry nearest_symmetry(const Matrix<S>&, const Matrix<S>&, Index, Index);      \
  template std::optional<std::string> unit_line(const Matrix<S>&, const Matrix<S>&, double); \
  template std::optional<std::string> conjugate_line(const Matrix<S>&, const Matrix<S>&, double);
PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd
