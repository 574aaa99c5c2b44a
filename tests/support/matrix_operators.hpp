// Operators of matrix problems by chance, as the conformance suite wants them.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "projfgd/operators/dense.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/operators/rank_one.hpp"
#include "support/operator_conformance.hpp"

namespace projfgd::test {

template <class S>
struct MakeDense {
  using Operator = DenseOperator<S>;
  static Operator make(std::uint64_t seed) {
    std::vector<Matrix<S>> matrices;
    for (std::uint64_t i = 0; i < 33 + seed; ++i) {
      matrices.push_back(random_hermitian<S>(24, 1000 * seed + i));
    }
    return Operator(matrices);
  }
};

template <class S>
struct MakeRankOne {
  using Operator = RankOneOperator<S>;
  static Operator make(std::uint64_t seed) {
    // Two chunks of rows, two of columns. Eigen takes the heap for products as large as that.
    const Index n = seed == case_for_heap ? 20 : 260;
    return Operator(random_factor<S>(520 + static_cast<Index>(seed), n, seed));
  }
};

template <class S>
struct MakeEntries {
  using Operator = EntriesOperator<S>;
  static Operator make(std::uint64_t seed) {
    const Index n = 130 + static_cast<Index>(seed);
    const RandomStream random(seed, 5);
    std::vector<typename Operator::Place> places;
    for (std::int32_t i = 0; i < n; i += 3) places.push_back({i, i});
    for (int k = 0; k < 5000; ++k) {
      places.push_back({static_cast<std::int32_t>(random.below(n, 2 * k)),
                        static_cast<std::int32_t>(random.below(n, 2 * k + 1))});
    }
    return Operator(n, places);
  }
};

template <template <class> class Maker>
using AllScalars = ::testing::Types<Maker<float>, Maker<double>, Maker<std::complex<float>>,
                                    Maker<std::complex<double>>>;

}  // namespace projfgd::test
