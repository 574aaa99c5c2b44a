// Which rank, and whether white noise: a penalised average of models instead of a choice where the
// data leave it open.
#pragma once

#include <numbers>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// rho = U U^H of a rank, with or without white noise. The full rank has no need of it.
struct StateModelKind {
  Index rank = 1;
  bool white = false;
  friend bool operator==(const StateModelKind&, const StateModelKind&) = default;
};

/// What is left of noise where it is projected on a cone of states, in units in which a change of
/// length 1 gains 1/2.
struct LengthOfNoise {
  double mean = 0;
  double deviation = 1;  ///< standard; that of a projection is 1 at most
};

/// The deviation of the root of a sum of many squares of normal numbers, the most that a projection
/// on cones has whose edges are far.
inline constexpr double of_many_squares = 0.5 * std::numbers::sqrt2;

/// In nats, what noise gains in all but 1 of 2000 cases: half the square of its length.
double gain_in_few_cases(const LengthOfNoise& length);

/// What noise that is alike in all directions puts in one more column beside `rank` of them. It is
/// a random Hermitian matrix on the other m = n - rank dimensions, and the best column has its
/// largest eigenvalue, 2 sqrt m + t m^(-1/6) with t of Tracy and Widom.
LengthOfNoise noise_of_column(Index rank, Index n);

/// The same for all of the full rank beside a state of that rank. `level` is the weight of its
/// white noise in each dimension over the standard deviation of a direction. X >= 0 and the trace
/// hold back what noise pushes below 0: the m eigenvalues of noise, a semicircle of radius 2 sqrt m
/// around the level, are cut at the height at which the trace is what it was.
LengthOfNoise noise_of_full_rank(Index rank, Index n, double level);

/// In nats, what white noise of this weight w must gain beside a part of low rank with so many
/// parameters, and `gain` is what it does gain. The prior of w is flat in its root, as distances
/// between states are, with the density 1 / (2 sqrt w); w is known to s = w / sqrt(2 gain), and the
/// part s sqrt(2 pi) / (2 sqrt w) of the prior is near enough. A weight that the data show sharply
/// must gain more than one that they hardly see. In return white noise blurs the other parameters:
/// the information on each falls by about (1-w)^4 (of a random pure state, whose outcomes have
/// probabilities of exponential distribution), so that (1-w)^-2 as many of their values are near
/// enough. Not below 0.
double white_penalty(double weight, double gain, double parameters);

/// exp(score) over their sum, a score being a log-likelihood less its penalties. Weights below
/// negligible_weight of the largest are 0.
std::vector<double> model_weights(const std::vector<double>& scores);

/// Models of a smaller weight are left out of an average.
inline constexpr double negligible_weight = 1e-3;

/// The average of states F F^H + white I/n of several models that is best for the fidelity with
/// each of them: its square root is the mean of theirs, which minimises the mean of
/// ||sqrt rho - sqrt rho_k||^2. The mean of the states themselves would give a white part that one
/// of two models has half of its weight; its square root counts, and a quarter is better.
///
/// With sqrt rho_k = B_k B_k^H + s_k I the mean is B B^H + s I, and
///   rho = B (B^H B + 2 s) B^H + s^2 I
/// is a state of low rank with white noise again.
template <class S>
class RootMean {
 public:
  explicit RootMean(Index n) : n_(n), columns_(n, 0) {}

  void add(double weight, const Matrix<S>& u, double white);

  /// F of the mean, and its white weight.
  Matrix<S> factor() const;
  double white() const { return static_cast<double>(n_) * shift_ * shift_; }

 private:
  Index n_;
  Matrix<S> columns_;  ///< B
  double shift_ = 0;   ///< s
};

}  // namespace projfgd
