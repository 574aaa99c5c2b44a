// White noise in the state, with the operator below it on a device and on the host.
#include "projfgd/operators/white_noise.hpp"

#include <gtest/gtest.h>

#include "projfgd/device/pauli.hpp"
#include "projfgd/operators/pauli.hpp"
#include "support/device_memory.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

using S = std::complex<double>;

template <class T, class Host>
T placed(const Host& host) {
  T there;
  copy_from_host(host, there);
  return there;
}
using Factor = DeviceFactor<S>;
using Away = DeviceValues<double>;

TEST(DeviceWhiteNoise, IsThatOfTheHost) {
  constexpr int qubits = 5;
  std::vector<PauliString> strings;
  for (std::uint32_t x = 0; x < 32; x += 3) {
    for (std::uint32_t z = 0; z < 32; ++z) strings.push_back({x, z});
  }
  const PauliOperator<S> plain(qubits, strings, 0.7);
  const Vector<double> white = white_predictions(plain);
  const WhiteNoiseOperator<PauliOperator<S>> host(plain, white);
  const WhiteNoiseOperator<DevicePauliOperator<S>> away(
      DevicePauliOperator<S>(qubits, strings, 0.7), placed<Away>(white));
  static_assert(MeasurementOperator<WhiteNoiseOperator<DevicePauliOperator<S>>>);
  EXPECT_EQ(away.rows(), 33);
  for (const Index rank : {1, 3, 40}) {
    const Matrix<S> v = random_factor<S>(33, rank, 1), d = random_factor<S>(33, rank, 2);
    const Factor v_away = placed<Factor>(v), d_away = placed<Factor>(d);
    Vector<double> y;
    Away y_away;
    const auto expect_same = [&](const char* what) {
      EXPECT_LE((copy_to_host(y_away) - y).norm(), 1e-13 * y.norm()) << what << rank;
    };
    host.forward(v, y);
    away.forward(v_away, y_away);
    expect_same("forward ");
    host.forward(v, d, y);
    away.forward(v_away, d_away, y_away);
    expect_same("cross product ");
    Matrix<S> g;
    Factor g_away;
    host.adjoint_times(y, v, g);
    copies_of_device();
    away.adjoint_times(y_away, v_away, g_away);
    EXPECT_EQ(copies_of_device(), 0u);
    EXPECT_LE((copy_to_host(g_away) - g).norm(), 1e-13 * g.norm()) << rank;
  }
}

}  // namespace
}  // namespace projfgd::test
