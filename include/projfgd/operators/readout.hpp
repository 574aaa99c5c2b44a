#pragma once

#include <array>
#include <vector>

#include "projfgd/core/any.hpp"
#include "projfgd/core/buffer_pool.hpp"

namespace projfgd {

/// What a detector reports: entry (k, j) is the probability of reading k when the truth is j.
/// Either one 2 x 2 matrix a qubit (qubit 0 first) or one matrix over all 2^q outcomes.
struct Readout {
  std::vector<std::array<std::array<double, 2>, 2>> per_qubit;
  Matrix<double> full;

  bool empty() const { return per_qubit.empty() && full.size() == 0; }
};

/// Throws InputError unless the matrices fit q qubits and their columns are distributions.
void validate(const Readout& readout, int qubits);

/// p -> C p for every block of 2^q outcomes, so that the model predicts what the detector reports;
/// the data stay as they were counted. One product at a time: it keeps weights between calls.
template <class S>
class ReadoutOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  /// `ideal` predicts whole settings of 2^q outcomes each, 2^q = ideal.rows().
  ReadoutOperator(AnyOperator<S> ideal, Readout readout);

  Index rows() const { return ideal_.rows(); }
  Index measurements() const { return ideal_.measurements(); }
  void forward(const Factor& u, Vector<Real>& y) const;
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

 private:
  void apply(bool transposed, Vector<Real>& y) const;

  AnyOperator<S> ideal_;
  std::vector<Matrix<Real>> per_qubit_;
  Matrix<Real> full_;
  mutable Vector<Real> weights_;  // kept between calls: it is as long as the data
  mutable BufferPool<Real> work_space_;
};

}  // namespace projfgd
