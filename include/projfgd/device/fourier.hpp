// The one door to the Fourier library of a device. It is implemented twice, as its memory is: by
// cuFFT, and by the host's library where the kernels run as plain loops for the tests.
#pragma once

#include <complex>
#include <memory>
#include <span>

#include "projfgd/device/memory.hpp"

namespace projfgd::device {

/// The discrete Fourier transform of height x width arrays in row-major order, without a scaling,
/// of several at a time and in place, as operators/fourier.hpp defines it.
template <class R>
class Fourier {
 public:
  /// Plans for so many arrays at a time, each of these counts. They take no work space yet. Throws
  /// ResourceError where the library fails.
  Fourier(Index height, Index width, std::span<const Index> counts);

  /// Bytes that prepare() takes.
  double bytes() const;
  /// Takes the work space, and runs every plan once on arrays whose numbers do not matter: a
  /// library that loads its kernels late does so here, and what cannot run fails here.
  void prepare(std::complex<R>* arrays);

  /// Of one of the counts that were planned, after prepare().
  void forward(Index count, std::complex<R>* arrays) const { run(count, arrays, true); }
  /// The adjoint.
  void backward(Index count, std::complex<R>* arrays) const { run(count, arrays, false); }

 private:
  struct Plans;
  void run(Index count, std::complex<R>* arrays, bool forward) const;

  std::shared_ptr<Plans> plans_;
};

}  // namespace projfgd::device
