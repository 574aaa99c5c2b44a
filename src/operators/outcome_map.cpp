#include "projfgd/operators/outcome_map.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

using QubitMap = std::array<std::array<double, 4>, 2>;

/// (1, n) / 2 for both outcomes, from the bras of the basis.
QubitMap bloch_rows(const QubitBasis& basis) {
  QubitMap map;
  for (int k = 0; k < 2; ++k) {
    const std::complex<double> product = basis[k][0] * std::conj(basis[k][1]);
    map[k] = {0.5, product.real(), product.imag(),
              (std::norm(basis[k][0]) - std::norm(basis[k][1])) / 2};
  }
  return map;
}

QubitMap reported(const std::array<std::array<double, 2>, 2>& readout, const QubitMap& ideal) {
  QubitMap map;
  for (int k = 0; k < 2; ++k) {
    for (int c = 0; c < 4; ++c) {
      map[k][c] = readout[k][0] * ideal[0][c] + readout[k][1] * ideal[1][c];
    }
  }
  return map;
}

/// out[k, o, rest] = sum_c map[o][c] in[k, c, rest], k below 2^depth.
void contract(const QubitMap& map, int depth, Index size, const double* in, double* out) {
  const Index low = Index{1} << depth;
  for (Index rest = 0; rest < size / (4 * low); ++rest) {
    const double* from = in + 4 * low * rest;
    double* to = out + 2 * low * rest;
    for (int o = 0; o < 2; ++o) {
      for (Index k = 0; k < low; ++k) {
        to[o * low + k] = map[o][0] * from[k] + map[o][1] * from[low + k] +
                          map[o][2] * from[2 * low + k] + map[o][3] * from[3 * low + k];
      }
    }
  }
}

/// out[k, c, rest] += sum_o map[o][c] in[k, o, rest]; `size` is that of out.
void expand(const QubitMap& map, int depth, Index size, const double* in, double* out) {
  const Index low = Index{1} << depth;
  for (Index rest = 0; rest < size / (4 * low); ++rest) {
    const double* from = in + 2 * low * rest;
    double* to = out + 4 * low * rest;
    for (int c = 0; c < 4; ++c) {
      for (Index k = 0; k < low; ++k) {
        to[c * low + k] += map[0][c] * from[k] + map[1][c] * from[low + k];
      }
    }
  }
}

int common_prefix(const Setting& a, const Setting& b) {
  const auto [end, other] = std::ranges::mismatch(a, b);
  return static_cast<int>(end - a.begin());
}

/// Of level d of the tree: d qubits read out, the others as coordinates.
Index level_size(int qubits, int depth) { return Index{1} << (2 * qubits - depth); }

/// One array a level.
std::vector<std::vector<double>> level_arrays(int qubits) {
  std::vector<std::vector<double>> levels;
  for (int d = 0; d <= qubits; ++d) levels.emplace_back(level_size(qubits, d), 0.0);
  return levels;
}

}  // namespace

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
  using Complex = std::complex<double>;
  require_factors(u, v, u.rows());
  const Index n = u.rows();
  int qubits = 0;
  while ((Index{1} << qubits) < n) ++qubits;
  const Matrix<Complex> product = u * v.adjoint();
  // The entry (row, column) at the position whose digits are 2 row_j + column_j.
  const auto spread = [&](Index bits) {
    Index out = 0;
    for (int j = 0; j < qubits; ++j) out |= (bits >> j & 1) << 2 * j;
    return out;
  };
  std::vector<Index> place(n);
  for (Index i = 0; i < n; ++i) place[i] = spread(i);
  Vector<Complex> x(n * n);
  for (Index column = 0; column < n; ++column) {
    for (Index row = 0; row < n; ++row) {
      x[2 * place[row] + place[column]] =
          (product(row, column) + std::conj(product(column, row))) / 2.0;
    }
  }
  // tr(P M) of a 2 x 2 block M: I and Z from its diagonal, X and Y from the rest.
  const Complex i(0, 1);
  for (Index low = 1; low < x.size(); low *= 4) {
    for (Index rest = 0; rest < x.size(); rest += 4 * low) {
      for (Index k = rest; k < rest + low; ++k) {
        const Complex m00 = x[k], m01 = x[k + low], m10 = x[k + 2 * low], m11 = x[k + 3 * low];
        x[k] = m00 + m11;
        x[k + low] = m01 + m10;
        x[k + 2 * low] = i * (m01 - m10);
        x[k + 3 * low] = m00 - m11;
      }
    }
  }
  return x.real();
}

