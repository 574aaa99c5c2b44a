// Products of complex matrices, compiled once for every instruction set and chosen at run time: the
// library is compiled for the oldest processors, and so is Eigen in it.
#pragma once

#include <complex>
#include <cstddef>

namespace projfgd::products {

/// A factor of a product: entry (i, j) is data[i down + j right], or its conjugate.
template <class R>
struct Operand {
  const std::complex<R>* data;
  std::size_t down, right;
  bool conjugate = false;
};

/// Rows that product() takes at a time.
template <class R>
std::size_t product_rows();

/// out = A B for `rows` rows of A from `first` on, at most product_rows(); column c of out begins
/// at out + c down. `panel` has room for 2 inner product_rows() numbers.
template <class R>
void product(std::size_t first, std::size_t rows, std::size_t inner, std::size_t columns,
             const Operand<R>& a, const Operand<R>& b, R* panel, std::complex<R>* out,
             std::size_t down);

/// out = A B with all rows of A, by the rows that go together; `out` is stored column by column.
template <class R>
void product_of_all(std::size_t rows, std::size_t inner, std::size_t columns, const Operand<R>& a,
                    const Operand<R>& b, std::complex<R>* out, std::size_t down);

}  // namespace projfgd::products
