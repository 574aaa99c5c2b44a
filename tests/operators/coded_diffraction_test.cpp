#include "projfgd/operators/coded_diffraction.hpp"

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>

#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/operators/rows.hpp"
#include "support/operator_conformance.hpp"

namespace projfgd::test {
namespace {

template <class S>
Masks<S> octanary(Index count, Index size, std::uint64_t seed) {
  const MaskDraw draw = draw_masks(MaskFamily::octanary, count, size, seed);
  const std::vector<S> table(draw.table.begin(), draw.table.end());
  return Masks<S>(count, size, draw.codes, table);
}

template <class S>
struct MakeImage {  // 31 is prime and 30 smooth: columns go by the convolution
  using Operator = CodedDiffractionOperator<S>;
  static Operator make(std::uint64_t seed) {
    return Operator(31, 12 + static_cast<Index>(seed), octanary<S>(5, 31 * (12 + seed), seed));
  }
};

template <class S>
struct MakeSignal {  // one-dimensional; 71 is prime, and so are the rows
  using Operator = CodedDiffractionOperator<S>;
  static Operator make(std::uint64_t seed) { return Operator(1, 71, octanary<S>(3, 71, seed)); }
};

template <class S>
struct MakeSupport {  // one plain transform of what a support lets through, 2 x oversampled
  using Operator = CodedDiffractionOperator<S>;
  static Operator make(std::uint64_t seed) {
    const Index height = 14 + static_cast<Index>(seed), width = 16;
    std::vector<S> inside(static_cast<std::size_t>(height * width));
    for (Index i = 0; i < height / 2; ++i) {
      for (Index j = 0; j < width / 2 - i; ++j) inside[i * width + j] = 1;
    }
    return Operator(height, width, Masks<S>(1, height * width, inside));
  }
};

template <class S>
struct MakeRows {  // vectors of one's own
  using Operator = RowsOperator<S>;
  static Operator make(std::uint64_t seed) { return Operator(random_factor<S>(67, 20, seed)); }
};

template <class S>
struct LeftOut {  // every third row, and a whole block
  using Factor = Matrix<S>;
  using Values = Vector<RealOf<S>>;
  static constexpr Index pixels = 17 * 11;
  explicit LeftOut(std::uint64_t seed)
      : op(std::make_unique<CodedDiffractionOperator<S>>(17, 11, octanary<S>(4, pixels, seed))) {
    std::vector<std::uint8_t> marks(static_cast<std::size_t>(op->measurements()));
    for (std::size_t i = 0; i < marks.size(); ++i) {
      marks[i] = i % 3 == seed % 3 || i / pixels == 2 ? 1 : 0;
    }
    op->leave_out(marks);
  }
  Index rows() const { return op->rows(); }
  Index measurements() const { return op->measurements(); }
  void forward(const Factor& u, Vector<RealOf<S>>& y) const { op->forward(u, y); }
  void forward(const Factor& u, const Factor& d, Vector<RealOf<S>>& y) const {
    op->forward(u, d, y);
  }
  void adjoint_times(const Vector<RealOf<S>>& w, const Factor& v, Factor& g) const {
    op->adjoint_times(w, v, g);
  }
  std::unique_ptr<CodedDiffractionOperator<S>> op;
};

template <class S>
struct MakeLeftOut {
  using Operator = LeftOut<S>;
  static Operator make(std::uint64_t seed) { return Operator(seed); }
};

using Makers = ::testing::Types<MakeLeftOut<std::complex<double>>, MakeLeftOut<std::complex<float>>,
                                MakeImage<std::complex<double>>, MakeImage<std::complex<float>>,
                                MakeSignal<std::complex<double>>, MakeSignal<std::complex<float>>,
                                MakeSupport<std::complex<double>>, MakeSupport<std::complex<float>>,
                                MakeRows<std::complex<double>>, MakeRows<std::complex<float>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(CodedDiffraction, OperatorConformance, Makers);

using Complex = std::complex<double>;

TEST(FourierTransform, IsTheDefiningSumForLengthsOfEveryKind) {
  // Smooth, prime with a smooth and with a rough p - 1 (47 - 1 = 2 * 23), composite, 1.
  for (const Index height : {1, 8, 17, 47, 22}) {
    for (const Index width : {1, 12, 19, 47, 34}) {
      const Matrix<Complex> x = random_factor<Complex>(height * width, 1, 7);
      Vector<Complex> v(height * width);
      FourierTransform<double>(height, width)
          .forward([&](Index i, Complex* row) { std::copy_n(x.data() + i * width, width, row); },
                   v.data());
      for (Index k = 0; k < height; ++k) {
        for (Index l = 0; l < width; ++l) {
          Complex sum = 0;
          for (Index i = 0; i < height; ++i) {
            for (Index j = 0; j < width; ++j) {
              const double turn =
                  double(i * k % height) / double(height) + double(j * l % width) / double(width);
              sum += x(i * width + j, 0) * std::polar(1.0, -2 * std::numbers::pi * turn);
            }
          }
          ASSERT_LE(std::abs(sum - v[k * width + l]),
                    1e-12 * x.norm() * std::sqrt(double(x.size())))
              << height << " x " << width << " at " << k << ", " << l;
        }
      }
    }
  }
}

TEST(FourierTransform, BackwardAfterForwardMultipliesByTheSize) {
  for (const auto& [height, width] : {std::pair<Index, Index>{83, 64}, {64, 83}, {211, 31}}) {
    const FourierTransform<double> transform(height, width);
    const Matrix<Complex> x = random_factor<Complex>(height * width, 1, 3);
    Vector<Complex> v(x.size()), back(x.size());
    transform.forward(
        [&](Index i, Complex* row) { std::copy_n(x.data() + i * width, transform.width(), row); },
        v.data());
    transform.backward(v.data(), [&](Index i, const Complex* row) {
      std::copy_n(row, transform.width(), back.data() + i * transform.width());
    });
    const double size = static_cast<double>(x.size());
    EXPECT_LE((back / size - x.col(0)).norm(), 1e-13 * x.norm());
  }
}

TEST(CodedDiffraction, AnImpulseGivesFlatPatternsOfItsMask) {
  const Masks<Complex> masks = octanary<Complex>(4, 6 * 10, 2);
  std::vector<double> expected;
  for (Index l = 0; l < 4; ++l) {
    masks.with(l, 23, [&](const auto& mask) { expected.push_back(std::norm(mask(0))); });
  }
  const CodedDiffractionOperator<Complex> op(6, 10, masks);
  Matrix<Complex> z = Matrix<Complex>::Zero(60, 1);
  z(23, 0) = Complex(0, 3);
  Vector<double> y;
  op.forward(z, y);
  for (Index i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], 9 * expected[i / 60], 1e-12);
}

TEST(CodedDiffraction, CodesAndValuesAreTheSameMasks) {
  const MaskDraw draw = draw_masks(MaskFamily::octanary, 6, 35, 4);
  std::vector<Complex> values;
  for (const std::uint8_t code : draw.codes) values.push_back(draw.table[code]);
  const Masks<Complex> coded(6, 35, draw.codes, draw.table), plain(6, 35, values);
  EXPECT_TRUE(coded.coded());
  EXPECT_TRUE(plain.coded());  // eight values fit in a byte
  const auto z = random_factor<Complex>(35, 1, 1);
  Vector<double> a, b;
  CodedDiffractionOperator<Complex>(5, 7, coded).forward(z, a);
  CodedDiffractionOperator<Complex>(5, 7, plain).forward(z, b);
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(Masks<Complex>(4, 100, draw_masks(MaskFamily::gaussian, 4, 100, 1).values).coded());
}

TEST(CodedDiffraction, RowsThatAreLeftOutAreZeroAndTheOthersAsTheyWere) {
  const LeftOut<Complex> some_left(1);
  CodedDiffractionOperator<Complex> whole(17, 11, octanary<Complex>(4, 17 * 11, 1));
  const CodedDiffractionOperator<Complex>& op = *some_left.op;
  const auto z = random_factor<Complex>(17 * 11, 1, 3);
  Vector<double> some, all;
  op.forward(z, some);
  whole.forward(z, all);
  for (Index i = 0; i < all.size(); ++i) {
    const bool out = i % 3 == 1 || i / (17 * 11) == 2;
    EXPECT_EQ(some[i], out ? 0 : all[i]) << i;
  }
  // A block projection meets what was measured, and a block without any leaves z alone.
  Matrix<Complex> moved = random_factor<Complex>(17 * 11, 1, 4), before = moved;
  const Vector<double> amplitude = some.cwiseSqrt();
  op.project_block(2, amplitude, moved);
  EXPECT_EQ(moved, before);
  op.project_block(1, amplitude, moved);
  Vector<double> now;
  op.forward(moved, now);
  EXPECT_LE((now - some).segment(17 * 11, 17 * 11).norm(), 1e-12 * some.norm());
  EXPECT_THROW(whole.leave_out({1, 0}), InputError);
}

TEST(CodedDiffraction, ABlockProjectionIsTheNearestPointThatFits) {
  const CodedDiffractionOperator<Complex> op(9, 8, octanary<Complex>(3, 72, 5));
  const auto truth = random_factor<Complex>(72, 1, 1), start = random_factor<Complex>(72, 1, 2);
  Vector<double> y;
  op.forward(truth, y);
  const Vector<double> amplitude = y.cwiseSqrt();
  Matrix<Complex> z = start;
  op.project_block(1, amplitude, z);
  Vector<double> now;
  op.forward(z, now);
  EXPECT_LE((now - y).segment(72, 72).norm(), 1e-12 * y.norm());
  // The truth fits too, so it cannot be nearer, and projecting again changes nothing.
  EXPECT_LE((z - start).norm(), (truth - start).norm());
  Matrix<Complex> again = z;
  EXPECT_LE(op.project_block(1, amplitude, again), 1e-20 * y.sum());
  EXPECT_LE((again - z).norm(), 1e-12 * z.norm());
}

// The blocks of a pass one by one, into a sum of their own.
template <class Operator>
void check_blocks(const Operator& op) {
  const auto z = random_factor<Complex>(op.rows(), 1, 5);
  const Vector<double> w = random_vector<double>(op.measurements(), 6);
  Matrix<Complex> together, sum = Matrix<Complex>::Zero(op.rows(), 1);
  op.pass(z, element::Weigh{}, together, w);
  for (Index b = 0; b < op.blocks(); ++b) op.pass_block(b, z, element::Weigh{}, sum, w);
  EXPECT_LE((sum - together).norm(), 1e-13 * together.norm());
  // What f writes is the adjoint's to take.
  Vector<Complex> image(op.measurements());
  EXPECT_EQ(op.apply(z, element::Store{}, image), 0);
  image.array() *= w.array();
  op.adjoint(element::Load{}, sum, image);
  EXPECT_LE((sum - together).norm(), 1e-13 * together.norm());
}

TEST(BlockOperators, PassesAreSumsOverBlocks) {
  check_blocks(CodedDiffractionOperator<Complex>(31, 13, octanary<Complex>(3, 31 * 13, 5)));
  check_blocks(CodedDiffractionOperator<Complex>(16, 20, octanary<Complex>(3, 16 * 20, 5)));
  check_blocks(CodedDiffractionOperator<Complex>(1, 5000, octanary<Complex>(2, 5000, 5)));
  check_blocks(RowsOperator<Complex>(random_factor<Complex>(67, 20, 2)));
  check_blocks(*LeftOut<Complex>(1).op);
}

TEST(BlockOperators, WholeBlocksShowTheRowsThatAreLeftOut) {
  const LeftOut<Complex> some_left(1);
  const CodedDiffractionOperator<Complex>& op = *some_left.op;
  CodedDiffractionOperator<Complex> whole(17, 11, octanary<Complex>(4, 17 * 11, 1));
  const auto z = random_factor<Complex>(op.rows(), 1, 5);
  Matrix<Complex> all, sum = Matrix<Complex>::Zero(op.rows(), 1);
  whole.pass(z, element::Leave{}, all);
  for (Index b = 0; b < op.blocks(); ++b) op.pass_whole_block(b, z, element::Leave{}, sum);
  EXPECT_LE((sum - all).norm(), 1e-13 * all.norm());
  Vector<double> marks;
  op.measured_rows(marks);
  EXPECT_EQ(marks.sum(), double(op.measured()));
}

TEST(CodedDiffraction, TheNormalEquationsAreSolvedExactly) {
  const CodedDiffractionOperator<Complex> op(9, 8, octanary<Complex>(3, 72, 5));
  const auto z = random_factor<Complex>(72, 1, 1);
  Matrix<Complex> back;
  op.pass(z, element::Leave{}, back);
  op.solve_normal(back);
  EXPECT_LE((back - z).norm(), 1e-13 * z.norm());
  EXPECT_EQ(op.products(), 6);
}

template <class Operator>
void check_roots(const Operator& op) {  // R^{-H} A^H A R^{-1} is the identity
  const auto v = random_factor<Complex>(op.rows(), 1, 5);
  Matrix<Complex> z = v, back;
  op.solve_root(z);
  op.pass(z, element::Leave{}, back);
  op.solve_root_adjoint(back);
  EXPECT_LE((back - v).norm(), 1e-12 * v.norm());
}

TEST(BlockOperators, TheRootOfTheNormalMatrixIsOne) {
  check_roots(CodedDiffractionOperator<Complex>(9, 8, octanary<Complex>(3, 72, 5)));
  check_roots(RowsOperator<Complex>(random_factor<Complex>(67, 20, 2)));
}

TEST(CodedDiffraction, APixelThatNoMaskShowsStaysDark) {
  std::vector<Complex> values(2 * 4, Complex(1, 2));
  values[2] = values[6] = 0;
  const CodedDiffractionOperator<Complex> op(2, 2, Masks<Complex>(2, 4, values));
  Matrix<Complex> z = random_factor<Complex>(4, 1, 1), back;
  op.pass(z, element::Leave{}, back);
  op.solve_normal(back);
  op.drop_unseen(z);
  EXPECT_EQ(z(2, 0), 0.0);
  EXPECT_LE((back - z).norm(), 1e-14 * z.norm());
}

TEST(MaskFamily, TernaryMasksShowEveryPixelAndKeepTheirEnergy) {
  constexpr Index count = 4, size = 20000;
  const MaskDraw draw = draw_masks(MaskFamily::ternary, count, size, 3);
  double energy = 0;
  for (Index j = 0; j < size; ++j) {
    double at = 0;
    for (Index l = 0; l < count; ++l) at += std::norm(draw.table[draw.codes[l * size + j]]);
    ASSERT_GT(at, 0) << j;
    energy += at;
  }
  // E |d|^2 = 1 and 2 more where all four would be 0, probability 1/16; variance 1 each.
  const double deviation = 1 / std::sqrt(double(count * size));
  EXPECT_NEAR(energy / (count * size), 1 + 2.0 / 16 / count, 5 * deviation);
}

template <class Operator>
void expect_refusals(const Operator& op) {
  const Vector<double> amplitudes = Vector<double>::Ones(op.measurements());
  const element::Leave nothing;
  Matrix<Complex> g, wrong = random_factor<Complex>(op.rows() - 1, 1, 1);
  EXPECT_THROW(op.apply(wrong, nothing), InputError);
  EXPECT_THROW(op.pass(wrong, nothing, g), InputError);
  EXPECT_THROW(op.project_block(0, amplitudes, wrong), InputError);
  Matrix<Complex> right = random_factor<Complex>(op.rows(), 1, 1);
  EXPECT_THROW(op.project_block(0, amplitudes.head(2), right), InputError);
}

TEST(BlockOperators, RefuseSignalsAndAmplitudesOfAnotherSize) {
  expect_refusals(CodedDiffractionOperator<Complex>(9, 8, octanary<Complex>(3, 72, 5)));
  expect_refusals(RowsOperator<Complex>(random_factor<Complex>(67, 20, 2)));
}

TEST(BlockOperators, LargeBlocksHaveTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const CodedDiffractionOperator<Complex> op(260, 256, octanary<Complex>(3, 260 * 256, 5));
  const auto z = random_factor<Complex>(op.rows(), 1, 2);
  const Vector<double> w = random_vector<double>(op.measurements(), 4);
  Matrix<Complex> first, again;
  set_threads(1);
  op.adjoint_times(w, z, first);
  for (const int count : {2, 4}) {
    set_threads(count);
    op.adjoint_times(w, z, again);
    EXPECT_TRUE(again == first) << count << " threads";
  }
  set_threads(before);
}

TEST(CodedDiffraction, RefusesMasksThatCannotWork) {
  EXPECT_THROW(CodedDiffractionOperator<Complex>(9, 9, octanary<Complex>(3, 72, 5)), InputError);
  const std::vector<Complex> dark(2 * 4, Complex(0));
  EXPECT_THROW(CodedDiffractionOperator<Complex>(2, 2, Masks<Complex>(2, 4, dark)), InputError);
  EXPECT_THROW(FourierTransform<double>(0, 5), InputError);
  const std::vector<Complex> table{1.0};
  EXPECT_THROW(Masks<Complex>(1, 2, std::vector<std::uint8_t>{0, 1}, table), InputError);
}

}  // namespace
}  // namespace projfgd::test
