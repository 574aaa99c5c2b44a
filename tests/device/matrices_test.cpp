// The operators of matrix problems on a device beside those of the host.
#include "projfgd/device/matrices.hpp"

#include <gtest/gtest.h>

#include "projfgd/device/hosted.hpp"
#include "support/device_agreement.hpp"
#include "support/device_memory.hpp"
#include "support/matrix_operators.hpp"

namespace projfgd::test {
namespace {

template <template <class> class Away, template <class> class Here, class S>
struct There {
  using Operator = HostedOperator<Away<S>>;
  static Operator make(std::uint64_t seed) { return Operator(Away<S>(Here<S>::make(seed))); }
};
template <class S>
using DenseThere = There<DeviceDenseOperator, MakeDense, S>;
template <class S>
using RankOneThere = There<DeviceRankOneOperator, MakeRankOne, S>;
template <class S>
using EntriesThere = There<DeviceEntriesOperator, MakeEntries, S>;
INSTANTIATE_TYPED_TEST_SUITE_P(DeviceDense, OperatorConformance, AllScalars<DenseThere>);
INSTANTIATE_TYPED_TEST_SUITE_P(DeviceRankOne, OperatorConformance, AllScalars<RankOneThere>);
INSTANTIATE_TYPED_TEST_SUITE_P(DeviceEntries, OperatorConformance, AllScalars<EntriesThere>);

/// Several strips of columns, and numbers of columns that do not fill the last.
constexpr Index some_columns[] = {1, 3, 4, 11};

template <template <class> class Away, class Host>
void expect_the_same(const Host& host) {
  using S = typename Host::Factor::Scalar;
  const HostedOperator away{Away<S>(host)};
  for (const Index columns : some_columns) expect_agreement(host, away, columns);
}

TEST(DeviceMatrices, ProductsAgreeWithTheHost) {
  const auto check = [](auto scalar) {
    using S = decltype(scalar);
    expect_the_same<DeviceDenseOperator>(MakeDense<S>::make(1));
    expect_the_same<DeviceRankOneOperator>(MakeRankOne<S>::make(1));
    expect_the_same<DeviceEntriesOperator>(MakeEntries<S>::make(1));
  };
  check(double{});
  check(std::complex<double>{});
}

/// Few measurements of a large matrix, and many of a small one, go in shares.
TEST(DeviceMatrices, FewAndManyMeasurementsAgreeWithTheHost) {
  using S = std::complex<double>;
  for (const auto& [count, n] : {std::pair<Index, Index>{1, 1}, {2, 3000}, {5000, 2}, {40, 33}}) {
    expect_the_same<DeviceRankOneOperator>(RankOneOperator<S>(random_factor<S>(count, n, 4)));
  }
  std::vector<Matrix<S>> one{random_hermitian<S>(90, 3)}, many;
  for (std::uint64_t k = 0; k < 900; ++k) many.push_back(random_hermitian<S>(2, k));
  expect_the_same<DeviceDenseOperator>(DenseOperator<S>(one));
  expect_the_same<DeviceDenseOperator>(DenseOperator<S>(many));
}

/// Places on the diagonal, below it, listed twice, a row that has all of them, and rows without
/// any.
TEST(DeviceMatrices, OddPlacesAgreeWithTheHost) {
  const auto check = [](auto scalar) {
    using S = decltype(scalar);
    std::vector<typename EntriesOperator<S>::Place> places{{3, 5}, {5, 3}, {7, 7}, {3, 5}, {0, 11}};
    for (std::int32_t k = 0; k < 100; ++k) places.push_back({9, k % 12});
    expect_the_same<DeviceEntriesOperator>(EntriesOperator<S>(200, places));
    expect_the_same<DeviceEntriesOperator>(EntriesOperator<S>(1, {{0, 0}}));
  };
  check(double{});
  check(std::complex<double>{});
}

template <template <class> class Away, class Host>
void expect_enough(const Host& host) {
  using S = typename Host::Factor::Scalar;
  for (const Index columns : some_columns) {
    most_device_memory();
    {
      const HostedOperator op{Away<S>(host)};
      const Matrix<S> u = random_factor<S>(op.rows(), columns, 1);
      Vector<RealOf<S>> y;
      Matrix<S> g;
      op.forward(u, y);
      op.forward(u, u, y);
      op.adjoint_times(y, u, g);
    }
    EXPECT_LE(static_cast<double>(most_device_memory()), Away<S>::bytes(host, columns))
        << host.rows() << " rows, " << host.measurements() << " measurements, " << columns
        << " columns";
  }
}

TEST(DeviceMatrices, TheEstimateOfTheMemoryIsNeverTooSmall) {
  const auto check = [](auto scalar) {
    using S = decltype(scalar);
    expect_enough<DeviceDenseOperator>(MakeDense<S>::make(1));
    expect_enough<DeviceRankOneOperator>(MakeRankOne<S>::make(1));
    expect_enough<DeviceEntriesOperator>(MakeEntries<S>::make(1));
  };
  check(float{});
  check(std::complex<double>{});
}

}  // namespace
}  // namespace projfgd::test
