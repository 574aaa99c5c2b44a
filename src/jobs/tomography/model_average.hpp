// The state that several fitted models have a share in.
#pragma once

#include <string>
#include <vector>

#include "jobs/tomography/model.hpp"
#include "projfgd/measures/model_choice.hpp"

namespace projfgd {

/// One model that was fitted, as a factor of n + 1 rows.
template <class S>
struct Candidate {
  StateModelKind kind;
  Result<Matrix<S>> fit;
  double penalty = 0;  ///< nats
  /// A factor of the state that is expected under the model, where that is not the likeliest.
  Matrix<S> expected = {};

  double score() const { return -fit.objective - penalty; }
};

template <class S>
const Candidate<S>& best_of(const std::vector<Candidate<S>>& candidates);
template <class S>
const Candidate<S>& likeliest_of(const std::vector<Candidate<S>>& candidates);

/// A state that several models may have a share in.
template <class S>
struct ChosenState {
  AnyOperator<S> op;  ///< of the weightiest model, on factors that may have a row of white noise
  Matrix<S> fitted = {};            ///< the factor of that model
  Answer<S> answer = {};            ///< a factor of the state; the books are those of all fits
  Vector<double> predictions = {};  ///< A of that factor's X
  Index rank = 0;                   ///< of the part without white noise, in the weightiest model
  double white_noise = 0;           ///< weight of the white part
  double parameters = 0;            ///< of a state, on average over the models
  std::string reason = {};
};

/// The average of the candidates with the weights of measures/model_choice.hpp. The answer has the
/// books of the run and the trace of the weightiest; `finished` says whether the search that made
/// the candidates came to its end.
template <class S>
ChosenState<S> average_of(const std::vector<Candidate<S>>& candidates, StagedRun<S>&& run,
                          bool finished);

}  // namespace projfgd
