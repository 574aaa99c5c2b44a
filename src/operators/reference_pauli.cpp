#include "projfgd/operators/reference_pauli.hpp"

#include <bit>

#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

/// The c of P |j> = c |j ^ x>.
template <class S>
S entry(const PauliString& p, std::uint32_t j) {
  static const S powers_of_i[] = {S(1), S(0, 1), S(-1), S(0, -1)};
  return powers_of_i[(std::popcount(p.x & p.z) + 2 * std::popcount(p.z & j)) % 4];
}

}  // namespace

template <class S>
ReferencePauliOperator<S>::ReferencePauliOperator(int qubits, std::vector<PauliString> strings,
                                                  Real scale)
    : qubits_(qubits), strings_(std::move(strings)), scale_(scale) {}

template <class S>
void ReferencePauliOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, rows());
  y.resize(measurements());
  for (Index i = 0; i < measurements(); ++i) {
    Real sum = 0;  // Re tr(P U D^H) = Re sum_j conj(D[j^x]) c_j U[j]
    for (Index c = 0; c < u.cols(); ++c) {
      for (Index j = 0; j < rows(); ++j) {
        sum += std::real(std::conj(d(j ^ strings_[i].x, c)) * entry<S>(strings_[i], j) * u(j, c));
      }
    }
    y[i] = scale_ * sum;
  }
}

template <class S>
void ReferencePauliOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v,
                                              Factor& g) const {
  require_weights(w, measurements(), v, rows());
  g.setZero(rows(), v.cols());
  for (Index i = 0; i < measurements(); ++i) {
    for (Index c = 0; c < v.cols(); ++c) {
      for (Index j = 0; j < rows(); ++j) {
        g(j ^ strings_[i].x, c) += scale_ * w[i] * entry<S>(strings_[i], j) * v(j, c);
      }
    }
  }
}

template class ReferencePauliOperator<std::complex<float>>;
template class ReferencePauliOperator<std::complex<double>>;

}  // namespace projfgd
