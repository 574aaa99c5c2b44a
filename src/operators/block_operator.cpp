#include "projfgd/operators/block_operator.hpp"

#include <omp.h>

#include <complex>
#include <numeric>
#include <utility>

#include "projfgd/core/phase.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

/// Entries a visitor sees at once: small enough to stay in the cache.
constexpr Index chunk = 4096;

/// Whether blocks are worth sharing among the threads. Small ones are not, because waking threads
/// costs more; the products with large ones share the work themselves, in less memory.
bool worth_sharing(Index blocks, Index block_size) {
  constexpr Index fewest = 1 << 14, largest = 1 << 16;
  return blocks >= threads() && threads() > 1 && blocks * block_size >= fewest &&
         block_size < largest;
}

double in_order(const double* terms, Index count) {
  return std::accumulate(terms, terms + count, 0.0);
}

}  // namespace

template <class S>
void BlockOperator<S>::leave_out(std::vector<std::uint8_t> marks) {
  require_size("marks", static_cast<Index>(marks.size()), measurements());
  left_out_ = std::move(marks);
  left_out_count_ = std::ranges::count_if(left_out_, [](std::uint8_t mark) { return mark != 0; });
}

template <class S>
void BlockOperator<S>::drop_left_out(Index b, S* v) const {
  if (left_out_.empty()) return;
  const std::uint8_t* out = left_out_.data() + b * block_size();
  for (Index i = 0; i < count(b); ++i) {
    if (out[i] != 0) v[i] = 0;
  }
}

template <class S>
void BlockOperator<S>::product(Index b, const S* z, S* v) const {
  apply_block(b, z, v);
  drop_left_out(b, v);
}

/// Shows block b to the visitor, piece by piece.
template <class S>
double BlockOperator<S>::visit_block(Index b, const Visitor& visit, S* v) const {
  const Index size = count(b), pieces = (size + chunk - 1) / chunk;
  const auto lent = terms_.lend(pieces);
  double* const sums = lent.get();
#pragma omp parallel for schedule(static) if (pieces > 8 && !omp_in_parallel())
  for (Index k = 0; k < pieces; ++k) {
    const Index begin = k * chunk;
    sums[k] = visit(b * block_size() + begin, std::min(chunk, size - begin), v + begin);
  }
  return in_order(sums, pieces);
}

/// The sum of body(b, v) over the blocks, v a work space of the thread. With fewer blocks than
/// threads the threads are left to the products themselves.
template <class S>
template <class Body>
double BlockOperator<S>::for_each_block(const Body& body) const {
  const Index total = blocks();
  const auto lent = terms_.lend(total);
  double* const parts = lent.get();
#pragma omp parallel if (worth_sharing(total, block_size()))
  {
    const auto v = work_space_.lend(block_size());
#pragma omp for schedule(static, 1)
    for (Index b = 0; b < total; ++b) parts[b] = body(b, v.get());
  }
  return in_order(parts, total);
}

/// A column of g = sum_b A_b^H v_b with v_b from fill(b, v), added up in the order of the blocks.
template <class S>
template <class Fill>
double BlockOperator<S>::gather(Factor& g, Index column, const Fill& fill) const {
  const Index total = blocks(), n = rows();
  const auto lent = terms_.lend(total);
  double* const parts = lent.get();
  Eigen::Map<Vector<S>> sum(g.col(column).data(), n);
  const bool shared = worth_sharing(total, block_size());
#pragma omp parallel if (shared)
  {
    const auto v = work_space_.lend(block_size()), part = work_space_.lend(shared ? n : 0);
#pragma omp for ordered schedule(static, 1)
    for (Index b = 0; b < total; ++b) {
      parts[b] = fill(b, v.get());
      drop_left_out(b, v.get());
      if (b == 0) {
        adjoint_block(b, v.get(), sum.data(), Into::place);
      } else if (!shared) {
        adjoint_block(b, v.get(), sum.data(), Into::sum);
      } else {
        adjoint_block(b, v.get(), part.get(), Into::place);
      }
#pragma omp ordered
      if (b > 0 && shared) sum += Eigen::Map<const Vector<S>>(part.get(), n);
    }
  }
  adjoint_products_ += total;
  return in_order(parts, total);
}

template <class S>
void BlockOperator<S>::forward(const Factor& u, Vector<Real>& y) const {
  require_factor(u, rows());
  y.setZero(measurements());
  for (Index c = 0; c < u.cols(); ++c) {
    for_each_block([&](Index b, S* v) {
      product(b, u.col(c).data(), v);
      Real* out = y.data() + b * block_size();
      for (Index i = 0; i < count(b); ++i) out[i] += std::norm(v[i]);
      return 0.0;
    });
  }
  forward_products_ += blocks() * u.cols();
}

template <class S>
void BlockOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, rows());
  y.setZero(measurements());
  for (Index c = 0; c < u.cols(); ++c) {
    for_each_block([&](Index b, S* v) {
      const auto lent = work_space_.lend(block_size());
      S* const other = lent.get();
      product(b, u.col(c).data(), v);
      product(b, d.col(c).data(), other);
      Real* out = y.data() + b * block_size();
      for (Index i = 0; i < count(b); ++i) {
        out[i] += v[i].real() * other[i].real() + v[i].imag() * other[i].imag();
      }
      return 0.0;
    });
  }
  forward_products_ += 2 * blocks() * u.cols();
}

template <class S>
void BlockOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, rows());
  g.resize(v.rows(), v.cols());
  for (Index c = 0; c < v.cols(); ++c) {
    gather(g, c, [&](Index b, S* block) {
      product(b, v.col(c).data(), block);
      const Real* weight = w.data() + b * block_size();
      for (Index i = 0; i < count(b); ++i) block[i] *= weight[i];
      return 0.0;
    });
  }
  forward_products_ += blocks() * v.cols();
}

template <class S>
double BlockOperator<S>::apply(const Factor& z, const Visitor& visit) const {
  require_factor(z, rows());
  forward_products_ += blocks();
  return for_each_block([&](Index b, S* v) {
    product(b, z.data(), v);
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
  require_factor(z, rows());
  g.resize(rows(), 1);
  forward_products_ += blocks();
  return gather(g, 0, [&](Index b, S* v) {
    product(b, z.data(), v);
    return visit_block(b, visit, v);
  });
}

template <class S>
double BlockOperator<S>::project_block(Index b, const Vector<Real>& amplitude, Factor& z) const {
  require_size("amplitudes", amplitude.size(), measurements());
  require_factor(z, rows());
  const auto v = work_space_.lend(block_size());
  product(b, z.data(), v.get());
  const double misfit = visit_block(
      b,
      [&amplitude](Index begin, Index count, S* piece) {
        const Real* wanted = amplitude.data() + begin;
        double sum = 0;
        for (Index i = 0; i < count; ++i) {
          piece[i] = wanted[i] * phase(piece[i]) - piece[i];
          sum += std::norm(piece[i]);
        }
        return sum;
      },
      v.get());
  add_pseudo_inverse_block(b, v.get(), z.data());
  ++forward_products_;
  ++adjoint_products_;
  return misfit;
}

template class BlockOperator<std::complex<float>>;
template class BlockOperator<std::complex<double>>;

}  // namespace projfgd
