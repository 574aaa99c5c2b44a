// The patterns of a device beside those of the host.
#include "projfgd/device/patterns.hpp"

#include <gtest/gtest.h>

#include "projfgd/core/error.hpp"
#include "projfgd/core/parts.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/device/hosted.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "support/device_memory.hpp"
#include "support/operator_conformance.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

static_assert(LinearMeasurement<DevicePatternsOperator<std::complex<double>>>);

/// So little that two patterns of any test go together at most.
constexpr double little_work = 2 * 16 * 31 * 20;

template <class S>
Masks<S> masks_of(MaskFamily family, Index count, Index size, std::uint64_t seed) {
  const MaskDraw draw = draw_masks(family, count, size, seed);
  if (family == MaskFamily::gaussian) {
    return Masks<S>(count, size, std::vector<S>(draw.values.begin(), draw.values.end()));
  }
  return Masks<S>(count, size, draw.codes, std::vector<S>(draw.table.begin(), draw.table.end()));
}

/// Every third row, and a whole pattern.
std::vector<std::uint8_t> some_marks(Index m, Index size) {
  std::vector<std::uint8_t> marks(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) {
    marks[static_cast<std::size_t>(i)] = i % 3 == 0 || i / size == 1 ? 1 : 0;
  }
  return marks;
}

// Kinds of patterns: make(seed) is the host's operator.

template <class S>
struct Coded {  // 31 is prime
  static std::shared_ptr<CodedDiffractionOperator<S>> make(std::uint64_t seed) {
    const auto width = 12 + static_cast<Index>(seed);
    return std::make_shared<CodedDiffractionOperator<S>>(
        31, width, masks_of<S>(MaskFamily::octanary, 5, 31 * width, seed));
  }
};

template <class S>
struct Values {  // of a signal behind masks with more than 256 values, of which some is left out
  static std::shared_ptr<CodedDiffractionOperator<S>> make(std::uint64_t seed) {
    auto op = std::make_shared<CodedDiffractionOperator<S>>(
        1, 71, masks_of<S>(MaskFamily::gaussian, 4, 71, seed));
    op->leave_out(some_marks(4 * 71, 71));
    return op;
  }
};

template <class S>
struct Open {  // one plain transform of what a support lets through
  static std::shared_ptr<CodedDiffractionOperator<S>> make(std::uint64_t seed) {
    const Index height = 14 + static_cast<Index>(seed), width = 16;
    std::vector<S> inside(static_cast<std::size_t>(height * width));
    for (Index k = 0; k < height * width / 2; ++k) inside[static_cast<std::size_t>(k)] = 1;
    return std::make_shared<CodedDiffractionOperator<S>>(height, width,
                                                         Masks<S>(1, height * width, inside));
  }
};

template <class S>
struct Scanned {  // windows of 8 x 6 on an object of 14 x 15, at fractions of a pixel too
  static std::shared_ptr<PtychographyOperator<S>> make(std::uint64_t seed) {
    ScanGeometry g{
        .object_height = 14, .object_width = 15, .height = 8, .width = 6, .positions = {}};
    for (const double row : {0.0, 2.75, 6.0}) {
      for (const double column : {0.0, 2.25, 5.5, 9.0}) g.positions.push_back({row, column});
    }
    auto op = std::make_shared<PtychographyOperator<S>>(
        std::make_shared<Scan<S>>(g), Vector<S>(random_factor<S>(g.frame_size(), 1, seed).col(0)));
    if (seed % 2 == 0) op->leave_out(some_marks(op->measurements(), g.frame_size()));
    return op;
  }
};

template <class S, template <class> class Kind>
struct Maker {
  using Operator = HostedOperator<DevicePatternsOperator<S>>;
  static Operator make(std::uint64_t seed) {
    const auto host = Kind<S>::make(seed);
    return Operator(DevicePatternsOperator<S>(DevicePatterns<S>(*host, little_work)));
  }
};
using Single = std::complex<float>;
using S = std::complex<double>;
using Makers = testing::Types<Maker<S, Coded>, Maker<Single, Coded>, Maker<S, Values>,
                              Maker<S, Open>, Maker<S, Scanned>, Maker<Single, Scanned>>;
INSTANTIATE_TYPED_TEST_SUITE_P(DevicePatterns, OperatorConformance, Makers);

using Away = DevicePatternsOperator<S>;
using Factor = DeviceFactor<S>;

