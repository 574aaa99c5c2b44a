// The choice of the model: which ranks, with or without white noise, and in what mixture.
#pragma once

#include <string>

#include "jobs/tomography/model.hpp"

namespace projfgd {

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

/// A factor of U U^H + white I/n: its Hermitian square root where there is white noise, and U cut
/// to the columns that it needs where there is none.
template <class S>
Matrix<S> with_white_part(const Matrix<S>& u, double white);

/// The weight of white noise that starts at full rank have, where a column that is 0 would stay so.
inline constexpr double white_at_start = 1e-3;

/// The problem of rho = U U^H + white noise, on factors that have a row for it, of rank 1.
template <class S>
Problem<S> problem_with_white_noise(const StateModel<S>& model);

/// Whether the models can be compared: by a likelihood, on a set that bounds only the trace, with
/// steps that go on from any point, in a dimension whose n x n factor is worth having.
template <class S>
bool can_choose_model(const StateModel<S>& model, const RunSettings& settings);

/// Fits rho = U U^H + white noise for one rank after the other, until another column gains no more
/// than noise alone would, and the plausible ones of these without white noise; up to 6 qubits also
/// the full rank, unless the optimality gap shows that it cannot compete. What noise gains follows
/// from random matrices, and from simulated data where those leave it open. Returns the average of
/// the models with the weights of measures/model_choice.hpp.
template <class S>
ChosenState<S> choose_state(const TomographyData& data, const StateModel<S>& model,
                            const RunSettings& settings);

}  // namespace projfgd
