// Counts of settings on a device beside the operators of the host.
#include "projfgd/device/outcomes.hpp"

#include <gtest/gtest.h>

#include "projfgd/core/error.hpp"
#include "projfgd/device/hosted.hpp"
#include "support/device_agreement.hpp"
#include "support/device_memory.hpp"
#include "support/operator_conformance.hpp"
#include "support/random_outcomes.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

using S = std::complex<double>;

/// X, Y, Z and a basis that is none of them.
std::vector<QubitBasis> some_bases() {
  std::vector<QubitBasis> bases = pauli_bases();
  const double c = std::cos(0.3), s = std::sin(0.3);
  const std::complex<double> turn = std::polar(1., 0.7);
  bases.push_back({{{c, s * turn}, {s, -c * turn}}});
  return bases;
}

template <class T>
struct AllOutcomes {
  using Operator = HostedOperator<DeviceOutcomesOperator<T>>;
  static Operator make(std::uint64_t seed) {
    const int qubits = 2 + static_cast<int>(seed % 3);
    return Operator(DeviceOutcomesOperator<T>(random_outcomes(qubits, 5, 0, seed, 4).settings,
                                              some_bases(),
                                              seed % 2 == 0 ? errors_of(qubits) : Readout{}));
  }
};
template <class T>
struct JointReadout {
  using Operator = HostedOperator<DeviceOutcomesOperator<T>>;
  static Operator make(std::uint64_t seed) {
    const int qubits = 2 + static_cast<int>(seed % 3);
    return Operator(DeviceOutcomesOperator<T>(random_outcomes(qubits, 5, 0, seed, 4).settings,
                                              some_bases(), joint_errors_of(qubits)));
  }
};
template <class T>
struct Seen {
  using Operator = HostedOperator<DeviceOutcomesOperator<T>>;
  static Operator make(std::uint64_t seed) {
    const int qubits = 2 + static_cast<int>(seed % 3) * 5;
    return Operator(DeviceOutcomesOperator<T>(random_outcomes(qubits, 5, 4, seed), pauli_bases(),
                                              seed % 2 == 0 ? errors_of(qubits) : Readout{}));
  }
};
using Makers = testing::Types<AllOutcomes<std::complex<float>>, AllOutcomes<std::complex<double>>,
                              JointReadout<std::complex<float>>, JointReadout<std::complex<double>>,
                              Seen<std::complex<float>>, Seen<std::complex<double>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(DeviceOutcomes, OperatorConformance, Makers);

TEST(DeviceOutcomes, OfAllSettingsAgreeWithTheHost) {
  for (const int qubits : {1, 2, 5}) {
    for (const Index columns : {1, 4}) {
      const auto settings = random_outcomes(qubits, 40, 0, 3, 4).settings;
      const ProductBasisOperator<S> ideal(settings, some_bases());
      using Away = DeviceOutcomesOperator<S>;
      expect_agreement(ideal, HostedOperator(Away(settings, some_bases())), columns);
      const Readout readout = errors_of(qubits);
      expect_agreement(ReadoutOperator<S>(ideal, readout),
                       HostedOperator(Away(settings, some_bases(), readout)), columns);
      const Readout joint = joint_errors_of(qubits);
      expect_agreement(ReadoutOperator<S>(ideal, joint),
                       HostedOperator(Away(settings, some_bases(), joint)), columns);
    }
  }
}

/// 12 and 14 qubits are more than a tile holds.
TEST(DeviceOutcomes, OfThoseThatWereSeenAgreeWithTheHost) {
  for (const int qubits : {1, 4, 12, 14}) {
    for (const Index columns : {1, 2}) {
      const SeenOutcomes seen = random_outcomes(qubits, 6, 30, 4);
      for (const Readout& readout : {Readout{}, errors_of(qubits)}) {
        expect_agreement(SeenOutcomesOperator<S>(seen, pauli_bases(), readout),
                         HostedOperator(DeviceOutcomesOperator<S>(seen, pauli_bases(), readout)),
                         columns);
      }
    }
  }
}

TEST(DeviceOutcomes, SettingsThatDoNotFitTogetherGoOneAfterTheOther) {
  const auto settings = random_outcomes(14, 40, 0, 5).settings;  // 16 columns: 61 at a time
  std::vector<Setting> many;
  for (int k = 0; k < 3; ++k) many.insert(many.end(), settings.begin(), settings.end());
  const SeenOutcomes seen = random_outcomes(14, 120, 3, 5);
  expect_agreement(SeenOutcomesOperator<S>(seen),
                   HostedOperator(DeviceOutcomesOperator<S>(seen, pauli_bases())), 16);
}

TEST(DeviceOutcomes, TheEstimateOfTheMemoryIsNeverTooSmall) {
  for (const int qubits : {1, 5, 12}) {
    for (const Index columns : {1, 7}) {
      for (const int outcomes : {0, 20}) {
        const SeenOutcomes seen = random_outcomes(qubits, 9, outcomes, 4);
        const bool joint = outcomes == 0 && qubits == 5;
        most_device_memory();
        {
          const HostedOperator op(
              outcomes == 0 ? DeviceOutcomesOperator<S>(seen.settings, pauli_bases(),
                                                        joint ? joint_errors_of(qubits) : Readout{})
                            : DeviceOutcomesOperator<S>(seen, pauli_bases(), errors_of(qubits)));
          const Matrix<S> u = random_factor<S>(op.rows(), columns, 1);
          Vector<double> y;
          Matrix<S> g;
          op.forward(u, y);
          op.forward(u, u, y);
          op.adjoint_times(y, u, g);
        }
        const double bytes = DeviceOutcomesOperator<S>::bytes(
            qubits, 9, static_cast<double>(seen.outcomes.size()), columns, joint);
        EXPECT_LE(static_cast<double>(most_device_memory()), bytes)
            << qubits << " qubits, " << outcomes << " outcomes, " << columns << " columns";
      }
    }
  }
}

TEST(DeviceOutcomes, RefusesWhatItCannotMeasure) {
  using Operator = DeviceOutcomesOperator<S>;
  SeenOutcomes seen = random_outcomes(3, 2, 2, 1);
  EXPECT_THROW(Operator(SeenOutcomes{}, pauli_bases()), InputError);
  Readout full;
  full.full = Matrix<double>::Identity(8, 8);
  EXPECT_THROW(Operator(seen, pauli_bases(), full), InputError);
  seen.outcomes[0] = 8;
  EXPECT_THROW(Operator(seen, pauli_bases()), InputError);
}

}  // namespace
}  // namespace projfgd::test
