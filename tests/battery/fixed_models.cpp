#include "battery/fixed_models.hpp"

#include <fmt/format.h>

#include <cmath>

#include "jobs/common/escape.hpp"
#include "jobs/tomography/white_part.hpp"
#include "projfgd/operators/white_noise.hpp"

namespace projfgd::battery {
namespace {

using C = std::complex<double>;

constexpr Index most_rows_at_full_rank = 32;

/// U U^H + white I/n.
Matrix<C> with_identity(const Matrix<C>& v) {
  const Index n = v.rows() - 1;
  Matrix<C> all(n, v.cols() + n);
  all.leftCols(v.cols()) = low_rank_part(v);
  all.rightCols(n) =
      std::sqrt(white_weight(v) / static_cast<double>(n)) * Matrix<C>::Identity(n, n);
  return all;
}

}  // namespace

std::vector<FixedModel<C>> fit_every_model(const StateModel<C>& model,
                                           const RunSettings& settings) {
  std::vector<FixedModel<C>> out;
  const Index n = model.problem.op.rows();
  const Noise& noise = model.facts.noise;
  const Problem<C> noisy = problem_with_white_noise(model);
  for (Index rank = 1; rank <= std::min(n - 1, most_fixed_rank); ++rank) {
    Problem<C> plain = model.problem;
    plain.rank = rank;
    const Result<Matrix<C>> fit = solve_with_escapes<C>(plain, settings, noise, {}).answer.result;
    out.push_back({{rank, false}, fmt::format("rank {}", rank), fit.factor, fit.objective});
    StagedRun<C> run(noisy, settings);
    const Result<Matrix<C>> white = run.from(with_white_noise(fit.factor, white_share_at_start),
                                             stop_under_noise(settings, noisy, noise, rank));
    out.push_back({{rank, true},
                   fmt::format("rank {} + white", rank),
                   with_identity(white.factor),
                   white.objective});
  }
  if (n > most_rows_at_full_rank) return out;
  Problem<C> full = model.problem;
  full.rank = n;
  const Result<Matrix<C>> fit = solve_once(full, settings, noise).result;
  out.push_back({{n, false}, "full rank", fit.factor, fit.objective});
  return out;
}

}  // namespace projfgd::battery
