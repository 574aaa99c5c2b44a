#include "jobs/phase/scan_judge.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "jobs/common/make_record.hpp"
#include "jobs/phase/causes.hpp"
#include "jobs/phase/fit.hpp"
#include "jobs/phase/noise.hpp"
#include "jobs/phase/search_numbers.hpp"
#include "jobs/phase/symmetry.hpp"

namespace projfgd {
namespace {

/// Part of the amplitudes that photon noise leaves unexplained: the variance of the root of a count
/// is 1/4, and less where hardly any are counted.
template <class S>
double photon_misfit(const ScanProblem<S>& problem, const ScanAnswer<S>& found) {
  double variance = 0, total = 0;
  for (Index k = 0; k < problem.y.size(); ++k) {
    const double modulus = static_cast<double>(found.predicted[k]);
    const double count = modulus * modulus;
    variance += count > 1 ? 0.25 : count * (1 - 0.75 * count);
    total += static_cast<double>(problem.y[k]);
  }
  return std::sqrt(variance / total);
}

/// Counts are tested as such, other data for the noise of a detector, as in all phase retrieval; a
/// small misfit of data that are not counts is taken for noise of another kind.
template <class S>
bool is_explained(const ScanProblem<S>& problem, const ScanAnswer<S>& found, double tolerance) {
  if (!std::isfinite(found.misfit)) return false;
  if (found.misfit <= search::exact_tolerances * tolerance) return true;
  const NoiseTest noise = test_noise<RealOf<S>>(problem.y, found.predicted.cwiseAbs2(),
                                                found.numbers, problem.counts ? 1 : 0);
  if (problem.counts) return noise.are_photons();
  return found.misfit <= doubtful_phase_misfit || noise.are_detector();
}

template <class S>
std::vector<std::string> warnings_of(const ScanProblem<S>& problem, const ScanAnswer<S>& found,
                                     const Matrix<std::complex<double>>& object, bool explained,
                                     bool determined, double expected,
                                     const std::vector<double>& frame_misfits) {
  std::vector<std::string> warnings;
  if (!determined) {
    warnings.push_back(fmt::format(
        "{} intensities do not determine the {:.0f} unknowns of the fit: add frames or a --support",
        found.measured, found.numbers));
  }
  if (!explained) {
    const std::string noise =
        expected > 0 ? fmt::format(", while photon noise alone would give {:.2g}", expected)
                     : ", more than noise explains";
    warnings.push_back(
        fmt::format("relative amplitude residual {:.2g}{}: the {} or the positions may be wrong",
                    found.misfit, noise, problem.refine ? "frames" : "probe (try --refine-probe)"));
  }
  const ScanGeometry& geometry = problem.scan->geometry();
  if (alternates(object, geometry.object_height, geometry.object_width)) {
    warnings.push_back(alternation_line(
        "object", "the zero frequency of the frames may be elsewhere (see --centred)"));
  }
  const std::string line = outstanding_patterns(frame_misfits, far_more_than_noise);
  if (!line.empty()) warnings.push_back("something may be wrong with the " + line);
  return warnings;
}

}  // namespace

template <class S>
void judge_scan(const ScanProblem<S>& problem, const ScanAnswer<S>& found,
                const Matrix<std::complex<double>>& object, Status status, double tolerance,
                const std::vector<double>& frame_misfits, Json& summary) {
  const double expected = problem.counts ? photon_misfit(problem, found) : 0;
  const bool interrupted = status == Status::interrupted;  // its errors tell nothing
  const bool explained = !interrupted && is_explained(problem, found, tolerance);
  const bool determined = static_cast<double>(found.measured) >= search::determined * found.numbers;
  summary["misfit"] = found.misfit;
  if (expected > 0) summary["noise_misfit"] = expected;
  summary["frame_misfits"] = frame_misfits;
  summary["determined"] = determined;
  summary["fits_data"] = status == Status::converged && explained && determined;
  if (problem.truth.size() > 0) summary["relative_error"] = found.relative_error;
  const Index dark = (found.illumination.array() == 0).count();
  if (dark > 0) summary["unseen_pixels"] = dark;
  add_warnings(warnings_of(problem, found, object, explained || interrupted, determined, expected,
                           interrupted ? std::vector<double>{} : frame_misfits),
               summary);
}

template void judge_scan(const ScanProblem<std::complex<float>>&,
                         const ScanAnswer<std::complex<float>>&,
                         const Matrix<std::complex<double>>&, Status, double,
                         const std::vector<double>&, Json&);
template void judge_scan(const ScanProblem<std::complex<double>>&,
                         const ScanAnswer<std::complex<double>>&,
                         const Matrix<std::complex<double>>&, Status, double,
                         const std::vector<double>&, Json&);

}  // namespace projfgd
