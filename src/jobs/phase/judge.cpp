#include "jobs/phase/judge.hpp"

#include <fmt/format.h>

#include <complex>
#include <optional>
#include <string>

#include "jobs/common/make_record.hpp"
#include "jobs/phase/causes.hpp"
#include "jobs/phase/channel.hpp"
#include "jobs/phase/methods.hpp"
#include "jobs/phase/search_numbers.hpp"
#include "jobs/phase/symmetry.hpp"
#include "jobs/phase/warnings.hpp"
#include "projfgd/measures/image.hpp"

namespace projfgd {
namespace {

/// Unknowns that no measurement sees: 1 where that is so, else 0.
template <class S>
Matrix<S> unseen_of(const BlockOperator<S>& op) {
  const Matrix<S> all = Matrix<S>::Ones(op.rows(), 1);
  Matrix<S> seen = all;
  op.drop_unseen(seen);
  return all - seen;
}

template <class S>
Index count(const Matrix<S>& u) {
  return (u.array() != S(0)).count();
}

bool is_unknown_ball(const ConstraintSpec& set) {
  return (set.name == "l1-ball" || set.name == "nonnegative-l1") && set.radius == 0;
}

/// What the data, the sets and the attempts say of the answer.
template <class S>
PhaseOutcome outcome_of(const PhaseProblem<S>& problem, const RunSettings& settings,
                        const Matrix<S>& found, Matrix<S> dark) {
  const PhaseData& data = problem.data;
  const Index n = problem.op->rows();
  const bool has_sets = phase_method_traits(settings.method).sets;
  Matrix<S> inside = Matrix<S>::Ones(n, 1);
  for (const ConstraintSpec& set : {problem.support, problem.set}) {
    if (set.name != "support") continue;
    make_constraint<S>(set, n).project(dark);
    if (has_sets) make_constraint<S>(set, n).project(inside);
  }
  PhaseOutcome outcome;
  outcome.set = has_sets ? problem.set.name : "none";
  outcome.support = has_sets && problem.has_support();
  outcome.own_twin = outcome.support && data.open && data.height > 1 &&
                     is_own_twin(inside, data.height, data.width);
  outcome.alternates = data.vectors.size() == 0 && alternates(found, data.height, data.width);
  outcome.exact = search::exact_tolerances * settings.options.tolerance;
  outcome.different = different_data(problem, has_sets && is_real_set(problem.set.name));
  outcome.unknowns = n;
  outcome.free = count(inside);
  // A ball whose radius is to be found takes nothing from them.
  outcome.numbers = static_cast<double>(free_numbers(outcome.set, outcome.free));
  if (has_sets && is_unknown_ball(problem.set)) {
    const Index each = is_real_set(problem.set.name) ? 1 : 2;
    outcome.numbers = static_cast<double>(each * outcome.free);
  }
  outcome.measurements = problem.op->measured();
  outcome.dark = count(dark);
  return outcome;
}

/// How far the answer is from a known truth, and by what it differs from it.
template <class S>
void compare_with_truth(const PhaseProblem<S>& problem, const Matrix<S>& found, Json& summary) {
  const PhaseData& data = problem.data;
  const Matrix<S>& truth = problem.truth;
  const double error = aligned_error(found, truth);
  summary["relative_error"] = error;
  summary["psnr"] = psnr(found, truth);
  std::optional<std::string> line;
  if (data.open && data.channels == 1 && all_finite(found)) {
    const Symmetry symmetry = nearest_symmetry(found, truth, data.height, data.width);
    line = symmetry_line(symmetry, error, data.height, data.width);
    if (line) summary["relative_error_modulo_symmetry"] = symmetry.error;
  }
  if (!line) line = unit_line(found, truth, error);
  if (!line) line = conjugate_line(found, truth, error);
  if (line) add_warnings({*line}, summary);
}

}  // namespace

template <class S>
void judge(const PhaseProblem<S>& problem, const RunSettings& settings, const Matrix<S>& found,
           const std::vector<SearchRecord>& searches, Status status, const PhaseFit& fit,
           Json& summary) {
  const Matrix<S> dark = unseen_of(*problem.op);
  if (const Index unseen = count(dark); unseen > 0) summary["unseen_pixels"] = unseen;
  PhaseOutcome outcome = outcome_of(problem, settings, found, dark);
  outcome.searches = searches;
  outcome.fit = fit;
  outcome.status = status;
  summary["misfit"] = fit.misfit;
  if (!fit.patterns.empty()) summary["pattern_misfits"] = fit.patterns;
  const bool determined = determines(problem.data, outcome);
  summary["determined"] = determined;
  summary["fits_data"] = outcome.ended() && explains(outcome) && determined;
  if (const std::string note = noise_note(outcome); !note.empty()) {
    summary["noise"] = note;
    summary["message"] = fmt::format("{}; {}", summary["message"].get<std::string>(), note);
  }
  add_warnings(phase_warnings(problem.data, outcome), summary);
  if (problem.truth.size() > 0) compare_with_truth(problem, found, summary);
}

template void judge(const PhaseProblem<std::complex<float>>&, const RunSettings&,
                    const Matrix<std::complex<float>>&, const std::vector<SearchRecord>&, Status,
                    const PhaseFit&, Json&);
template void judge(const PhaseProblem<std::complex<double>>&, const RunSettings&,
                    const Matrix<std::complex<double>>&, const std::vector<SearchRecord>&, Status,
                    const PhaseFit&, Json&);

}  // namespace projfgd
