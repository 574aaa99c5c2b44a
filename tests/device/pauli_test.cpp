// The Pauli operator of a device beside that of the host.
#include "projfgd/device/pauli.hpp"

#include <gtest/gtest.h>

#include "projfgd/core/error.hpp"
#include "projfgd/device/hosted.hpp"
#include "projfgd/operators/pauli.hpp"
#include "support/operator_conformance.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

std::vector<PauliString> random_strings(int qubits, Index count, std::uint64_t seed) {
  const RandomStream random(seed, 0xDE);
  const std::uint32_t mask = (1u << qubits) - 1;
  std::vector<PauliString> strings;
  for (Index i = 0; i < count; ++i) {
    const std::uint64_t bits = random.bits(static_cast<std::uint64_t>(i));
    strings.push_back(
        {static_cast<std::uint32_t>(bits) & mask, static_cast<std::uint32_t>(bits >> 32) & mask});
  }
  return strings;
}

template <class S>
struct Maker {
  using Operator = HostedOperator<DevicePauliOperator<S>>;
  static Operator make(std::uint64_t seed) {
    return Operator(DevicePauliOperator<S>(7, random_strings(7, 400, seed), 0.5f));
  }
};
using Makers = testing::Types<Maker<std::complex<float>>, Maker<std::complex<double>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Device, OperatorConformance, Makers);

using S = std::complex<double>;

/// Forward, cross and adjoint products beside the host's. Both sum n^2 numbers of random signs in
/// some order, which rounding leaves equal to 1e-13.
void expect_agreement(int qubits, const std::vector<PauliString>& strings, Index columns) {
  const auto what = ::testing::Message() << qubits << " qubits, " << strings.size() << " strings, "
                                         << columns << " columns";
  const PauliOperator<S> host(qubits, strings, 0.7);
  const HostedOperator away(DevicePauliOperator<S>(qubits, strings, 0.7));
  const Matrix<S> u = random_factor<S>(host.rows(), columns, 5);
  const Matrix<S> d = random_factor<S>(host.rows(), columns, 6);
  const Vector<double> w = random_vector<double>(host.measurements(), 7);
  Vector<double> y, z, again;
  host.forward(u, y);
  away.forward(u, z);
  away.forward(u, again);
  EXPECT_LE((y - z).norm(), 1e-13 * y.norm()) << what;
  EXPECT_TRUE(z == again) << what;
  host.forward(u, d, y);
  away.forward(u, d, z);
  EXPECT_LE((y - z).norm(), 1e-13 * y.norm()) << what;
  Matrix<S> g, h;
  host.adjoint_times(w, u, g);
  away.adjoint_times(w, u, h);
  EXPECT_LE((g - h).norm(), 1e-13 * g.norm()) << what;
}

TEST(DevicePauli, AgreesWithTheHost) {
  for (int qubits = 1; qubits <= 8; ++qubits) {
    for (const Index columns : {1, 2, 3, 20}) {
      expect_agreement(qubits, random_strings(qubits, (Index{3} << qubits) * columns, 1), columns);
    }
  }
  expect_agreement(10, random_strings(10, 300, 2), 1);
}

TEST(DevicePauli, AgreesWithTheHostOnSeveralTilesOfRows) {
  for (int qubits = 9; qubits <= 11; ++qubits) {
    for (const Index strings_a_row : {1, 3, 9}) {
      for (const Index columns : {1, 2}) {
        expect_agreement(qubits, random_strings(qubits, strings_a_row << qubits, 3), columns);
      }
    }
  }
}

TEST(DevicePauli, AgreesWithTheHostWhereManyStringsShareAnX) {
  // More than a list, an item, a chunk and a batch hold, beside x with few strings.
  std::vector<PauliString> strings = random_strings(9, 2000, 4);
  for (std::uint32_t z = 0; z < 300; ++z) strings.push_back({0x0A3, z});
  for (std::uint32_t z = 0; z < 40; ++z) strings.push_back({0x143, 511 - z});
  expect_agreement(9, strings, 1);
  expect_agreement(9, strings, 2);
}

TEST(DevicePauli, AgreesWithTheHostWhereATileHasMoreStringsThanOneBatch) {
  std::vector<PauliString> all;
  for (std::uint32_t z = 0; z < 128; ++z) {
    for (std::uint32_t x = 0; x < 128; ++x) all.push_back({x, z});
  }
  expect_agreement(7, all, 1);
  all.insert(all.end(), all.begin(), all.begin() + 500);  // strings may repeat
  expect_agreement(7, all, 2);
}

TEST(DevicePauli, KnowsTheExpectationsOfAKnownState) {
  // (|000> + |111>) / sqrt 2: XXX = 1, XYY = -1, ZZI = 1, ZII = 0, III = 1.
  std::vector<PauliString> strings;
  for (const char* label : {"XXX", "XYY", "ZZI", "ZII", "III"}) {
    strings.push_back(parse_pauli(label));
  }
  const HostedOperator op(DevicePauliOperator<S>(3, strings, 1));
  Matrix<S> state = Matrix<S>::Zero(8, 1);
  state(0) = state(7) = std::sqrt(0.5);
  Vector<double> y, expected(5);
  expected << 1, -1, 1, 0, 1;
  op.forward(state, y);
  EXPECT_LE((y - expected).cwiseAbs().maxCoeff(), 30 * std::numeric_limits<double>::epsilon());
}

TEST(DevicePauli, RefusesStringsOfMoreQubits) {
  EXPECT_THROW(DevicePauliOperator<S>(2, {parse_pauli("XYZ")}, 1), InputError);
}

}  // namespace
}  // namespace projfgd::test
