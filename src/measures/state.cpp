#include "projfgd/measures/state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/operators/pauli.hpp"

namespace projfgd {
double trace(const StateFactor& u) { return dot(u, u); }

StateFactor normalised(const StateFactor& u) {
  // By the largest part first: the squares of large and of small numbers are no numbers any more.
  const double largest =
      u.size() == 0 ? 0 : std::max(u.real().cwiseAbs().maxCoeff(), u.imag().cwiseAbs().maxCoeff());
  if (!(largest > 0)) throw InputError("state: found zero, expected a state of positive trace");
  if (!std::isfinite(largest)) throw InputError("state: found a number that is not finite");
  const StateFactor scaled = u * std::exp2(-std::clamp(std::ilogb(largest), -1022, 1022));
  return scaled / norm(scaled);
}

Vector<double> eigenvalues(const StateFactor& u) {
  return hermitian_eigenvalues(gram(u, u)).reverse().cwiseMax(0.0);
}

double purity(const StateFactor& u) { return gram(u, u).squaredNorm(); }

double entropy(const Vector<double>& eigenvalues) {
  double sum = 0;
  for (const double p : eigenvalues) {
    if (p > 0) sum -= p * std::log2(p);
  }
  return std::max(sum, 0.0);
}

double fidelity(const StateFactor& u, const StateFactor& v) {
  // The singular values of G are the eigenvalues of [0, G; G^H, 0], with both signs.
  const StateFactor g = gram(u, v);
  const Index rows = g.rows(), cols = g.cols();
  StateFactor dilation = StateFactor::Zero(rows + cols, rows + cols);
  dilation.bottomLeftCorner(cols, rows) = g.adjoint();
  const double nuclear = hermitian_eigenvalues(dilation).cwiseAbs().sum() / 2;
  return nuclear * nuclear;
}

double trace_distance(const StateFactor& u, const StateFactor& v) {
  // rho - sigma = W J W^H with W = [U V] = Q R and J = diag(1, -1), so R J R^H has its spectrum.
  StateFactor w(u.rows(), u.cols() + v.cols());
  w << u, v;
  const StateFactor r = triangular_factor(w);
  const StateFactor difference = r.leftCols(u.cols()) * r.leftCols(u.cols()).adjoint() -
                                 r.rightCols(v.cols()) * r.rightCols(v.cols()).adjoint();
  return hermitian_eigenvalues(difference).cwiseAbs().sum() / 2;
}

Vector<double> expectations(const std::vector<PauliString>& paulis, const StateFactor& u) {
  Vector<double> values;
  PauliOperator<std::complex<double>>(qubits_of(u.rows()), paulis, 1).forward(u, values);
  return values;
}

double expectation(const PauliString& pauli, const StateFactor& u) {
  return expectations({pauli}, u)[0];
}

void validate_qubits(const std::vector<int>& kept, int qubits) {
  const auto fail = [&](int j, const char* how, const std::string& expected) {
    throw InputError(fmt::format("reduced state of {}: found qubit {}{}, expected {}",
                                 fmt::join(kept, ","), j, how, expected));
  };
  for (auto j = kept.begin(); j != kept.end(); ++j) {
    if (*j < 0 || *j >= qubits) fail(*j, "", fmt::format("0 to {}", qubits - 1));
    if (std::find(kept.begin(), j, *j) != j) fail(*j, " twice", "it once");
  }
}

StateFactor reduced_state(const StateFactor& u, const std::vector<int>& kept) {
  validate_qubits(kept, qubits_of(u.rows()));
  Index mask = 0;
  for (const int j : kept) mask |= Index{1} << j;
  const Index small = Index{1} << kept.size();
  std::vector<Index> spread(small, 0);  // the listed bits at their places
  for (Index a = 0; a < small; ++a) {
    for (std::size_t b = 0; b < kept.size(); ++b) spread[a] |= ((a >> b) & 1) << kept[b];
  }
  StateFactor rho = StateFactor::Zero(small, small);
  Vector<std::complex<double>> piece(small);
  for (Index rest = 0; rest < u.rows(); ++rest) {
    if (rest & mask) continue;
    for (Index c = 0; c < u.cols(); ++c) {
      for (Index a = 0; a < small; ++a) piece[a] = u(rest | spread[a], c);
      rho.selfadjointView<Eigen::Lower>().rankUpdate(piece);
    }
  }
  return rho.selfadjointView<Eigen::Lower>();
}

void density_rows(const StateFactor& u, Index first, StateFactor& rows) {
  rows.setZero();
  for (Index k = 0; k < rows.cols(); ++k) {
    for (Index c = 0; c < u.cols(); ++c) {
      const double ar = u(first + k, c).real(), ai = u(first + k, c).imag();
      const std::complex<double>* b = u.col(c).data();
      std::complex<double>* out = rows.col(k).data();
      for (Index j = 0; j < u.rows(); ++j) {
        const double br = b[j].real(), bi = b[j].imag();
        out[j] += std::complex<double>(ar * br + ai * bi, ai * br - ar * bi);
      }
    }
  }
}

StateFactor qubits_reversed(const StateFactor& u) {
  const int qubits = qubits_of(u.rows());
  StateFactor turned(u.rows(), u.cols());
  for (Index i = 0; i < u.rows(); ++i) {
    Index other = 0;
    for (int j = 0; j < qubits; ++j) other |= ((i >> j) & 1) << (qubits - 1 - j);
    turned.row(other) = u.row(i);
  }
  return turned;
}

namespace {

/// Into a vector of zeros.
void fill_ghz(StateFactor& u) { u(0) = u(u.rows() - 1) = std::sqrt(0.5); }

void fill_w(StateFactor& u) {
  const int qubits = qubits_of(u.rows());
  for (int j = 0; j < qubits; ++j) u(Index{1} << j) = 1 / std::sqrt(qubits);
}

/// |00> + sign |11>, or |01> + sign |10> where the qubits differ.
template <int sign, bool differ>
void fill_bell(StateFactor& u) {
  if (const int qubits = qubits_of(u.rows()); qubits != 2) {
    throw InputError(fmt::format("state: found {} qubits, expected 2 for a Bell state", qubits));
  }
  u(differ ? 1 : 0) = std::sqrt(0.5);
  u(differ ? 2 : 3) = sign * std::sqrt(0.5);
}

void fill_plus(StateFactor& u) { u.setConstant(1 / std::sqrt(static_cast<double>(u.rows()))); }

void fill_zero(StateFactor& u) { u(0) = 1; }

struct NamedState {
  const char* name;
  void (*fill)(StateFactor&);
};

constexpr NamedState named_states[] = {{"ghz", fill_ghz},
                                       {"w", fill_w},
                                       {"bell", fill_bell<1, false>},
                                       {"phi-", fill_bell<-1, false>},
                                       {"psi+", fill_bell<1, true>},
                                       {"psi-", fill_bell<-1, true>},
                                       {"plus", fill_plus},
                                       {"zero", fill_zero}};

}  // namespace

std::vector<std::string> state_names() { return names_of(named_states); }

StateFactor named_state(std::string_view name, int qubits) {
  StateFactor u = StateFactor::Zero(Index{1} << qubits, 1);
  require_named("state", named_states, name).fill(u);
  return u;
}

int qubits_of(Index n) {
  if (n < 2 || !std::has_single_bit(static_cast<std::uint64_t>(n))) {
    throw InputError(fmt::format("dimension: found {}, expected a power of two >= 2", n));
  }
  return std::countr_zero(static_cast<std::uint64_t>(n));
}

}  // namespace projfgd
