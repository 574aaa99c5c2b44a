#include "pauli_transform.hpp"

#include <algorithm>

#include "core/product_kernels.hpp"
#include "projfgd/core/threads.hpp"

namespace projfgd::coordinates {
namespace {

constexpr Index work_worth_threads = Index{1} << 17;  // multiplications: some 50 us of one core

using products::Operand;

std::size_t size_of(Index count) { return static_cast<std::size_t>(count); }

enum class Entries { all, upper };

/// out = A B, with `rows` rows; the rows of a part depend on nothing but their place. Of a
/// Hermitian product the upper triangle will do, and the rest is not all there.
template <class R>
void multiply_into(Index rows, Index inner, Index columns, const Operand<R>& a, const Operand<R>& b,
                   std::complex<R>* out, BufferPool<R>& work_space, Entries entries) {
  const auto height = static_cast<Index>(products::product_rows<R>());
  const Index parts = (rows + height - 1) / height;
  parallel_for_if(4 * rows * inner * columns > work_worth_threads, parts, [&](Index part) {
    const auto panel = work_space.lend(2 * inner * height);
    const Index first = part * height, from = entries == Entries::upper ? first : 0;
    const Operand<R> right{b.data + size_of(from) * b.right, b.down, b.right, b.conjugate};
    products::product(size_of(first), size_of(std::min(height, rows - first)), size_of(inner),
                      size_of(columns - from), a, right, panel.get(), out + from * rows,
                      size_of(rows));
  });
}

template <class R>
Operand<R> as_operand(const Matrix<std::complex<R>>& m) {
  return {m.data(), 1, size_of(m.rows())};
}

}  // namespace

template <class R>
PauliTransform<R>::PauliTransform(Index n) : n_(n), place_(size_of(n), 0) {
  for (Index i = 0; i < n; ++i) {
    for (int j = 0; i >> j != 0; ++j) place_[size_of(i)] |= (i >> j & 1) << 2 * j;
  }
}

template <class R>
void PauliTransform<R>::of_product(const Matrix<C>& u, const Matrix<C>& v, R* x) const {
  const Index size = n_ * n_;
  const auto lent = work_space_.lend(3 * size);
  R* const im = lent.get();
  C* const product = reinterpret_cast<C*>(im + size);
  const bool hermitian = &u == &v;
  multiply_into<R>(n_, u.cols(), n_, as_operand<R>(u), {v.data(), size_of(n_), 1, true}, product,
                   work_space_, hermitian ? Entries::upper : Entries::all);
  for (Index column = 0; column < n_; ++column) {
    for (Index row = 0; row <= column; ++row) {
      const C upper = product[row + n_ * column];
      const C entry = hermitian ? upper : (upper + std::conj(product[column + n_ * row])) / R(2);
      const Index above = 2 * place_[size_of(row)] + place_[size_of(column)];
      const Index below = 2 * place_[size_of(column)] + place_[size_of(row)];
      x[above] = x[below] = entry.real();
      im[below] = -entry.imag();
      im[above] = row == column ? R(0) : entry.imag();
    }
  }
  to_coordinates(size_of(size), x, im);
}

template <class R>
void PauliTransform<R>::times(const R* x, const Matrix<C>& v, Matrix<C>& g) const {
  const Index size = n_ * n_;
  const auto lent = work_space_.lend(4 * size);
  R *const re = lent.get(), *const im = re + size;
  std::copy_n(x, size, re);
  std::fill_n(im, size, R(0));
  from_coordinates(size_of(size), re, im);
  C* const matrix = reinterpret_cast<C*>(im + size);
  for (Index column = 0; column < n_; ++column) {
    for (Index row = 0; row < n_; ++row) {
      const Index at = 2 * place_[size_of(row)] + place_[size_of(column)];
      matrix[row + n_ * column] = {re[at], im[at]};
    }
  }
  g.resize(v.rows(), v.cols());
  multiply_into<R>(n_, n_, v.cols(), {matrix, 1, size_of(n_)}, as_operand<R>(v), g.data(),
                   work_space_, Entries::all);
}

template <class R>
double PauliTransform<R>::cost(Index columns) const {
  const auto size = static_cast<double>(n_ * n_);
  double qubits = 0;
  for (Index m = n_; m > 1; m /= 2) ++qubits;
  return size * (4 * static_cast<double>(columns) + 2 * qubits);
}

template <class R>
double PauliTransform<R>::work_space() const {
  return 4 * static_cast<double>(n_ * n_);
}

template <class R>
DenseOutcomes<R>::DenseOutcomes(const std::vector<Setting>& settings,
                                const std::vector<QubitBasis>& bases)
    : tree_(settings,
            std::vector<std::vector<QubitMap<R>>>(settings[0].size(), qubit_maps<R>(bases))),
      transform_(tree_.outcomes()) {}

template <class R>
void DenseOutcomes<R>::forward(const Matrix<std::complex<R>>& u, const Matrix<std::complex<R>>& d,
                               R* p) const {
  const auto x = coordinates_.lend(tree_.size());
  transform_.of_product(u, d, x.get());
  tree_.forward(x.get(), p);
}

template <class R>
void DenseOutcomes<R>::adjoint_times(const R* w, const Matrix<std::complex<R>>& v,
                                     Matrix<std::complex<R>>& g) const {
  const auto x = coordinates_.lend(tree_.size());
  tree_.adjoint(w, x.get());
  transform_.times(x.get(), v, g);
}

template <class R>
double DenseOutcomes<R>::work_space() const {
  return tree_.work_space() + transform_.work_space() + static_cast<double>(tree_.size());
}

#define PROJFGD_INSTANTIATE(R)      \
  template class PauliTransform<R>; \
  template class DenseOutcomes<R>;

PROJFGD_INSTANTIATE(float)
PROJFGD_INSTANTIATE(double)

}  // namespace projfgd::coordinates
