#pragma once

#include <cstdint>
#include <vector>

#include "projfgd/core/buffer_pool.hpp"

namespace projfgd {

/// Sampled entries X_ij, for completion. Over the reals measurement k is X_ij of the k-th listed
/// place, A_k = (e_i e_j^T + e_j e_i^T) / 2. Over the complex numbers places give two measurements
/// each, Re X_ij at 2k and Im X_ij at 2k + 1. Memory O(m + n r).
template <class S>
class EntriesOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  struct Place {
    std::int32_t row, column;
  };

  /// InputError unless every place lies in the n x n matrix. A place may be listed twice.
  EntriesOperator(Index n, std::vector<Place> places);

  Index rows() const { return n_; }
  Index measurements() const { return static_cast<Index>(places_.size()) * per_place; }
  const std::vector<Place>& places() const { return places_; }
  /// The positions of the places that touch row i, in touching()[first()[i]] up to
  /// touching()[first()[i + 1]].
  const std::vector<Index>& first() const { return start_; }
  const std::vector<std::int32_t>& touching() const { return touching_; }
  void forward(const Factor& u, Vector<Real>& y) const { forward(u, u, y); }
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

 private:
  static constexpr Index per_place = is_complex<S> ? 2 : 1;

  Index n_;
  std::vector<Place> places_;
  // Each row of an adjoint product is then one sum in one order.
  std::vector<Index> start_;
  std::vector<std::int32_t> touching_;
  mutable BufferPool<S> work_space_;
};

}  // namespace projfgd
