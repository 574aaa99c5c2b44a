#include "projfgd/core/factor.hpp"

#include <array>
#include <cmath>
#include <span>

#include "product_kernels.hpp"
#include "projfgd/core/chunks.hpp"
#include "projfgd/core/factor_lists.hpp"

namespace projfgd {
namespace {

template <class Body>
void for_each_chunk(Index size, const Body& body) {
  projfgd::for_each_chunk(size, sum_chunk, sum_chunks_worth_threads, body);
}

template <class S>
auto piece(const S* data, Index begin, Index length) {
  return Eigen::Map<const Vector<S>>(data + begin, length);
}
template <class S>
auto piece(S* data, Index begin, Index length) {
  return Eigen::Map<Vector<S>>(data + begin, length);
}

/// A complex array seen as twice as many real numbers: Re<u,v> is their plain dot product.
template <class S, int C>
auto as_real(const Eigen::Matrix<S, Eigen::Dynamic, C>& u) {
  return reinterpret_cast<const RealOf<S>*>(u.data());
}
template <class S, int C>
auto as_real(Eigen::Matrix<S, Eigen::Dynamic, C>& u) {
  return reinterpret_cast<RealOf<S>*>(u.data());
}
template <class S>
constexpr Index reals_per_entry = is_complex<S> ? 2 : 1;

/// Of a list of factors as many are multiplied with another at a time, in chunks that stay in the
/// nearest cache; threads are woken for as many numbers as for one factor.
constexpr std::size_t list_part = 16;
constexpr Index list_chunk = Index{1} << 11;
Index list_chunks_worth_threads(std::size_t count) {
  return sum_chunks_worth_threads * sum_chunk / (list_chunk * static_cast<Index>(count));
}

/// Rows of a tall matrix that one thread multiplies at a time. They depend on its height alone, so
/// that sums over pieces have the same bits for any number of threads.
struct Pieces {
  static constexpr Index most = 64, fewest_rows = 128;
  /// Multiply-adds from which on threads are worth waking: some 50 us of one core.
  static constexpr Index work_worth_threads = Index{1} << 17;
  Index height, rows, count;

  explicit Pieces(Index n)
      : height(n),
        rows(std::max(fewest_rows, (n + most - 1) / most)),
        count((n + rows - 1) / rows) {}

