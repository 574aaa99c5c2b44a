// Solving where the landscape is in the way: noticing a poor fit and leaving it.
#pragma once

#include <string>

#include "jobs/common/noise.hpp"

namespace projfgd {

// Found by trial: they decide how hard a poor fit is tried to mend, not what is called a good one.
inline constexpr double poor_share = 1e-2;  ///< of the data left unexplained, noise unknown
inline constexpr double worthwhile = 0.99;  ///< of the objective before

template <class S>
struct NotedAnswer {
  Answer<S> answer;
  std::string note;  ///< one line for the user, or empty
};

/// Whether the run takes the steps of the rule auto, the only ones that go on well from any point.
bool takes_automatic_steps(const RunSettings& settings);

/// One stage from settings.init at problem.rank. A likelihood below full rank ends where what is
/// left to gain is far below what noise moves it by, unless a tolerance tighter than the default is
/// asked for.
template <class S>
Answer<S> solve_once(const Problem<S>& problem, const RunSettings& settings, const Noise& noise);

/// Solves at problem.rank; leaves spurious minima by a larger rank that is compressed afterwards,
/// along the lowest eigenvectors of the gradient or from random points.
template <class S>
NotedAnswer<S> solve_with_escapes(const Problem<S>& problem, const RunSettings& settings,
                                  const Noise& noise, const Misfit<S>& misfit);

/// [sqrt(1-b) U, sqrt(b tr X) V / sqrt k]: weight moved to the k lowest eigenvectors of the
/// gradient, as much as still decreases f. Empty when no b does. Its time is spent from the run's.
template <class S>
Matrix<S> lifted(StagedRun<S>& run, const Matrix<S>& u, Index extra);

/// The best approximation of U U^H with fewer columns.
template <class S>
Matrix<S> compressed(const Matrix<S>& u, Index rank);

}  // namespace projfgd
