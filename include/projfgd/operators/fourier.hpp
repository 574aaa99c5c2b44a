// The one door to the Fourier library. Another library can stand in by replacing
// src/operators/fourier.cpp and the file beside it.
#pragma once

#include <complex>
#include <memory>

#include "projfgd/core/buffer_pool.hpp"
#include "projfgd/core/factor.hpp"
#include "projfgd/core/function_ref.hpp"
#include "projfgd/operators/piece.hpp"

namespace projfgd {

/// The discrete Fourier transform of height x width arrays in row-major order, without a scaling:
///
///   v(k, l) = sum_ij x(i, j) exp(-2 pi i (i k / height + j l / width)),
///
/// and `backward` its adjoint, so that backward after forward multiplies by height * width.
///
/// Rows are transformed one by one, columns in bundles that fit in the cache, and there a visitor
/// sees them piece by piece: what is done to v costs no way through memory. A length that is
/// prime and one more than a product of small primes is turned into a cyclic convolution of whole
/// bundles (Rader 1968): 883 x 1280 takes half the time of one call to the library below. Plans are
/// made without timing anything, so the same input gives the same bits in every run, and for any
/// number of threads. Calls are safe from several threads; a call outside a parallel region uses
/// them all.
template <class R>
class FourierTransform {
 public:
  using Complex = std::complex<R>;
  /// Writes row i of the input to the place given.
  using RowSource = FunctionRef<void(Index i, Complex* row)>;
  /// Takes row i of the output.
  using RowSink = FunctionRef<void(Index i, const Complex* row)>;
  /// Sees, and may change, a piece of v. What it returns is added up, in order.
  using Visit = FunctionRef<double(const Piece<Complex>& piece)>;

  /// Throws InputError unless both lengths are positive.
  FourierTransform(Index height, Index width);

  Index height() const;
  Index width() const;

  /// Shows the visitor the transform of the source.
  double forward(const RowSource& source, const Visit& visit) const;
  /// The adjoint transform of what the visitor writes.
  double backward(const Visit& fill, const RowSink& sink) const;
  /// The adjoint transform of what the visitor makes of the transform of the source.
  double through(const RowSource& source, const Visit& visit, const RowSink& sink) const;

  /// With v in memory, height * width numbers.
  void forward(const RowSource& source, Complex* v) const;
  void backward(const Complex* v, const RowSink& sink) const;

 private:
  struct Plans;
  enum class Stages { forward, backward, both };
  void read(const RowSource& source, Complex* buffer) const;
  double visit_columns(Stages stages, Complex* buffer, const Visit& visit) const;
  void write(Complex* buffer, const RowSink& sink) const;

  std::shared_ptr<const Plans> plans_;
  mutable BufferPool<Complex> buffers_;
  mutable BufferPool<double> terms_;  // of sums that are taken in order
};

}  // namespace projfgd
