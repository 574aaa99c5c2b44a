#include "projfgd/operators/ptychography.hpp"

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <utility>

#include "projfgd/core/error.hpp"
#include "support/operator_conformance.hpp"

namespace projfgd::test {
namespace {

using Complex = std::complex<double>;

/// Frames of 8 x 6 on an object of 14 x 15, all of which they see.
ScanGeometry small_scan(double fraction) {
  ScanGeometry g{.object_height = 14, .object_width = 15, .height = 8, .width = 6, .positions = {}};
  for (const double row : {0.0, 3 - fraction, 6.0}) {
    for (const double column : {0.0, 2 + fraction, 5 + fraction / 2, 9.0}) {
      g.positions.push_back({row, column});
    }
  }
  return g;
}

template <class S>
Vector<S> random_probe(const ScanGeometry& g, std::uint64_t seed) {
  return random_factor<S>(g.frame_size(), 1, seed).col(0);
}

template <class S, int Quarters>
struct MakeObject {
  using Operator = PtychographyOperator<S>;
  static Operator make(std::uint64_t seed) {
    const ScanGeometry g = small_scan(0.25 * Quarters);
    return Operator(std::make_shared<Scan<S>>(g), random_probe<S>(g, seed));
  }
};

template <class S, int Quarters>
struct MakeBoth {
  using Operator = JointScanOperator<S>;
  static Operator make(std::uint64_t seed) {
    const ScanGeometry g = small_scan(0.25 * Quarters);
    return Operator(std::make_shared<Scan<S>>(g),
                    random_factor<S>(g.object_size() + g.frame_size(), 1, seed));
  }
};

using Makers = ::testing::Types<MakeObject<Complex, 0>, MakeObject<Complex, 1>,
                                MakeObject<std::complex<float>, 0>, MakeBoth<Complex, 0>,
                                MakeBoth<Complex, 1>, MakeBoth<std::complex<float>, 1>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Ptychography, OperatorConformance, Makers);

TEST(Ptychography, FramesAreTransformsOfWindowsBehindTheProbe) {
  const ScanGeometry g = small_scan(0);
  const Vector<Complex> probe = random_probe<Complex>(g, 2);
  const PtychographyOperator<Complex> op(std::make_shared<Scan<Complex>>(g), probe);
  const auto z = random_factor<Complex>(op.rows(), 1, 3);
  Vector<double> y;
  op.forward(z, y);
  const Index j = 6, row = 3, column = 5;  // the frame, and where it lies
  for (const auto& [k, l] : {std::pair<Index, Index>{0, 0}, {3, 5}, {7, 1}}) {
    Complex sum = 0;
    for (Index i = 0; i < 8; ++i) {
      for (Index c = 0; c < 6; ++c) {
        const double turn = double(i * k) / 8 + double(c * l) / 6;
        sum += probe[i * 6 + c] * z((row + i) * 15 + column + c, 0) *
               std::polar(1.0, -2 * std::numbers::pi * turn);
      }
    }
    EXPECT_NEAR(y[j * 48 + k * 6 + l], std::norm(sum), 1e-11 * y.maxCoeff());
  }
}

// A fraction of a pixel moves a probe without its highest frequency as interpolation does.
TEST(Ptychography, FractionsOfAPixelMoveTheProbe) {
  const Index h = 8, w = 6;
  const auto wave = [&](double row, double column) {
    Vector<Complex> probe(h * w);
    for (Index i = 0; i < h; ++i) {
      for (Index c = 0; c < w; ++c) {
        const double turn = 2 * (double(i) - row) / h - (double(c) - column) / w;
        probe[i * w + c] = std::polar(1.0, 2 * std::numbers::pi * turn) + 0.5;
      }
    }
    return probe;
  };
  ScanGeometry g{.object_height = 9, .object_width = 7, .height = h, .width = w, .positions = {}};
  g.positions = {{0.25, 0.5}};
  const PtychographyOperator<Complex> moved(std::make_shared<Scan<Complex>>(g), wave(0, 0));
  g.positions = {{0, 0}};
  const PtychographyOperator<Complex> plain(std::make_shared<Scan<Complex>>(g), wave(0.25, 0.5));
  const auto z = random_factor<Complex>(9 * 7, 1, 3);
  Vector<double> a, b;
  moved.forward(z, a);
  plain.forward(z, b);
  EXPECT_LE((a - b).norm(), 1e-12 * b.norm());
}

/// Object and probe in one column.
Matrix<Complex> both_of(const Matrix<Complex>& object, const Vector<Complex>& probe) {
  Matrix<Complex> both(object.rows() + probe.size(), 1);
  both << object, probe;
  return both;
}

TEST(Ptychography, ObjectAndProbeTogetherPredictTheSameFrames) {
  const ScanGeometry g = small_scan(0.25);
  const auto scan = std::make_shared<Scan<Complex>>(g);
  const Vector<Complex> probe = random_probe<Complex>(g, 2);
  const auto object = random_factor<Complex>(g.object_size(), 1, 3);
  const Matrix<Complex> both = both_of(object, probe);
  Vector<double> a, b;
  PtychographyOperator<Complex>(scan, probe).forward(object, a);
  JointScanOperator<Complex>(scan, both / 2.0).forward(both, b);
  EXPECT_LE((a - b).norm(), 1e-12 * a.norm());
}

// A(z + t d) = A z + t A'(z) d + t^2 A d, of which a line search makes use.
TEST(Ptychography, TheJointFramesAreAParabolaAlongALine) {
  const ScanGeometry g = small_scan(0.25);
  const auto scan = std::make_shared<Scan<Complex>>(g);
  const Index n = g.object_size() + g.frame_size();
  const auto z = random_factor<Complex>(n, 1, 3), d = random_factor<Complex>(n, 1, 4);
  JointScanOperator<Complex> op(scan, z);
  const auto image = [&](const Matrix<Complex>& point, const Matrix<Complex>& direction) {
    Vector<Complex> out = Vector<Complex>::Zero(op.measurements());
    op.move_to(point);
    op.apply(direction, element::Store{}, out);
    return out;
  };
  const double t = 0.7;
  const Matrix<Complex> there = z + t * d;
  const Vector<Complex> whole = image(there / 2.0, there);
  const Vector<Complex> parts = image(z / 2.0, z) + t * image(z, d) + t * t * image(d / 2.0, d);
  EXPECT_LE((whole - parts).norm(), 1e-12 * whole.norm());
}

// Passes over the frames bring a wrong probe and a wrong object nearer to the data, and leave what
// explains them where it is.
TEST(Ptychography, PassesFitObjectAndProbe) {
  for (const double fraction : {0.0, 0.25}) {
    const ScanGeometry g = small_scan(fraction);
    const auto scan = std::make_shared<Scan<Complex>>(g);
    const Index n = g.object_size() + g.frame_size();
    const auto truth = random_factor<Complex>(n, 1, 3);
    JointScanOperator<Complex> op(scan, truth / 2.0);
    Vector<double> y;
    op.forward(truth, y);
    const Vector<double> amplitude = y.cwiseSqrt();
    const auto pass = [&](Matrix<Complex>& z) {
      double misfit = 0;
      for (Index b = 0; b < op.blocks(); ++b) misfit += op.project_block(b, amplitude, z);
      return misfit;
    };
    Matrix<Complex> z = truth;
    EXPECT_LE(pass(z), 1e-24 * y.sum());
    EXPECT_LE((z - truth).norm(), 1e-12 * truth.norm());
    z += 0.1 * random_factor<Complex>(n, 1, 4);
    const double first = pass(z);
    for (int k = 0; k < 20; ++k) pass(z);
    EXPECT_LE(pass(z), 0.1 * first);
  }
}

TEST(Ptychography, TheNormalEquationsOfTheObjectAreSolvedExactly) {
  for (const double fraction : {0.0, 0.25}) {
    const ScanGeometry g = small_scan(fraction);
    const PtychographyOperator<Complex> op(std::make_shared<Scan<Complex>>(g),
                                           random_probe<Complex>(g, 2));
    const auto z = random_factor<Complex>(op.rows(), 1, 3);
    Matrix<Complex> back;
    op.pass(z, element::Leave{}, back);
    op.solve_normal(back);
    EXPECT_LE((back - z).norm(), 1e-12 * z.norm());
  }
}

TEST(Ptychography, RefusesScansThatCannotBe) {
  ScanGeometry g = small_scan(0);
  const auto scan = std::make_shared<Scan<Complex>>(g);
  EXPECT_THROW(PtychographyOperator<Complex>(scan, Vector<Complex>::Ones(47)), InputError);
  EXPECT_THROW(PtychographyOperator<Complex>(scan, Vector<Complex>::Zero(48)), InputError);
  EXPECT_THROW(JointScanOperator<Complex>(scan, Matrix<Complex>::Zero(14 * 15, 1)), InputError);
  for (const ScanPosition bad : {ScanPosition{7, 0}, {0, 9.5}, {-1, 0}, {std::nan(""), 0}}) {
    g.positions.back() = bad;
    EXPECT_THROW(Scan<Complex>{g}, InputError);
  }
  g.positions.clear();
  EXPECT_THROW(Scan<Complex>{g}, InputError);
}

}  // namespace
}  // namespace projfgd::test
