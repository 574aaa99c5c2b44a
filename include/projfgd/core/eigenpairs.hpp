// Extreme eigenpairs of a Hermitian map, by its products with blocks of vectors.
//
// A block Rayleigh-Ritz method with thick restarts: the basis grows by the residuals of the wanted
// Ritz pairs, as in block Lanczos, and is orthogonalised in full. Products with blocks are what our
// operators do best, and complex Hermitian maps need no special care.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/random.hpp"

namespace projfgd {

struct EigenOptions {
  double tolerance = 1e-3;  ///< on ||M v - theta v|| / |theta_max| for every wanted pair, > 0
  Index max_products = 60;  ///< blocks multiplied at most, >= 1
  Index max_basis = 24;     ///< blocks kept before a restart, >= 3
  std::uint64_t seed = 1;
  /// Besides the tolerance: whether the leading pair will do, from its value and its residual.
  std::function<bool(double value, double residual)> enough = {};
  std::function<bool()> go_on = {};  ///< asked after each product; false ends with what there is
};

template <class S>
struct Eigenpairs {
  Vector<RealOf<S>> values;  ///< descending
  Matrix<S> vectors;         ///< orthonormal columns
  RealOf<S> residual = 0;    ///< largest ||M v - theta v|| among them
  Index products = 0;        ///< blocks multiplied
};

/// Makes the columns of u an orthonormal basis of their span, as many as its numerical rank.
template <class S>
void orthonormalise(Matrix<S>& u);

template <class S>
Matrix<S> orthonormal_basis(Matrix<S> u) {
  orthonormalise(u);
  return u;
}

/// The method with the memory it works in: for one map after another of the same size it takes
/// nothing from the heap that grows with the rows, unless directions vanish on the way.
template <class S>
class LargestEigenpairs {
 public:
  /// The `count` algebraically largest eigenvalues of the map and their vectors, until the next
  /// call. `guess` may hold columns near the wanted space, such as the answer for a nearby map; a
  /// random column goes with them, for a guess may be an exact eigenvector that is not wanted.
  template <HermitianMap M>
  Eigenpairs<S>& operator()(const M& map, Index count, const EigenOptions& options = {},
                            const Matrix<S>* guess = nullptr) {
    find(
        map.rows(), [&map](const Matrix<S>& v, Matrix<S>& g) { map.times(v, g); }, count, options,
        guess);
    return found_;
  }

 private:
  /// Compiled once for each scalar; `times` is the product g = M v.
  void find(Index rows, const std::function<void(const Matrix<S>&, Matrix<S>&)>& times, Index count,
            const EigenOptions& options, const Matrix<S>* guess);

  struct Block {
    Matrix<S> vectors, image;
  };
  Block start_, next_;        ///< those of the first product, and of the others
  Matrix<S> basis_, image_;   ///< all of them so far; what they have room for is kept
  Matrix<S> small_;           ///< basis^H image
  Matrix<S> ritz_, product_;  ///< Ritz vectors; room for a product
  Matrix<S> kept_;            ///< at a restart
  Vector<S> column_;          ///< of a guess
  Eigenpairs<S> found_;
};

/// The same once.
template <HermitianMap M>
auto largest_eigenpairs(const M& map, Index count, const EigenOptions& options = {},
                        const typename M::Factor* guess = nullptr) {
  LargestEigenpairs<typename M::Factor::Scalar> solver;
  return std::move(solver(map, count, options, guess));
}

/// x -> -M x, for the lowest eigenpairs.
template <HermitianMap M>
struct Negated {
  using Factor = typename M::Factor;
  const M& map;
  Index rows() const { return map.rows(); }
  void times(const Factor& v, Factor& g) const {
    map.times(v, g);
    scale(-1, g);
  }
};

/// ||M||_2, an estimate from below.
template <HermitianMap M>
auto spectral_norm(const M& map, const EigenOptions& options = {}) {
  const auto high = largest_eigenpairs(map, 1, options).values[0];
  const auto low = largest_eigenpairs(Negated<M>{map}, 1, options).values[0];
  return std::max(high, low);
}

}  // namespace projfgd
