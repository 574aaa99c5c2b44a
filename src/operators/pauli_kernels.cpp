#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operators/pauli_kernels.cpp"
// Arrays of vectors need a fixed size.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "operators/pauli_adjoint-inl.hpp"
#include "operators/pauli_forward-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace projfgd::pauli::HWY_NAMESPACE {

#define PROJFGD_PAULI_KERNELS(T, Name)                                                           \
  std::size_t BlockRows##Name() { return Shape<T>::rows; }                                       \
  void Forward##Name(const PauliGroups& strings, std::size_t first, std::size_t last,            \
                     std::size_t blocks, std::size_t chunk, const Planes<T>& left,               \
                     const Planes<T>& right, T scale, T* y, BufferPool<T>& work_space) {         \
    ForwardBatch<T>(strings, first, last, chunk, left, right, work_space).run(blocks, scale, y); \
  }                                                                                              \
  void Adjoint##Name(const PauliGroups& strings, const T* c, const Planes<T>& v,                 \
                     std::size_t begin, std::size_t chunk, T* out, BufferPool<T>& work_space) {  \
    AdjointChunk<T>(strings, c, v, begin, chunk, out, work_space).run();                         \
  }

PROJFGD_PAULI_KERNELS(float, Float)
PROJFGD_PAULI_KERNELS(double, Double)
#undef PROJFGD_PAULI_KERNELS

}  // namespace projfgd::pauli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace projfgd::pauli {

#define PROJFGD_PAULI_DISPATCH(T, Name)                                                         \
  HWY_EXPORT(BlockRows##Name);                                                                  \
  HWY_EXPORT(Forward##Name);                                                                    \
  HWY_EXPORT(Adjoint##Name);                                                                    \
  template <>                                                                                   \
  std::size_t block_rows<T>() {                                                                 \
    return HWY_DYNAMIC_DISPATCH(BlockRows##Name)();                                             \
  }                                                                                             \
  template <>                                                                                   \
  void forward_batch(const PauliGroups& strings, std::size_t first, std::size_t last,           \
                     std::size_t blocks, std::size_t chunk, const Planes<T>& left,              \
                     const Planes<T>& right, T scale, T* y, BufferPool<T>& work_space) {        \
    HWY_DYNAMIC_DISPATCH(Forward##Name)                                                         \
    (strings, first, last, blocks, chunk, left, right, scale, y, work_space);                   \
  }                                                                                             \
  template <>                                                                                   \
  void adjoint_chunk(const PauliGroups& strings, const T* c, const Planes<T>& v,                \
                     std::size_t begin, std::size_t chunk, T* out, BufferPool<T>& work_space) { \
    HWY_DYNAMIC_DISPATCH(Adjoint##Name)(strings, c, v, begin, chunk, out, work_space);          \
  }

PROJFGD_PAULI_DISPATCH(float, Float)
PROJFGD_PAULI_DISPATCH(double, Double)

}  // namespace projfgd::pauli
#endif
