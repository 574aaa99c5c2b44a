#include "projfgd/operators/readout.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

constexpr double rounding = 1e-6;  // of a sum of probabilities, as files round them
/// Work from which on threads are worth waking: probabilities that one qubit's matrix changes, and
/// multiply-adds of a matrix over all outcomes, of which a core does several at a time.
constexpr Index numbers_worth_threads = Index{1} << 16, products_worth_threads = Index{1} << 20;

void require_stochastic(const Matrix<double>& c, const char* what, std::size_t position) {
  for (Index j = 0; j < c.cols(); ++j) {
    if (!c.col(j).allFinite() || c.col(j).minCoeff() < 0 ||
        std::abs(c.col(j).sum() - 1) > rounding) {
      throw InputError(fmt::format(
          "readout {} {}: column {} is not a distribution, expected entries >= 0 with sum 1", what,
          position, j));
    }
  }
}

Matrix<double> to_matrix(const std::array<std::array<double, 2>, 2>& c) {
  Matrix<double> out(2, 2);
  out << c[0][0], c[0][1], c[1][0], c[1][1];
  return out;
}

/// p <- C p, or C^T p, on bit `qubit` of the outcome, for every outcome pair of the whole array.
template <class R>
void apply_to_qubit(const Matrix<R>& c, bool transposed, int qubit, Vector<R>& p) {
  const Index stride = Index{1} << qubit;
  R c00 = c(0, 0), c01 = c(0, 1), c10 = c(1, 0), c11 = c(1, 1);
  if (transposed) std::swap(c01, c10);
  parallel_for_if(p.size() > numbers_worth_threads, p.size() / (2 * stride), [&](Index pair) {
    R* a = p.data() + 2 * stride * pair;
    R* b = a + stride;
    for (Index k = 0; k < stride; ++k) {
      const R x = a[k], y = b[k];
      a[k] = c00 * x + c01 * y;
      b[k] = c10 * x + c11 * y;
    }
  });
}

}  // namespace

void validate(const Readout& readout, int qubits) {
  const Index n = Index{1} << qubits;
  if (readout.full.size() > 0) {
    if (readout.full.rows() != n || readout.full.cols() != n) {
      throw InputError(
          fmt::format("readout: found a {} x {} matrix, expected {} x {} for {} qubits",
                      readout.full.rows(), readout.full.cols(), n, n, qubits));
    }
    require_stochastic(readout.full, "matrix", 0);
  } else if (readout.per_qubit.size() != static_cast<std::size_t>(qubits)) {
    throw InputError(fmt::format("readout: found {} matrices, expected one for each of {} qubits",
                                 readout.per_qubit.size(), qubits));
  }
  for (std::size_t j = 0; j < readout.per_qubit.size(); ++j) {
    require_stochastic(to_matrix(readout.per_qubit[j]), "of qubit", j);
  }
}

template <class S>
ReadoutOperator<S>::ReadoutOperator(AnyOperator<S> ideal, Readout readout)
    : ideal_(std::move(ideal)), full_(readout.full.cast<Real>()) {
  int qubits = 0;
  while ((Index{1} << qubits) < ideal_.rows()) ++qubits;
  validate(readout, qubits);
  if (full_.size() == 0) {
    for (const auto& c : readout.per_qubit)
      per_qubit_.push_back(to_matrix(c).template cast<Real>());
  }
}

template <class S>
void ReadoutOperator<S>::apply(bool transposed, Vector<Real>& y) const {
  for (std::size_t j = 0; j < per_qubit_.size(); ++j) {
    apply_to_qubit<Real>(per_qubit_[j], transposed, static_cast<int>(j), y);
  }
  if (full_.size() == 0) return;
  const Index n = rows(), settings = y.size() / n;
  parallel_for_if(y.size() * n > products_worth_threads, settings, [&](Index s) {
    auto block = y.segment(s * n, n);
    const auto lent = work_space_.lend(n);
    Eigen::Map<Vector<Real>> before(lent.get(), n);
    before = block;
    if (transposed) {
      block.noalias() = full_.transpose() * before;
    } else {
      block.noalias() = full_ * before;
    }
  });
}

template <class S>
void ReadoutOperator<S>::forward(const Factor& u, Vector<Real>& y) const {
  ideal_.forward(u, y);
  apply(false, y);
}

template <class S>
void ReadoutOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  ideal_.forward(u, d, y);
  apply(false, y);
}

template <class S>
void ReadoutOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, rows());
  weights_ = w;
  apply(true, weights_);
  ideal_.adjoint_times(weights_, v, g);
}

template class ReadoutOperator<std::complex<float>>;
template class ReadoutOperator<std::complex<double>>;

}  // namespace projfgd
