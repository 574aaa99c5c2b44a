// Outcomes that were seen against the operator that knows all of them.
#include "projfgd/operators/seen_outcomes.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "projfgd/concepts.hpp"
#include "projfgd/core/error.hpp"
#include "support/operator_conformance.hpp"
#include "support/random_outcomes.hpp"
#include "support/support.hpp"

namespace projfgd {
namespace {

using test::errors_of, test::random_factor, test::random_outcomes;

static_assert(MeasurementOperator<SeenOutcomesOperator<std::complex<float>>>);

template <class S>
class SeenOutcomesTest : public testing::Test {};
using Scalars = testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SeenOutcomesTest, Scalars);

/// 12 qubits are more than a tile holds, so that low and high ones are transformed apart.
TYPED_TEST(SeenOutcomesTest, AreThoseOfTheOperatorThatKnowsAllOutcomes) {
  using S = TypeParam;
  using R = RealOf<S>;
  for (const int q : {1, 3, 10, 12}) {
    const SeenOutcomes seen = random_outcomes(q, 4, 6, static_cast<std::uint64_t>(q));
    const Index n = Index{1} << q;
    const Matrix<S> u = random_factor<S>(n, 2, 1), d = random_factor<S>(n, 2, 2);
    const AnyOperator<S> all((ProductBasisOperator<S>(seen.settings)));
    for (const Readout& readout : {Readout{}, errors_of(q)}) {
      const SeenOutcomesOperator<S> op(seen, pauli_bases(), readout);
      const AnyOperator<S> reference =
          readout.empty() ? all : AnyOperator<S>(ReadoutOperator<S>(all, readout));
      Vector<R> p, y;
      reference.forward(u, d, p);
      op.forward(u, d, y);
      // 2 q roundings an amplitude; the outcomes not seen are a difference of traces.
      const double bound = 30 * std::numeric_limits<R>::epsilon() * u.norm() * d.norm();
      for (Index s = 0; s < 4; ++s) {
        double rest = dot(u, d);
        for (Index i = 0; i < seen.count(s); ++i) {
          const auto k = seen.outcomes[static_cast<std::size_t>(seen.first[s] + i)];
          const double expected = p[s * n + k];
          EXPECT_NEAR(y[seen.begin(s) + i], expected, bound);
          rest -= expected;
        }
        EXPECT_NEAR(y[seen.begin(s) + seen.count(s)], rest, bound);
      }
    }
  }
}

TEST(SeenOutcomes, RefusesWhatItCannotMeasure) {
  using Operator = SeenOutcomesOperator<std::complex<double>>;
  SeenOutcomes seen = random_outcomes(3, 2, 2, 1);
  EXPECT_THROW(Operator(SeenOutcomes{}), InputError);
  Readout full;
  full.full = Matrix<double>::Identity(8, 8);
  EXPECT_THROW(Operator(seen, pauli_bases(), full), InputError);
  EXPECT_THROW(Operator(seen, pauli_bases(), errors_of(2)), InputError);
  seen.outcomes[0] = 8;
  EXPECT_THROW(Operator{seen}, InputError);
}

template <class S>
struct MakeSeenOutcomes {
  using Operator = SeenOutcomesOperator<S>;
  static Operator make(std::uint64_t seed) {
    const int q = seed == test::case_for_threads ? 15 : 2 + static_cast<int>(seed % 3) * 5;
    return Operator(random_outcomes(q, 5, 4, seed), pauli_bases(),
                    seed % 2 == 0 ? errors_of(q) : Readout{});
  }
};
using Makers =
    testing::Types<MakeSeenOutcomes<std::complex<float>>, MakeSeenOutcomes<std::complex<double>>>;

}  // namespace
}  // namespace projfgd

namespace projfgd::test {
INSTANTIATE_TYPED_TEST_SUITE_P(SeenOutcomes, OperatorConformance, Makers);
}  // namespace projfgd::test
