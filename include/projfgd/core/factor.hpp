// The factor algebra: everything a solver may do with a factor U (n x r) besides calling an oracle.
// Each function is deterministic whatever the number of threads: sums run over fixed chunks in a
// fixed order. Another kind of factor (on a GPU, say) brings its own overloads of these names;
// tests/support/opaque.hpp is one in a hundred lines.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <type_traits>

namespace projfgd {

using Index = Eigen::Index;

/// Dense column-major matrix: the factor U, or a small r x r matrix.
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

/// A column of numbers: m measurements, or eigenvalues.
template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

/// The real type below a scalar or below the entries of a matrix.
template <class T>
struct RealTraits {
  using type = typename Eigen::NumTraits<T>::Real;
};
template <class T>
requires requires { typename T::Scalar; }
struct RealTraits<T> {
  using type = typename Eigen::NumTraits<typename T::Scalar>::Real;
};
template <class T>
using RealOf = typename RealTraits<T>::type;

template <class Scalar>
inline constexpr bool is_complex = Eigen::NumTraits<Scalar>::IsComplex;

/// Re tr(U^H V), the inner product of the real vector space that holds the factors.
template <class S, int C>
RealOf<S> dot(const Eigen::Matrix<S, Eigen::Dynamic, C>& u,
              const Eigen::Matrix<S, Eigen::Dynamic, C>& v);

/// y += a x
template <class S, int C>
void axpy(std::type_identity_t<RealOf<S>> a, const Eigen::Matrix<S, Eigen::Dynamic, C>& x,
          Eigen::Matrix<S, Eigen::Dynamic, C>& y);

/// x *= a
template <class S, int C>
void scale(std::type_identity_t<RealOf<S>> a, Eigen::Matrix<S, Eigen::Dynamic, C>& x);

/// out = x - y
template <class S, int C>
void subtract(const Eigen::Matrix<S, Eigen::Dynamic, C>& x,
              const Eigen::Matrix<S, Eigen::Dynamic, C>& y,
              Eigen::Matrix<S, Eigen::Dynamic, C>& out);

/// ||U||_F
template <class S, int C>
RealOf<S> norm(const Eigen::Matrix<S, Eigen::Dynamic, C>& u);

/// True when no entry is infinite or not a number.
template <class S, int C>
bool all_finite(const Eigen::Matrix<S, Eigen::Dynamic, C>& u);

/// U^H V, small.
template <class S>
Matrix<S> gram(const Matrix<S>& u, const Matrix<S>& v);

/// out = U R for a small R; out must not be U.
template <class S>
void multiply(const Matrix<S>& u, const Matrix<S>& r, Matrix<S>& out);

/// out = 0 of that size.
template <class S>
void set_zero(Index rows, Index cols, Matrix<S>& out) {
  out.setZero(rows, cols);
}

/// Copies between a factor, wherever it lives, and the host's memory.
template <class S>
const Matrix<S>& copy_to_host(const Matrix<S>& u) {
  return u;
}
template <class S>
void copy_from_host(const Matrix<S>& host, Matrix<S>& u) {
  u = host;
}

}  // namespace projfgd
