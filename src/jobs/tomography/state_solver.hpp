// Solving for a state, or for any X that was counted, when the landscape or the rank is in the way:
// noticing a poor fit and leaving it, and growing the rank while the data support it.
#pragma once

#include <functional>
#include <string>

#include "projfgd/jobs/methods.hpp"

namespace projfgd {

/// How good a fit can be, as far as the data tell.
template <class S>
struct Noise {
  double data = 0;          ///< independent numbers measured
  double determined = 0;    ///< different numbers of the state that they tell of
  double size = 0;          ///< the objective of predicting nothing
  bool likelihood = false;  ///< twice the objective counts in units of the noise's variance
  /// ||residual|| over what noise leaves, about 1 for a good fit; empty when noise is unknown.
  std::function<double(const Matrix<S>&)> misfit;
};

template <class S>
struct StateAnswer {
  Answer<S> answer;
  std::string note;  ///< one line for the user, or empty
};

/// One run from settings.init at problem.rank. A likelihood below full rank ends where what is left
/// to gain is far below what noise moves it by, unless a tolerance tighter than the default is
/// asked for.
template <class S>
Answer<S> solve_once(const Problem<S>& problem, const RunSettings& settings, const Noise<S>& noise);

/// Solves at problem.rank; leaves spurious minima by a larger rank that is compressed afterwards,
/// along the lowest eigenvectors of the gradient or from random points.
template <class S>
StateAnswer<S> solve_state(const Problem<S>& problem, const RunSettings& asked,
                           const Noise<S>& noise);

/// Grows the rank from 1, or from that of problem.start, while each step improves the fit by more
/// than noise explains, and lowers one that it does not call for; the note says why it stopped.
template <class S>
StateAnswer<S> solve_any_rank(Problem<S> problem, const RunSettings& settings,
                              const Noise<S>& noise);

}  // namespace projfgd
