// Extreme eigenpairs of a Hermitian map, by its products with blocks of vectors.
//
// A block Rayleigh-Ritz method with thick restarts: the basis grows by the residuals of the wanted
// Ritz pairs, as in block Lanczos, and is orthogonalised in full. Products with blocks are what our
// operators do best, and complex Hermitian maps need no special care. The basis is a list of
// blocks, each a factor, so that it lives where the map's vectors do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "projfgd/concepts.hpp"
#include "projfgd/core/factor_lists.hpp"
#include "projfgd/core/orthonormal.hpp"
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

template <Factor F>
struct Eigenpairs {
  Vector<RealOf<F>> values;  ///< descending
  F vectors;                 ///< orthonormal columns
  RealOf<F> residual = 0;    ///< largest ||M v - theta v|| among them
  Index products = 0;        ///< blocks multiplied
};

/// The method with the memory it works in: for one map after another of the same size it takes
/// nothing from the heap that grows with the rows, unless directions vanish on the way.
template <Factor F>
class LargestEigenpairs {
 public:
  using S = typename F::Scalar;
  using Real = RealOf<F>;

  /// The `count` algebraically largest eigenvalues of the map and their vectors, until the next
  /// call. `guess` may hold columns near the wanted space, such as the answer for a nearby map; a
  /// random column goes with them, for a guess may be an exact eigenvector that is not wanted.
  template <HermitianMap M>
  requires std::same_as<typename M::Factor, F> Eigenpairs<F>
  &operator()(const M& map, Index count, const EigenOptions& options = {},
              const F* guess = nullptr) {
    find(
        map.rows(), [&map](const F& v, F& g) { map.times(v, g); }, count, options, guess);
    return found_;
  }

 private:
  using Product = std::function<void(const F& v, F& g)>;

  /// Compiled once for each kind of factor; `times` is the product g = M v.
  void find(Index rows, const Product& times, Index count, const EigenOptions& options,
            const F* guess);

  /// Sizes of one search, in columns.
  struct Plan {
    Index rows, count;
    Index block = 0;     ///< Ritz pairs that are followed: the wanted ones and a few more
    Index first = 0;     ///< of the first block
    Index capacity = 0;  ///< of the basis
  };
  static Plan plan(Index rows, Index count, Index max_basis, Index known);

  /// The first block: the guess, and random columns.
  void begin(const Plan& plan, const EigenOptions& options, const F* guess, Index known);
  /// Adds the block that was prepared and its image to the basis.
  void grow(const Product& times);
  /// The leading Ritz pairs of the basis; the residuals become the next block.
  void rayleigh_ritz(const Plan& plan);
  /// Keeps the span of the leading Ritz vectors alone.
  void restart(Index keep);
  /// Orthonormalises the prepared block, whose gram() is known, against the basis and within
  /// itself, twice over; directions that vanish are dropped.
  void orthonormalise_next(const Matrix<S>& next_gram);

  struct Block {
    F vectors, image;
    Index begin = 0;  ///< its first column in the basis
  };
  /// out += basis y, or image y.
  void add(F Block::*part, const Matrix<S>& y, F& out);
  FactorList<F> list(F Block::*part);

  /// A factor with that many columns among those that are not in use, or an empty one.
  F take(Index columns);
  void put(F used) { shelf_.push_back(std::move(used)); }

  std::vector<Block> basis_;
  Index width_ = 0;  ///< columns of the basis
  F next_;           ///< the block that is prepared
  F ritz_;
  Matrix<S> small_;      ///< basis^H image, of which the lower triangle is right
  Matrix<S> residuals_;  ///< gram() of those that rayleigh_ritz() found
  HermitianEigen<S> eigen_;
  Vector<Real> theta_;
  std::vector<F> shelf_;
  std::vector<const F*> list_;
  Eigenpairs<F> found_;
};

template <Factor F>
F LargestEigenpairs<F>::take(Index columns) {
  const auto fits = std::ranges::find(shelf_, columns, [](const F& f) { return f.cols(); });
  if (fits == shelf_.end()) return {};
  F found = std::move(*fits);
  shelf_.erase(fits);
  return found;
}

template <Factor F>
typename LargestEigenpairs<F>::Plan LargestEigenpairs<F>::plan(Index rows, Index count,
                                                               Index max_basis, Index known) {
  Plan p{rows, std::min(count, rows)};
  p.block = std::min(rows, p.count + std::min<Index>(p.count - 1, 4));
  p.first = std::max(p.block, known > 0 ? known + 1 : 0);
  p.capacity =
      std::min(rows, std::max<Index>({p.block * 3, max_basis * p.count, p.first + 2 * p.block}));
  return p;
}

template <Factor F>
void LargestEigenpairs<F>::begin(const Plan& plan, const EigenOptions& options, const F* guess,
                                 Index known) {
  for (Block& block : basis_) {
    put(std::move(block.vectors));
    put(std::move(block.image));
  }
  basis_.clear();
  width_ = 0;
  if (small_.rows() < plan.capacity) small_.resize(plan.capacity, plan.capacity);
  next_ = take(plan.first);
  if (plan.first == plan.rows) {  // any basis of the whole space will do
    copy_from_host(Matrix<S>(Matrix<S>::Identity(plan.rows, plan.rows)), next_);
    return;
  }
  set_normal(RandomStream(options.seed, 0xE16E), plan.rows, plan.first, next_);
  if (known > 0) {
    // Columns of unit length, the guess in place of the first random ones.
    const auto unit = [&](const F& u, Index from, Index to) {
      const Matrix<S> products = gram(u, u);
      Matrix<S> scales = Matrix<S>::Zero(u.cols(), plan.first);
      for (Index c = from; c < to; ++c) {
        const Real size = std::sqrt(std::real(products(c, c)));
        if (size > 0) scales(c, c) = 1 / size;
      }
      return scales;
    };
    F placed = take(plan.first);
    multiply(next_, unit(next_, known, plan.first), placed);
    multiply(*guess, unit(*guess, 0, known), next_);
    axpy(1, placed, next_);
    put(std::move(placed));
  }
  orthonormalise_next(gram(next_, next_));
}