OutcomeMap::OutcomeMap(std::vector<Setting> settings, const std::vector<QubitBasis>& bases,
                       const Readout& readout)
    : settings_(std::move(settings)), order_(settings_.size()) {
  qubits_ = ProductBasisOperator<std::complex<double>>(settings_, bases).qubits();
  if (!readout.empty()) validate(readout, qubits_);
  readout_ = readout.full;
  std::vector<QubitMap> ideal;
  for (const QubitBasis& basis : bases) ideal.push_back(bloch_rows(basis));
  for (int j = 0; j < qubits_; ++j) {
    maps_.push_back(ideal);
    if (readout_.size() > 0 || readout.empty()) continue;
    for (QubitMap& map : maps_.back()) map = reported(readout.per_qubit[j], map);
  }
  std::iota(order_.begin(), order_.end(), Index{0});
  std::ranges::stable_sort(order_, {}, [this](Index s) { return settings_[s]; });
}

template <class Leaf>
void OutcomeMap::walk(const Leaf& leaf) const {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Setting& setting = settings_[order_[i]];
    leaf(order_[i], i == 0 ? 0 : common_prefix(settings_[order_[i - 1]], setting));
  }
}

void OutcomeMap::forward(const Vector<double>& x, Vector<double>& p) const {
  require_size("coordinates", x.size(), coordinates());
  p.resize(measurements());
  auto levels = level_arrays(qubits_);
  std::ranges::copy(x, levels[0].begin());
  walk([&](Index s, int depth) {
    for (int d = depth; d < qubits_; ++d) {
      contract(maps_[d][settings_[s][d]], d, level_size(qubits_, d), levels[d].data(),
               levels[d + 1].data());
    }
    std::ranges::copy(levels[qubits_], p.data() + s * outcomes());
  });
  if (readout_.size() == 0) return;
  p.reshaped(outcomes(), settings()) = (readout_ * p.reshaped(outcomes(), settings())).eval();
}

void OutcomeMap::sum_up(const std::vector<std::vector<QubitMap>>& maps, const Vector<double>& w,
                        Vector<double>& x) const {
  auto levels = level_arrays(qubits_);
  const auto send_back = [&](const Setting& setting, int depth) {
    for (int d = qubits_ - 1; d >= depth; --d) {
      expand(maps[d][setting[d]], d, level_size(qubits_, d), levels[d + 1].data(),
             levels[d].data());
      std::ranges::fill(levels[d + 1], 0.0);
    }
  };
  Index before = -1;
  walk([&](Index s, int depth) {
    if (before >= 0) send_back(settings_[before], depth);
    for (Index k = 0; k < outcomes(); ++k) levels[qubits_][k] += w[s * outcomes() + k];
    before = s;
  });
  send_back(settings_[before], 0);
  x = Eigen::Map<const Vector<double>>(levels[0].data(), coordinates());
}

void OutcomeMap::adjoint(const Vector<double>& w, Vector<double>& x) const {
  require_size("weights", w.size(), measurements());
  if (readout_.size() == 0) return sum_up(maps_, w, x);
  Vector<double> ideal(w.size());
  ideal.reshaped(outcomes(), settings()) =
      readout_.transpose() * w.reshaped(outcomes(), settings());
  sum_up(maps_, ideal, x);
}

Vector<double> OutcomeMap::normal_diagonal(const Vector<double>& w) const {
  require_size("weights", w.size(), measurements());
  auto squares = maps_;
  for (auto& of_qubit : squares) {
    for (QubitMap& map : of_qubit) {
      for (auto& row : map) {
        for (double& entry : row) entry *= entry;
      }
    }
  }
  Vector<double> diagonal;
  sum_up(squares, w, diagonal);
  return diagonal;
}

}  // namespace projfgd
