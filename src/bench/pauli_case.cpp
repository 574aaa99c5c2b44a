#include <algorithm>

#include "bench/sections.hpp"
#include "projfgd/core/random.hpp"

namespace projfgd::bench {

std::vector<PauliString> random_paulis(int qubits, Index count, std::uint64_t seed) {
  const RandomStream random(seed, 0xBE);
  const std::uint64_t mask = (std::uint64_t{1} << qubits) - 1;
  std::vector<PauliString> strings;
  for (Index i = 0; i < count; ++i) {
    const std::uint64_t bits = random.bits(static_cast<std::uint64_t>(i));
    strings.push_back(
        {static_cast<std::uint32_t>(bits & mask), static_cast<std::uint32_t>(bits >> 32 & mask)});
  }
  return strings;
}

template <class T>
PauliCase<T>::PauliCase(int qubits, Index rank, double samples, std::uint64_t seed)
    : PauliCase(qubits, rank, static_cast<Index>(samples * static_cast<double>(rank << qubits)),
                seed) {}

template <class T>
PauliCase<T>::PauliCase(int qubits, Index rank, Index strings, std::uint64_t seed)
    : strings_(random_paulis(qubits, strings, seed)),
      op_(qubits, strings_, T(1)),
      u_(op_.rows(), rank) {
  fill_normal(RandomStream(seed, 0xBF), u_);
  Matrix<T> w(op_.measurements(), 1);
  fill_normal(RandomStream(seed, 0xC0), w);
  w_ = w.col(0);
}

template class PauliCase<float>;
template class PauliCase<double>;

const char* const operation_formula =
    "with k_0, k_1 strings of even and odd |x & z| in a group, over all groups: forward n/2 sum_p "
    "[(4r - 1) + min(k_p, log2 n/2)], adjoint n/2 sum_p [8r + min(k_p, log2 n/2)], p over parities "
    "with k_p > 0; a multiply-add counts two; the FMA loop is counted the same way";

Operations operations(const PauliGroups& groups, int qubits, Index rank) {
  Operations total;
  const double half = static_cast<double>(Index{1} << qubits) / 2, r = static_cast<double>(rank);
  for (std::size_t g = 0; g < groups.groups.size(); ++g) {
    const auto& group = groups.groups[g];
    for (const std::uint32_t k : {group.odd - groups.begin(g), group.end - group.odd}) {
      if (k == 0) continue;
      const double sums = std::min<double>(k, std::max(1, qubits - 1));
      total.forward += half * (4 * r - 1 + sums);
      total.adjoint += half * (8 * r + sums);
    }
  }
  return total;
}

}  // namespace projfgd::bench