template <Factor F>
void LargestEigenpairs<F>::grow(const Product& times) {
  const Index added = next_.cols();
  Block fresh{std::move(next_), take(added), width_};
  times(fresh.vectors, fresh.image);
  basis_.push_back(std::move(fresh));
  small_.block(width_, 0, added, width_ + added) =
      gram_of_list(list(&Block::image), basis_.back().vectors).adjoint();
  width_ += added;
  ++found_.products;
}

template <Factor F>
FactorList<F> LargestEigenpairs<F>::list(F Block::*part) {
  list_.clear();
  for (const Block& block : basis_) list_.push_back(&(block.*part));
  return list_;
}

template <Factor F>
void LargestEigenpairs<F>::add(F Block::*part, const Matrix<S>& y, F& out) {
  F product = take(y.cols());
  add_products(list(part), y, out, product);
  put(std::move(product));
}

template <Factor F>
void LargestEigenpairs<F>::rayleigh_ritz(const Plan& plan) {
  eigen_ = hermitian_eigen<S>(small_.topLeftCorner(width_, width_));
  const Index followed = std::min(plan.block, width_);
  const Matrix<S> y = eigen_.vectors.rightCols(followed).rowwise().reverse();
  theta_ = eigen_.values.tail(followed).reverse();
  next_ = take(followed);
  set_zero(plan.rows, followed, ritz_);
  add(&Block::vectors, y, ritz_);
  multiply(ritz_, Matrix<S>((-theta_).template cast<S>().asDiagonal()), next_);
  add(&Block::image, y, next_);
  const Index number = std::min(plan.count, followed);
  residuals_ = gram(next_, next_);
  found_.residual = longest_column<S>(residuals_.topLeftCorner(number, number));
  found_.values = theta_.head(number);
}

template <Factor F>
void LargestEigenpairs<F>::restart(Index keep) {
  const Matrix<S> best = eigen_.vectors.rightCols(keep);
  Block kept{take(keep), take(keep), 0};
  const Index rows = ritz_.rows();
  set_zero(rows, keep, kept.vectors);
  set_zero(rows, keep, kept.image);
  add(&Block::vectors, best, kept.vectors);
  add(&Block::image, best, kept.image);
  for (Block& block : basis_) {
    put(std::move(block.vectors));
    put(std::move(block.image));
  }
  basis_.clear();
  basis_.push_back(std::move(kept));
  small_.topLeftCorner(keep, keep).setZero();
  small_.diagonal().head(keep) = eigen_.values.tail(keep).template cast<S>();
  width_ = keep;
}

template <Factor F>
void LargestEigenpairs<F>::orthonormalise_next(const Matrix<S>& next_gram) {
  Real shortest = lost_beside(longest_column<S>(next_gram));
  for (int pass = 0; pass < 2 && next_.cols() > 0; ++pass) {
    if (!basis_.empty()) {
      const Matrix<S> along = gram_of_list(list(&Block::vectors), next_);
      add(&Block::vectors, Matrix<S>(-along), next_);
    }
    F basis = take(next_.cols());
    multiply(next_, orthonormalising<S>(gram(next_, next_), shortest), basis);
    std::swap(next_, basis);
    put(std::move(basis));
    shortest = lost_beside(Real(1));
  }
}

template <Factor F>
void LargestEigenpairs<F>::find(Index rows, const Product& times, Index count,
                                const EigenOptions& options, const F* guess) {
  // Residuals are not below rounding, whatever is asked for.
  const Real tolerance =
      std::max(Real(options.tolerance), 10 * std::numeric_limits<Real>::epsilon());
  const Index known = guess == nullptr ? 0 : std::min(guess->cols(), rows - 1);
  const Plan sizes = plan(rows, count, options.max_basis, known);
  found_.products = 0;
  begin(sizes, options, guess, known);
  while (true) {
    grow(times);
    rayleigh_ritz(sizes);
    const Real largest = eigen_.values.cwiseAbs().maxCoeff();
    const bool done = found_.residual <= tolerance * largest || width_ == rows ||
                      (options.enough && options.enough(theta_[0], found_.residual)) ||
                      found_.products >= options.max_products ||
                      (options.go_on && !options.go_on());
    if (!done) orthonormalise_next(residuals_);
    if (done || next_.cols() == 0) break;
    const Index more = next_.cols();
    if (width_ + more > sizes.capacity) {  // from the best half
      restart(std::min(width_, std::max(sizes.block, (sizes.capacity - more) / 2)));
    }
  }
  put(std::move(next_));
  const Index number = found_.values.size();
  multiply(ritz_, Matrix<S>(Matrix<S>::Identity(ritz_.cols(), number)), found_.vectors);
}

extern template class LargestEigenpairs<Matrix<float>>;
extern template class LargestEigenpairs<Matrix<double>>;
extern template class LargestEigenpairs<Matrix<std::complex<float>>>;
extern template class LargestEigenpairs<Matrix<std::complex<double>>>;

/// A single search, with memory of its own.
template <HermitianMap M>
auto largest_eigenpairs(const M& map, Index count, const EigenOptions& options = {},
                        const typename M::Factor* guess = nullptr) {
  LargestEigenpairs<typename M::Factor> solver;
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