template <class T>
auto placed(const Vector<T>& host) {
  DeviceValues<T> values;
  copy_from_host(host, values);
  return values;
}
Factor placed(const Matrix<S>& host) {
  Factor factor;
  copy_from_host(host, factor);
  return factor;
}

/// The same call to the operator of the host and to that of the device, with what it may change.
template <class Host>
struct Beside {
  explicit Beside(std::shared_ptr<Host> op)
      : host(std::move(op)), away(DevicePatterns<S>(*host, little_work)) {
    host->forward(random_factor<S>(host->rows(), 1, 2), y_);
    y_.array() += 0.1;
    for (std::size_t i = 0; i < host->left_out().size(); ++i) {
      if (host->left_out()[i] != 0) y_[static_cast<Index>(i)] = 0;
    }
    host->measured_rows(measured_);
  }

  /// call(operator, z, g, x, p, y, b, measured): g, x and p may change.
  template <class Call>
  void expect_same(const char* what, const Call& call) const {
    const Matrix<S> z = random_factor<S>(host->rows(), 1, 1);
    const Vector<double> b = y_.cwiseSqrt();
    Matrix<S> g = random_factor<S>(host->rows(), 1, 3);
    Vector<S> x = random_factor<S>(host->measurements(), 1, 4).col(0);
    Vector<double> p = random_vector<double>(host->measurements(), 5).cwiseAbs();
    const Factor z_away = placed(z);
    Factor g_away = placed(g);
    auto x_away = placed(x);
    auto p_away = placed(p), m_away = placed(measured_);
    const auto y_away = placed(y_), b_away = placed(b);
    Vector<double> m = measured_;
    const double value = call(*host, z, g, x, p, y_, b, m);
    const double found = call(away, z_away, g_away, x_away, p_away, y_away, b_away, m_away);
    EXPECT_NEAR(value, found, 1e-12 * std::abs(value)) << what;
    const auto expect_near = [&](const auto& here, const auto& there) {
      EXPECT_LE((copy_to_host(there) - here).norm(), 1e-13 * here.norm()) << what;
    };
    expect_near(g, g_away);
    expect_near(x, x_away);
    expect_near(p, p_away);
    expect_near(m, m_away);
  }

  template <class Function>
  void pass_with_data(const char* what, const Function& f, bool amplitudes) const {
    expect_same(what, [&](const auto& op, const auto& z, auto& g, auto&, auto&, const auto& y,
                          const auto& b, auto&) {
      return amplitudes ? op.pass(z, f, g, b) : op.pass(z, f, g, y);
    });
  }
  template <class Kernel>
  void every_use_of(const char* what) const {
    pass_with_data(what, element::LossGradient<Kernel>{}, false);
    expect_same(what, [&](const auto& op, const auto& z, auto& g, auto& x, auto& p, const auto& y,
                          const auto&, auto&) {
      const double value = op.apply(z, element::StoreWithLoss<Kernel>{}, x, y);
      map_values(p, element::LossSlope<Kernel>{}, y, p);
      const auto other = x;
      const Sums sums = sum_rows(op, element::LossAlong<Kernel>{0.3}, x, other, y);
      return value + sums[0] + sums[1] + sums[2] +
             op.adjoint(element::TwiceLossGradient<Kernel>{}, g, x, y);
    });
  }

  std::shared_ptr<Host> host;
  Away away;
  Vector<double> y_, measured_;
};

// What such a call is given.
#define PROJFGD_CALL                                                                             \
  [&]([[maybe_unused]] const auto& op, [[maybe_unused]] const auto& z, [[maybe_unused]] auto& g, \
      [[maybe_unused]] auto& x, [[maybe_unused]] auto& p, [[maybe_unused]] const auto& y,        \
      [[maybe_unused]] const auto& b, [[maybe_unused]] auto& m)

template <class Host>
void check_whole_products(const Beside<Host>& beside) {
  beside.expect_same(
      "store", PROJFGD_CALL { return op.apply(z, element::Store{}, x); });
  beside.expect_same(
      "load", PROJFGD_CALL { return op.adjoint(element::Load{}, g, x); });
  beside.expect_same(
      "A^H A", PROJFGD_CALL { return op.pass(z, element::Leave{}, g); });
  beside.expect_same(
      "modulus", PROJFGD_CALL {
        return op.apply(z, element::AmplitudeMisfit{}, b) +
               op.apply(z, element::StoreModulus{}, b, p);
      });
  beside.expect_same(
      "first reflection", PROJFGD_CALL { return op.pass(z, element::Reflection{false}, g, x, b); });
  beside.expect_same(
      "reflection", PROJFGD_CALL { return op.pass(z, element::Reflection{true}, g, x, b); });
  beside.pass_with_data("weigh", element::Weigh{}, false);
  beside.pass_with_data("amplitude step", element::AmplitudeStep{}, true);
  beside.template every_use_of<IntensityKernel>("intensity");
  beside.template every_use_of<AmplitudeKernel>("amplitude");
  beside.template every_use_of<PoissonKernel>("Poisson");
}

