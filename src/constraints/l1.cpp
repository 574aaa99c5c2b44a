#include "projfgd/constraints/l1.hpp"

#include <cmath>

#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/simplex.hpp"

namespace projfgd {
namespace {

/// Room for the moduli of u, kept between calls.
template <class R>
Vector<R>& moduli_buffer() {
  thread_local Vector<R> moduli;
  return moduli;
}

}  // namespace

template <class S>
void L1Ball::project(Matrix<S>& u) const {
  using Real = RealOf<S>;
  Vector<Real>& moduli = moduli_buffer<Real>();
  moduli = u.reshaped().cwiseAbs();
  if (moduli.template cast<double>().sum() <= radius_ || !moduli.allFinite()) return;
  project_simplex<Real>(moduli, radius_);
  for (Index k = 0; k < u.size(); ++k) {
    S& entry = u.data()[k];
    if constexpr (is_complex<S>) {
      entry = moduli[k] > 0 ? entry * (moduli[k] / std::abs(entry)) : S(0);
    } else {
      entry = std::copysign(moduli[k], entry);
    }
  }
}

template <class S>
void NonnegativeL1Ball::project(Matrix<S>& u) const {
  Nonnegative().project(u);
  if constexpr (is_complex<S>) {
    using Real = RealOf<S>;
    Vector<Real>& moduli = moduli_buffer<Real>();
    moduli = u.reshaped().real();
    project_simplex<Real>(moduli, radius_);
    u.reshaped() = moduli.template cast<S>();
  } else {
    project_simplex<S>(u.reshaped(), radius_);
  }
}

template void L1Ball::project(Matrix<float>&) const;
template void L1Ball::project(Matrix<double>&) const;
template void L1Ball::project(Matrix<std::complex<float>>&) const;
template void L1Ball::project(Matrix<std::complex<double>>&) const;
template void NonnegativeL1Ball::project(Matrix<float>&) const;
template void NonnegativeL1Ball::project(Matrix<double>&) const;
template void NonnegativeL1Ball::project(Matrix<std::complex<float>>&) const;
template void NonnegativeL1Ball::project(Matrix<std::complex<double>>&) const;

}  // namespace projfgd
