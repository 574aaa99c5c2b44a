// Every kernel on the smallest problem that takes all of its branches: what compute-sanitizer can
// watch in seconds (scripts/test-gpu).
#include <gtest/gtest.h>

#include "projfgd/constraints/l1.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/hosted.hpp"
#include "projfgd/device/matrices.hpp"
#include "projfgd/device/outcomes.hpp"
#include "projfgd/device/patterns.hpp"
#include "projfgd/device/pauli.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/operators/pauli.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "support/device_agreement.hpp"
#include "support/random_outcomes.hpp"

namespace projfgd::test {
namespace {

using S = std::complex<double>;

std::vector<PauliString> strings_of(int qubits, std::uint64_t count) {
  const RandomStream random(1, 0xE);
  std::vector<PauliString> strings;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto bound = std::uint64_t{1} << qubits;
    strings.push_back({static_cast<std::uint32_t>(random.below(bound, 2 * i)),
                       static_cast<std::uint32_t>(random.below(bound, 2 * i + 1))});
  }
  return strings;
}

void check_paulis(int qubits, std::uint64_t count, Index columns) {
  const auto strings = strings_of(qubits, count);
  expect_agreement(PauliOperator<S>(qubits, strings, 1),
                   HostedOperator(DevicePauliOperator<S>(qubits, strings, 1)), columns);
}

TEST(DeviceEveryKernel, StringsOneByOne) { check_paulis(9, 200, 1); }
TEST(DeviceEveryKernel, StringsOneByOneOfTwoColumns) { check_paulis(9, 200, 2); }
TEST(DeviceEveryKernel, StringsTogether) { check_paulis(6, 300, 3); }

TEST(DeviceEveryKernel, AllOutcomes) {
  const auto settings = random_outcomes(3, 3, 0, 3).settings;
  const ProductBasisOperator<S> ideal(settings);
  const Readout readout = errors_of(3);
  expect_agreement(ReadoutOperator<S>(ideal, readout),
                   HostedOperator(DeviceOutcomesOperator<S>(settings, pauli_bases(), readout)), 2);
}
TEST(DeviceEveryKernel, JointReadout) {
  const auto settings = random_outcomes(3, 5, 0, 3).settings;
  const ProductBasisOperator<S> ideal(settings);
  const Readout readout = joint_errors_of(3);
  expect_agreement(ReadoutOperator<S>(ideal, readout),
                   HostedOperator(DeviceOutcomesOperator<S>(settings, pauli_bases(), readout)), 1);
}
/// 12 qubits take two passes.
TEST(DeviceEveryKernel, SeenOutcomes) {
  const SeenOutcomes seen = random_outcomes(12, 2, 5, 4);
  expect_agreement(SeenOutcomesOperator<S>(seen, pauli_bases(), errors_of(12)),
                   HostedOperator(DeviceOutcomesOperator<S>(seen, pauli_bases(), errors_of(12))),
                   1);
}

TEST(DeviceEveryKernel, Entries) {
  const EntriesOperator<S> host(40, {{3, 5}, {5, 3}, {7, 7}, {3, 5}, {0, 39}, {39, 2}});
  expect_agreement(host, HostedOperator(DeviceEntriesOperator<S>(host)), 5);
}
TEST(DeviceEveryKernel, DenseMatrices) {
  const DenseOperator<S> host({random_hermitian<S>(17, 1), random_hermitian<S>(17, 2)});
  expect_agreement(host, HostedOperator(DeviceDenseOperator<S>(host)), 2);
}
TEST(DeviceEveryKernel, MeasurementVectors) {
  const RankOneOperator<S> host(random_factor<S>(37, 70, 1));
  expect_agreement(host, HostedOperator(DeviceRankOneOperator<S>(host)), 5);
}

template <class Host>
void check_patterns(const Host& host) {
  const HostedOperator away{DevicePatternsOperator<S>(DevicePatterns<S>(host))};
  expect_agreement(host, away, 1);
}
TEST(DeviceEveryKernel, Masks) {
  const MaskDraw draw = draw_masks(MaskFamily::octanary, 2, 7 * 8, 1);
  CodedDiffractionOperator<S> host(
      7, 8, Masks<S>(2, 7 * 8, draw.codes, std::vector<S>(draw.table.begin(), draw.table.end())));
  check_patterns(host);
  std::vector<std::uint8_t> marks(2 * 7 * 8);
  for (std::size_t k = 0; k < marks.size(); k += 3) marks[k] = 1;
  host.leave_out(marks);
  check_patterns(host);
}
TEST(DeviceEveryKernel, WindowsOfAScan) {
  ScanGeometry g{.object_height = 9, .object_width = 10, .height = 6, .width = 5, .positions = {}};
  for (const double at : {0.0, 1.5, 3.0}) g.positions.push_back({at, at});
  PtychographyOperator<S> host(std::make_shared<Scan<S>>(g),
                               Vector<S>(random_factor<S>(g.frame_size(), 1, 1).col(0)));
  check_patterns(host);
  const DevicePatternsOperator<S> away{DevicePatterns<S>(host)};
  DeviceFactor<S> z;
  copy_from_host(random_factor<S>(90, 1, 2), z);
  DeviceValues<double> amplitude;
  copy_from_host(Vector<double>(Vector<double>::Ones(90)), amplitude);
  const double misfit = away.project_block(1, amplitude, z);
  Matrix<S> here = random_factor<S>(90, 1, 2);
  EXPECT_NEAR(misfit, host.project_block(1, Vector<double>::Ones(90), here), 1e-11 * misfit);
  EXPECT_LE((copy_to_host(z) - here).norm(), 1e-12 * here.norm());
}

TEST(DeviceEveryKernel, AlgebraOfFactors) {
  const Matrix<S> a = random_factor<S>(40, 3, 1), b = random_factor<S>(40, 3, 2);
  DeviceFactor<S> u, v, w;
  copy_from_host(a, u);
  copy_from_host(b, v);
  const double near = 1e-13 * a.norm() * b.norm();
  EXPECT_NEAR(dot(u, v), dot(a, b), near);
  EXPECT_LE((gram(u, v) - a.adjoint() * b).norm(), near);
  multiply(u, Matrix<S>(b.topRows(3)), w);
  EXPECT_LE((copy_to_host(w) - a * b.topRows(3)).norm(), near);
  const std::vector<const DeviceFactor<S>*> list{&u, &v, &u};
  const FactorList<DeviceFactor<S>> us(list);
  std::vector<double> products(list.size());
  dots(us, v, std::span<double>(products));
  EXPECT_NEAR(products[2], dot(a, b), near);
  axpys(std::span<const double>(products), us, w);
  const Matrix<S> combined = gram_of_list(us, v);
  EXPECT_LE((combined.topRows(3) - a.adjoint() * b).norm(), near);
  w = u;
  shorten(w, 0.5);
  EXPECT_NEAR(norm(w), 0.5, 1e-13);
  project_l1(u, 2, false);
  EXPECT_NEAR(l1_norm(u), 2, 1e-12);
}

}  // namespace
}  // namespace projfgd::test
