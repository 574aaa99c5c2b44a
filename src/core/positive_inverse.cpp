#include "projfgd/core/positive_inverse.hpp"

#include <Eigen/Cholesky>

namespace projfgd {

// [A B^H; B C]^{-1} by way of the Schur complement C - B A^{-1} B^H, half by half: all but the
// smallest blocks are products, which have a kernel of their own.
template <class S>
Matrix<S> positive_inverse(const Matrix<S>& a) {
  constexpr Index whole = 32;  // rows: their halves would not fill the vectors of a product
  const Index n = a.rows(), half = n / 2, rest = n - half;
  if (n <= whole) return a.llt().solve(Matrix<S>::Identity(n, n));
  const Matrix<S> first = positive_inverse<S>(a.topLeftCorner(half, half));
  const Matrix<S> b = a.bottomLeftCorner(rest, half);
  Matrix<S> along(rest, half), part(rest, rest);  // B A^{-1}, and products with it
  multiply(b, first, along);
  multiply<S>(along, b.adjoint(), part);
  const Matrix<S> last = positive_inverse<S>(a.bottomRightCorner(rest, rest) - part);
  multiply(last, along, part);
  Matrix<S> out(n, n);
  out.topLeftCorner(half, half) = first + gram(along, part);
  out.bottomLeftCorner(rest, half) = -part;
  out.topRightCorner(half, rest) = -part.adjoint();
  out.bottomRightCorner(rest, rest) = last;
  return out;
}

template Matrix<float> positive_inverse(const Matrix<float>&);
template Matrix<double> positive_inverse(const Matrix<double>&);
template Matrix<std::complex<float>> positive_inverse(const Matrix<std::complex<float>>&);
template Matrix<std::complex<double>> positive_inverse(const Matrix<std::complex<double>>&);

}  // namespace projfgd
