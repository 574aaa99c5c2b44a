// The inner loops of PauliOperator, chosen at run time for the processor at hand.
//
// Rows are cut in blocks of block_rows<T>() = (vectors in a block) x (lanes in a vector), so the
// bits of a row index j are (block, vector, lane) and j ^ x permutes blocks, vectors and lanes
// separately: every load is a whole vector, and (-1)^{z.j} is a product of three signs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "projfgd/core/buffer_pool.hpp"
#include "projfgd/operators/pauli.hpp"

namespace projfgd::pauli {

/// A factor with its real and imaginary parts apart: block by block, column by column.
template <class T>
struct Planes {
  const T* data;
  std::size_t columns;
};

template <class T>
std::size_t block_rows();

/// Groups whose x differ in fewer than this many lowest values share loads; keep them together.
inline constexpr std::size_t largest_team = 8;

/// y[place] = scale Re tr(P L R^H) for the strings of the groups [first, last), which agree in the
/// block bits of x. L and R must be exchangeable: sum_c conj(R[j^x]) L[j] has to be Hermitian in j.
/// chunk blocks, a power of two, are transformed together where a group has many strings.
template <class T>
void forward_batch(const PauliGroups& strings, std::size_t first, std::size_t last,
                   std::size_t blocks, std::size_t chunk, const Planes<T>& left,
                   const Planes<T>& right, T scale, T* y, BufferPool<T>& work_space);

/// out = the blocks [begin, begin + chunk) of (sum_s c_s P_s) V, as planes; c in the order of the
/// groups.
template <class T>
void adjoint_chunk(const PauliGroups& strings, const T* c, const Planes<T>& v, std::size_t begin,
                   std::size_t chunk, T* out, BufferPool<T>& work_space);

}  // namespace projfgd::pauli
