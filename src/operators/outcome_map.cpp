#include "projfgd/operators/outcome_map.hpp"

#include <complex>
#include <utility>

#include "pauli_transform.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {

Index pauli_position(const PauliString& pauli, int qubits) {
  Index position = 0;
  for (int j = 0; j < qubits; ++j) {
    const Index x = pauli.x >> j & 1, z = pauli.z >> j & 1;
    const Index letter = x == 0 ? 3 * z : 1 + z;  // I Z, X Y
    position |= letter << 2 * j;
  }
  return position;
}

Vector<double> pauli_coordinates(const Matrix<std::complex<double>>& u,
                                 const Matrix<std::complex<double>>& v) {
  require_factors(u, v, u.rows());
  Vector<double> x(u.rows() * u.rows());
  coordinates::PauliTransform<double>(u.rows()).of_product(u, v, x.data());
  return x;
}

OutcomeMap::OutcomeMap(std::vector<Setting> settings, const std::vector<QubitBasis>& bases,
                       const Readout& readout)
    : readout_(readout.full) {
  qubits_ = ProductBasisOperator<std::complex<double>>(settings, bases).qubits();
  if (!readout.empty()) validate(readout, qubits_);
  const std::vector<coordinates::QubitMap<double>> ideal = coordinates::qubit_maps<double>(bases);
  std::vector<std::vector<coordinates::QubitMap<double>>> maps(static_cast<std::size_t>(qubits_),
                                                               ideal);
  for (std::size_t j = 0; j < readout.per_qubit.size() && readout_.size() == 0; ++j) {
    for (auto& map : maps[j]) map = coordinates::reported(readout.per_qubit[j], map);
  }
  tree_ = std::make_shared<coordinates::OutcomeTree<double>>(std::move(settings), std::move(maps));
}

Index OutcomeMap::settings() const { return tree_->settings(); }

void OutcomeMap::forward(const Vector<double>& x, Vector<double>& p) const {
  require_size("coordinates", x.size(), coordinates());
  p.resize(measurements());
  tree_->forward(x.data(), p.data());
  if (readout_.size() == 0) return;
  p.reshaped(outcomes(), settings()) = (readout_ * p.reshaped(outcomes(), settings())).eval();
}

void OutcomeMap::adjoint(const Vector<double>& w, Vector<double>& x) const {
  require_size("weights", w.size(), measurements());
  x.resize(coordinates());
  if (readout_.size() == 0) return tree_->adjoint(w.data(), x.data());
  Vector<double> ideal(w.size());
  ideal.reshaped(outcomes(), settings()) =
      readout_.transpose() * w.reshaped(outcomes(), settings());
  tree_->adjoint(ideal.data(), x.data());
}

Vector<double> OutcomeMap::normal_diagonal(const Vector<double>& w) const {
  require_size("weights", w.size(), measurements());
  auto squares = tree_->maps();
  for (auto& of_qubit : squares) {
    for (auto& map : of_qubit) {
      for (auto& row : map.rows) {
        for (double& entry : row) entry *= entry;
      }
    }
  }
  Vector<double> diagonal(coordinates());
  tree_->with_maps(std::move(squares)).adjoint(w.data(), diagonal.data());
  return diagonal;
}

}  // namespace projfgd
