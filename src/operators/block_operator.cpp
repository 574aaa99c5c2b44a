#include "projfgd/operators/block_operator.hpp"

#include <complex>
#include <memory>
#include <numeric>
#include <vector>

#include "projfgd/core/phase.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

/// Entries a visitor sees at once: small enough to stay in the cache.
constexpr Index chunk = 4096;

/// Whether blocks are worth sharing among the threads; below this, waking them costs more.
bool worth_sharing(Index blocks, Index measurements) {
  constexpr Index fewest = 1 << 14;
  return blocks >= threads() && measurements >= fewest;
}

template <class S>
std::unique_ptr<S[]> work_space(Index size) {
  return std::make_unique_for_overwrite<S[]>(static_cast<std::size_t>(size));
}

}  // namespace

/// Shows block b to the visitor, piece by piece.
template <class S>
double BlockOperator<S>::visit_block(Index b, const Visitor& visit, S* v) const {
  double sum = 0;
  for (Index i = 0; i < count(b); i += chunk) {
    sum += visit(b * block_size() + i, std::min(chunk, count(b) - i), v + i);
  }
  return sum;
}

/// The sum of body(b, v) over the blocks, v a work space of the thread. With fewer blocks than
/// threads the threads are left to the products themselves.
template <class S>
template <class Body>
double BlockOperator<S>::for_each_block(const Body& body) const {
  const Index total = blocks();
  std::vector<double> parts(total);
#pragma omp parallel if (worth_sharing(total, measurements()))
  {
    const auto v = work_space<S>(block_size());
#pragma omp for schedule(static, 1)
    for (Index b = 0; b < total; ++b) parts[b] = body(b, v.get());
  }
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

/// A column of g = sum_b A_b^H v_b with v_b from fill(b, v), added up in the order of the blocks.
template <class S>
template <class Fill>
double BlockOperator<S>::gather(Factor& g, Index column, const Fill& fill) const {
  const Index total = blocks(), n = rows();
  std::vector<double> parts(total);
  Eigen::Map<Vector<S>> sum(g.col(column).data(), n);
#pragma omp parallel if (worth_sharing(total, measurements()))
  {
    const auto v = work_space<S>(block_size()), part = work_space<S>(n);
#pragma omp for ordered schedule(static, 1)
    for (Index b = 0; b < total; ++b) {
      parts[b] = fill(b, v.get());
      adjoint_block(b, v.get(), part.get());
      const Eigen::Map<const Vector<S>> add(part.get(), n);
#pragma omp ordered
      {
        if (b == 0) {
          sum = add;
        } else {
          sum += add;
        }
      }
    }
  }
  products_ += total;
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

template <class S>
void BlockOperator<S>::forward(const Factor& u, Vector<Real>& y) const {
  require_factor(u, rows());
  y.setZero(measurements());
  for (Index c = 0; c < u.cols(); ++c) {
    for_each_block([&](Index b, S* v) {
      apply_block(b, u.col(c).data(), v);
      Real* out = y.data() + b * block_size();
      for (Index i = 0; i < count(b); ++i) out[i] += std::norm(v[i]);
      return 0.0;
    });
  }
  products_ += blocks() * u.cols();
}

template <class S>
void BlockOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, rows());
  y.setZero(measurements());
  for (Index c = 0; c < u.cols(); ++c) {
    for_each_block([&](Index b, S* v) {
      const auto other = work_space<S>(block_size());
      apply_block(b, u.col(c).data(), v);
      apply_block(b, d.col(c).data(), other.get());
      Real* out = y.data() + b * block_size();
      for (Index i = 0; i < count(b); ++i) {
        out[i] += v[i].real() * other[i].real() + v[i].imag() * other[i].imag();
      }
      return 0.0;
    });
  }
  products_ += 2 * blocks() * u.cols();
}

template <class S>
void BlockOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, rows());
  g.resize(v.rows(), v.cols());
  for (Index c = 0; c < v.cols(); ++c) {
    gather(g, c, [&](Index b, S* block) {
      apply_block(b, v.col(c).data(), block);
      const Real* weight = w.data() + b * block_size();
      for (Index i = 0; i < count(b); ++i) block[i] *= weight[i];
      return 0.0;
    });
  }
  products_ += blocks() * v.cols();
}

template <class S>
double BlockOperator<S>::apply(const Factor& z, const Visitor& visit) const {
  products_ += blocks();
  return for_each_block([&](Index b, S* v) {
    apply_block(b, z.data(), v);
    return visit_block(b, visit, v);
  });
}

template <class S>
double BlockOperator<S>::adjoint(const Visitor& fill, Factor& g) const {
  g.resize(rows(), 1);
  return gather(g, 0, [&](Index b, S* v) { return visit_block(b, fill, v); });
}

template <class S>
double BlockOperator<S>::pass(const Factor& z, const Visitor& visit, Factor& g) const {
  g.resize(rows(), 1);
  products_ += blocks();
  return gather(g, 0, [&](Index b, S* v) {
    apply_block(b, z.data(), v);
    return visit_block(b, visit, v);
  });
}

template <class S>
double BlockOperator<S>::project_block(Index b, const Vector<Real>& amplitude, Factor& z) const {
  const auto v = work_space<S>(block_size());
  Factor step(rows(), 1);
  apply_block(b, z.data(), v.get());
  const Real* wanted = amplitude.data() + b * block_size();
  const Index size = count(b), pieces = (size + chunk - 1) / chunk;
  std::vector<double> misfit(pieces);
#pragma omp parallel for schedule(static) if (pieces > 8)
  for (Index k = 0; k < pieces; ++k) {
    for (Index i = k * chunk; i < std::min(size, (k + 1) * chunk); ++i) {
      v[i] = wanted[i] * phase(v[i]) - v[i];
      misfit[k] += std::norm(v[i]);
    }
  }
  pseudo_inverse_block(b, v.get(), step.data());
  axpy(1, step, z);
  products_ += 2;
  return std::accumulate(misfit.begin(), misfit.end(), 0.0);
}

template class BlockOperator<std::complex<float>>;
template class BlockOperator<std::complex<double>>;

}  // namespace projfgd
