#include "jobs/phase/channel.hpp"

#include <algorithm>
#include <complex>

#include "jobs/phase/channel_run.hpp"
#include "jobs/phase/placed.hpp"
#include "projfgd/measures/image.hpp"

namespace projfgd {

template <class S>
void fix_phase(Matrix<S>& z) {
  for (Index c = 0; c < z.cols(); ++c) {
    z.col(c) *= S(std::conj(phase(std::complex<double>(wide(z.col(c)).sum()))));
  }
}

template <class S>
Index different_data(const PhaseProblem<S>& problem, bool real_image) {
  const PhaseData& data = problem.data;
  const Index measured = problem.op->measured();
  const Index all =
      data.distinct > 0 ? std::min(measured, data.distinct * problem.op->rows()) : measured;
  return data.real_masks && real_image ? (all + 1) / 2 : all;
}

template <class S>
PhaseAnswer<Matrix<S>> solve_channel(const PhaseProblem<S>& problem, Index c,
                                     const RunSettings& settings, Stopwatch& clock) {
  if (problem.placed) return problem.placed->solve_channel(problem, c, settings, clock);
  return solve_channel_with<BlockOperator<S>>(*problem.op, problem, c, settings, clock);
}

#define PROJFGD_INSTANTIATE(S)                                                                     \
  template void fix_phase(Matrix<S>&);                                                             \
  template Index different_data(const PhaseProblem<S>&, bool);                                     \
  template PhaseAnswer<Matrix<S>> solve_channel(const PhaseProblem<S>&, Index, const RunSettings&, \
                                                Stopwatch&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd
