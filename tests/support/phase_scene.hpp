// Patterns of a sparse signal, for the solvers of phase retrieval.
#pragma once

#include <complex>
#include <cstdint>

#include "projfgd/core/options.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/operators/coded_diffraction.hpp"

namespace projfgd::test {

using Complex = std::complex<double>;
using F = Matrix<Complex>;
using Op = BlockOperator<Complex>;

inline double error(const F& z, const F& truth) { return dist(z, truth) / norm(truth); }

/// A signal that is zero but for `bright` of its entries, and its patterns.
struct Scene {
  Scene(Index height, Index width, Index patterns, Index bright, bool complex, std::uint64_t seed)
      : draw(draw_masks(MaskFamily::octanary, patterns, height * width, seed)),
        op(height, width, Masks<Complex>(patterns, height * width, draw.codes, draw.table)),
        truth(F::Zero(height * width, 1)) {
    const RandomStream random(seed, 11);
    for (Index k = 0; k < bright; ++k) {
      const auto at = static_cast<Index>(random.below(height * width, 3 * k));
      truth(at, 0) = std::polar(0.1 + random.uniform(3 * k + 1),
                                complex ? 6.28 * random.uniform(3 * k + 2) : 0.0);
    }
    op.forward(truth, y);
    amplitude = y.cwiseSqrt();
  }
  MaskDraw draw;
  CodedDiffractionOperator<Complex> op;
  F truth;
  Vector<double> y, amplitude;
};

inline Options limits(Index iterations, double tolerance = 1e-9) {
  Options options;
  options.max_iterations = iterations;
  options.tolerance = tolerance;
  return options;
}

}  // namespace projfgd::test
