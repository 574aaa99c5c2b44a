// Simulated data for the phase retrieval job and what came of them.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {

class PhaseJob : public ::testing::Test {
 protected:
  std::filesystem::path simulate(CdpSimulation s) const {
    if (s.height == 0 && (s.image == "stars" || s.image == "phantom")) s.height = 64, s.width = 48;
    simulate_cdp(s, folder_ / "data");
    return folder_ / "data";
  }

  static RunSettings settings(const std::string& method, const std::string& constraint = "") {
    RunSettings s;
    s.method = method;
    s.init.clear();
    s.constraint = constraint;
    return s;
  }

  static double error(const RunRecord& record) {
    return record.summary.at("relative_error").get<double>();
  }

  /// The message of the InputError that the job must end with.
  static std::string refusal(const PhaseInput& input) {
    try {
      run_phase(input, settings("auto"));
    } catch (const InputError& refused) {
      return refused.what();
    }
    return "accepted";
  }

  void put(const char* file, std::vector<Index> shape, std::vector<double> values) const {
    write_npy(folder_ / file, Array{std::move(shape), false, std::move(values)});
  }

  /// y = |A x|^2 of a random signal by random vectors, the rows of A; x is in x.npy.
  PhaseInput random_vectors(Index n, Index m) const {
    Matrix<std::complex<double>> a(m, n), x(n, 1);
    fill_normal(RandomStream(1, 1), a);
    fill_normal(RandomStream(1, 2), x);
    const Vector<double> y = (a * x).cwiseAbs2();
    write_npy(folder_ / "a.npy", to_array(a));
    write_npy(folder_ / "x.npy", to_array(x));
    put("y.npy", {m}, {y.begin(), y.end()});
    return {.data = folder_ / "y.npy", .vectors = folder_ / "a.npy"};
  }

  TemporaryFolder folder_;
};

/// A triangle of ones in the corner of a 32 x 32 grid, 2 x oversampled; an image in it, its
/// pattern.
struct OversampledScene {
  explicit OversampledScene(const std::filesystem::path& folder) {
    constexpr Index side = 32;
    std::vector<double> inside(side * side), image(side * side);
    const RandomStream random(4, 4);
    for (Index i = 0; i < side / 2; ++i) {
      for (Index j = 0; j < side / 2 - i; ++j) {
        inside[i * side + j] = 1;
        image[i * side + j] = random.uniform(i * side + j);
      }
    }
    const std::vector<std::complex<double>> open(side * side, 1.0);
    const CodedDiffractionOperator<std::complex<double>> op(
        side, side, Masks<std::complex<double>>(1, side * side, open));
    Matrix<std::complex<double>> z(side * side, 1);
    for (Index k = 0; k < z.rows(); ++k) z(k, 0) = image[k];
    Vector<double> y;
    op.forward(z, y);
    write_npy(folder / "y.npy", {{side, side}, false, {y.begin(), y.end()}});
    write_npy(folder / "inside.npy", {{side, side}, false, inside});
    write_npy(folder / "image.npy", {{side, side}, false, image});
  }
};

}  // namespace projfgd::test