  template <class Body>
  void for_each(Index work_per_row, const Body& body) const {
    const bool worth = height * work_per_row >= work_worth_threads;
    projfgd::for_each_chunk(height, rows, worth ? 1 : count + 1, body);
  }
};

std::size_t size_of(Index count) { return static_cast<std::size_t>(count); }

/// `length` rows of a matrix from `begin` on, as a factor of a product.
template <class S>
products::Operand<RealOf<S>> rows_of(const Matrix<S>& m, Index begin) {
  return {m.data() + begin, 1, size_of(m.rows())};
}
/// The conjugate transpose of these rows.
template <class S>
products::Operand<RealOf<S>> adjoint_of(const Matrix<S>& m, Index begin) {
  return {m.data() + begin, size_of(m.rows()), 1, true};
}

/// out = U^H V over some rows. Eigen's product serves where the other's vectors would be half
/// empty.
template <class S, class Out>
void gram_of_rows(const Matrix<S>& u, const Matrix<S>& v, Index begin, Index length, Out&& out) {
  if constexpr (is_complex<S>) {
    if (2 * size_of(u.cols()) >= products::product_rows<RealOf<S>>()) {
      return products::product_of_all<RealOf<S>>(
          size_of(u.cols()), size_of(length), size_of(v.cols()), adjoint_of(u, begin),
          rows_of(v, begin), out.data(), size_of(out.outerStride()));
    }
  }
  out.noalias() = u.middleRows(begin, length).adjoint() * v.middleRows(begin, length);
}

/// out = U R for some rows. Few columns are no matter of products.
template <class S>
void multiply_rows(const Matrix<S>& u, const Matrix<S>& r, Index begin, Index length,
                   Matrix<S>& out) {
  if constexpr (is_complex<S>) {
    constexpr Index few = 4;
    if (r.cols() >= few) {
      return products::product_of_all<RealOf<S>>(
          size_of(length), size_of(u.cols()), size_of(r.cols()), rows_of(u, begin), rows_of(r, 0),
          out.data() + begin, size_of(out.rows()));
    }
  }
  out.middleRows(begin, length).noalias() = u.middleRows(begin, length) * r;
}

}  // namespace

template <class S, int C>
RealOf<S> dot(const Eigen::Matrix<S, Eigen::Dynamic, C>& u,
              const Eigen::Matrix<S, Eigen::Dynamic, C>& v) {
  const Index size = u.size() * reals_per_entry<S>;
  const auto part = [&](Index begin, Index length) -> RealOf<S> {
    return piece(as_real(u), begin, length).dot(piece(as_real(v), begin, length));
  };
  if (size <= sum_chunk) return part(0, size);
  RealOf<S> sum = 0;
  add_chunks(size, part, [&](RealOf<S> p) { sum += p; });
  return sum;
}

template <class S, int C>
void axpy(std::type_identity_t<RealOf<S>> a, const Eigen::Matrix<S, Eigen::Dynamic, C>& x,
          Eigen::Matrix<S, Eigen::Dynamic, C>& y) {
  for_each_chunk(x.size() * reals_per_entry<S>, [&](Index, Index begin, Index length) {
    piece(as_real(y), begin, length) += a * piece(as_real(x), begin, length);
  });
}

template <class S, int C>
void scale(std::type_identity_t<RealOf<S>> a, Eigen::Matrix<S, Eigen::Dynamic, C>& x) {
  for_each_chunk(x.size() * reals_per_entry<S>,
                 [&](Index, Index begin, Index length) { piece(as_real(x), begin, length) *= a; });
}

template <class S, int C>
void subtract(const Eigen::Matrix<S, Eigen::Dynamic, C>& x,
              const Eigen::Matrix<S, Eigen::Dynamic, C>& y,
              Eigen::Matrix<S, Eigen::Dynamic, C>& out) {
  out.resize(x.rows(), x.cols());
  for_each_chunk(x.size() * reals_per_entry<S>, [&](Index, Index begin, Index length) {
    piece(as_real(out), begin, length) =
        piece(as_real(x), begin, length) - piece(as_real(y), begin, length);
  });
}

template <class S, int C>
RealOf<S> norm(const Eigen::Matrix<S, Eigen::Dynamic, C>& u) {
  const Index size = u.size() * reals_per_entry<S>;
  const auto part = [&](Index begin, Index length) {  // the squares of single numbers overflow
    return piece(as_real(u), begin, length).template cast<double>().squaredNorm();
  };
  if (size <= sum_chunk) return static_cast<RealOf<S>>(std::sqrt(part(0, size)));
  double sum = 0;
  add_chunks(size, part, [&](double p) { sum += p; });
  return static_cast<RealOf<S>>(std::sqrt(sum));
}

template <class S, int C>
bool all_finite(const Eigen::Matrix<S, Eigen::Dynamic, C>& u) {
  bool finite = true;
  add_chunks(
      u.size() * reals_per_entry<S>,
      [&](Index begin, Index length) { return piece(as_real(u), begin, length).allFinite(); },
      [&](bool part) { finite = finite && part; });
  return finite;
}

template <class S>
Matrix<S> gram(const Matrix<S>& u, const Matrix<S>& v) {
  const Pieces pieces(u.rows());
  const Index width = v.cols();
  if (pieces.count <= 1) {
    Matrix<S> all(u.cols(), width);
    gram_of_rows<S>(u, v, 0, u.rows(), all);
    return all;
  }
  Matrix<S> parts(u.cols(), pieces.count * width);
  pieces.for_each(u.cols() * width, [&](Index k, Index begin, Index length) {
    gram_of_rows<S>(u, v, begin, length, parts.middleCols(k * width, width));
  });
  Matrix<S> sum = parts.leftCols(width);
  for (Index k = 1; k < pieces.count; ++k) sum += parts.middleCols(k * width, width);
  return sum;
}

template <class S>
void multiply(const Matrix<S>& u, const Matrix<S>& r, Matrix<S>& out) {
  out.resize(u.rows(), r.cols());
  Pieces(u.rows()).for_each(r.size(), [&](Index, Index begin, Index length) {
    multiply_rows<S>(u, r, begin, length, out);
  });
}

template <class S>
void dots(std::span<const Matrix<S>* const> us, const Matrix<S>& v, std::span<RealOf<S>> out) {
  using Part = std::array<RealOf<S>, list_part>;
  const Index size = v.size() * reals_per_entry<S>;
  for_each_part_of_list(us.size(), list_part, [&](std::size_t first, std::size_t count) {
    const auto part = [&](Index begin, Index length) {
      Part sums;
      const auto here = piece(as_real(v), begin, length);
      for (std::size_t k = 0; k < count; ++k) {
        sums[k] = piece(as_real(*us[first + k]), begin, length).dot(here);
      }
      return sums;
    };
    const auto sums = out.subspan(first, count);
    std::fill(sums.begin(), sums.end(), RealOf<S>(0));
    add_chunks<list_chunk>(size, list_chunks_worth_threads(count), part, [&](const Part& more) {
      for (std::size_t k = 0; k < count; ++k) sums[k] += more[k];
    });
  });
}

template <class S>
void axpys(std::span<const RealOf<S>> a, std::span<const Matrix<S>* const> us, Matrix<S>& v) {
  const Index size = v.size() * reals_per_entry<S>;
  projfgd::for_each_chunk(size, list_chunk, list_chunks_worth_threads(us.size()),
                          [&](Index, Index begin, Index length) {
                            auto here = piece(as_real(v), begin, length);
                            for (std::size_t k = 0; k < us.size(); ++k) {
                              here += a[k] * piece(as_real(*us[k]), begin, length);
                            }
                          });
}

template <class S>
void combine(std::span<const RealOf<S>> a, std::span<const Matrix<S>* const> us, Matrix<S>& out) {
  out.resize(us[0]->rows(), us[0]->cols());
  const Index size = out.size() * reals_per_entry<S>;
  projfgd::for_each_chunk(size, list_chunk, list_chunks_worth_threads(us.size()),
                          [&](Index, Index begin, Index length) {
                            auto here = piece(as_real(out), begin, length);
                            here = a[0] * piece(as_real(*us[0]), begin, length);
                            for (std::size_t k = 1; k < us.size(); ++k) {
                              here += a[k] * piece(as_real(*us[k]), begin, length);
                            }
                          });
}

#define PROJFGD_INSTANTIATE_ALGEBRA(S, C)                                                         \
  template RealOf<S> dot(const Eigen::Matrix<S, Eigen::Dynamic, C>&,                              \
                         const Eigen::Matrix<S, Eigen::Dynamic, C>&);                             \
  template void axpy(std::type_identity_t<RealOf<S>>, const Eigen::Matrix<S, Eigen::Dynamic, C>&, \
                     Eigen::Matrix<S, Eigen::Dynamic, C>&);                                       \
  template void scale(std::type_identity_t<RealOf<S>>, Eigen::Matrix<S, Eigen::Dynamic, C>&);     \
  template void subtract(const Eigen::Matrix<S, Eigen::Dynamic, C>&,                              \
                         const Eigen::Matrix<S, Eigen::Dynamic, C>&,                              \
                         Eigen::Matrix<S, Eigen::Dynamic, C>&);                                   \
  template RealOf<S> norm(const Eigen::Matrix<S, Eigen::Dynamic, C>&);                            \
  template bool all_finite(const Eigen::Matrix<S, Eigen::Dynamic, C>&);

#define PROJFGD_INSTANTIATE_SCALAR(S)                                                            \
  PROJFGD_INSTANTIATE_ALGEBRA(S, Eigen::Dynamic)                                                 \
  PROJFGD_INSTANTIATE_ALGEBRA(S, 1)                                                              \
  template void dots(std::span<const Matrix<S>* const>, const Matrix<S>&, std::span<RealOf<S>>); \
  template void axpys<S>(std::span<const RealOf<S>>, std::span<const Matrix<S>* const>,          \
                         Matrix<S>&);                                                            \
  template void combine<S>(std::span<const RealOf<S>>, std::span<const Matrix<S>* const>,        \
                           Matrix<S>&);                                                          \
  template Matrix<S> gram(const Matrix<S>&, const Matrix<S>&);                                   \
  template void multiply(const Matrix<S>&, const Matrix<S>&, Matrix<S>&);

PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)

}  // namespace projfgd
