#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operators/pauli_kernels.cpp"
// Arrays of vectors need a fixed size.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "operators/pauli_kernels-inl.hpp"

#if HWY_ONCE
#include <hwy/aligned_allocator.h>

namespace projfgd::pauli {

HWY_EXPORT(BlockRowsFloat);
HWY_EXPORT(BlockRowsDouble);
HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(AdjointFloat);
HWY_EXPORT(AdjointDouble);

#define PROJFGD_PAULI_DISPATCH(T, Name)                                                          \
  template <>                                                                                    \
  std::size_t block_rows<T>() {                                                                  \
    return HWY_DYNAMIC_DISPATCH(BlockRows##Name)();                                              \
  }                                                                                              \
  template <>                                                                                    \
  void forward_batch(const PauliGroups& strings, std::size_t first, std::size_t last,            \
                     std::size_t blocks, const Planes<T>& left, const Planes<T>& right, T scale, \
                     T* y) {                                                                     \
    HWY_DYNAMIC_DISPATCH(Forward##Name)                                                          \
    (strings, first, last, blocks, left, right, scale, y);                                       \
  }                                                                                              \
  template <>                                                                                    \
  void adjoint_block(const PauliGroups& strings, const T* c, const Planes<T>& v,                 \
                     std::size_t block, T* out) {                                                \
    HWY_DYNAMIC_DISPATCH(Adjoint##Name)(strings, c, v, block, out);                              \
  }

PROJFGD_PAULI_DISPATCH(float, Float)
PROJFGD_PAULI_DISPATCH(double, Double)

}  // namespace projfgd::pauli
#endif
