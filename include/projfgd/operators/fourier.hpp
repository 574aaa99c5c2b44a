// The one door to the Fourier library. Another library can stand in by replacing
// src/operators/fourier.cpp.
#pragma once

#include <complex>
#include <memory>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/function_ref.hpp"

namespace projfgd {

/// The discrete Fourier transform of height x width arrays in row-major order, without a scaling:
///
///   v(k, l) = sum_ij x(i, j) exp(-2 pi i (i k / height + j l / width)),
///
/// and `backward` its adjoint, so that backward after forward multiplies by height * width.
///
/// Rows are transformed one by one, columns in bundles that fit in the cache. A length that is
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

  /// Throws InputError unless both lengths are positive.
  FourierTransform(Index height, Index width);

  Index height() const;
  Index width() const;

  void forward(const RowSource& source, Complex* v) const;
  /// Uses v as work space.
  void backward(Complex* v, const RowSink& sink) const;

 private:
  struct Plans;
  std::shared_ptr<const Plans> plans_;
};

}  // namespace projfgd