template <class Host>
void check_blocks(const Beside<Host>& beside) {
  beside.expect_same(
      "a block",
      PROJFGD_CALL { return op.pass_block(op.blocks() - 1, z, element::AmplitudeStep{}, g, b); });
  beside.expect_same(
      "a whole block", PROJFGD_CALL {
        op.measured_rows(m);
        const double first =
            op.pass_whole_block(0, z, element::RelaxedReflection{0.9, true}, g, x, b, m);
        return first +
               op.pass_whole_block(0, z, element::RelaxedReflection{0.8, false}, g, x, b, m);
      });
  beside.expect_same(
      "projections onto blocks", PROJFGD_CALL {
        double misfit = 0;
        for (Index k = 0; k < op.blocks(); ++k) misfit += op.project_block(k, b, g);
        return misfit;
      });
  beside.expect_same(
      "diagonals", PROJFGD_CALL {
        op.solve_normal(g);
        op.solve_root(g);
        op.solve_root_adjoint(g);
        op.drop_unseen(g);
        return static_cast<double>(op.rows() + op.measured());
      });
}

template <template <class> class Kind>
void check_kind() {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Beside beside(Kind<S>::make(seed));
    check_whole_products(beside);
    check_blocks(beside);
  }
}

TEST(DevicePatterns, CodedMasksAgreeWithTheHost) { check_kind<Coded>(); }
TEST(DevicePatterns, MaskValuesWithRowsLeftOutAgreeWithTheHost) { check_kind<Values>(); }
TEST(DevicePatterns, OneOpenPatternAgreesWithTheHost) { check_kind<Open>(); }
TEST(DevicePatterns, WindowsOfAScanAgreeWithTheHost) { check_kind<Scanned>(); }

TEST(DevicePatterns, CountsItsProductsAsTheHostDoes) {
  const auto host = Coded<S>::make(1);
  const Away away{DevicePatterns<S>(*host, little_work)};
  const Matrix<S> z = random_factor<S>(host->rows(), 2, 1);
  Vector<double> y;
  DeviceValues<double> y_away;
  host->forward(z, y);
  away.forward(placed(z), y_away);
  host->forward(z, z, y);
  away.forward(placed(z), placed(z), y_away);
  EXPECT_EQ(host->forward_products(), away.forward_products());
  EXPECT_EQ(host->adjoint_products(), away.adjoint_products());
}

TEST(DevicePatterns, GivesTheSameBitsTwice) {
  const auto host = Coded<S>::make(3);
  const Away away{DevicePatterns<S>(*host, little_work)};
  const auto b = placed(Vector<double>(random_vector<double>(host->measurements(), 2).cwiseAbs()));
  const auto run = [&] {
    Factor z = placed(random_factor<S>(host->rows(), 1, 1));
    double misfit = 0;
    for (Index k = 0; k < away.blocks(); ++k) misfit += away.project_block(k, b, z);
    Factor g;
    misfit += away.pass(z, element::AmplitudeStep{}, g, b);
    return std::pair(misfit, copy_to_host(g));
  };
  const auto first = run(), second = run();
  EXPECT_EQ(first.first, second.first);
  EXPECT_TRUE(first.second == second.second);
}

TEST(DevicePatterns, TakeNoMoreMemoryThanTheyAnnounce) {
  const auto check = [](const auto& host) {
    most_device_memory();
    double announced = 0;
    {
      DevicePatterns<S> patterns(host, little_work);
      announced = patterns.bytes();
      const Away away(std::move(patterns));
      Factor z = placed(random_factor<S>(host.rows(), 1, 1)), g;
      DeviceValues<double> y;
      away.forward(z, z, y);
      away.adjoint_times(y, z, g);
      announced += 16. * static_cast<double>(2 * z.size()) + 8. * static_cast<double>(y.size());
    }
    EXPECT_LE(static_cast<double>(most_device_memory()), announced);
  };
  check(*Coded<S>::make(1));
  check(*Scanned<S>::make(1));
}

}  // namespace
}  // namespace projfgd::test
