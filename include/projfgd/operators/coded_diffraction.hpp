#pragma once

#include "projfgd/operators/diagonal_normal.hpp"
#include "projfgd/operators/fourier.hpp"
#include "projfgd/operators/masks.hpp"

namespace projfgd {

/// Coded diffraction patterns: (A z)_{l,k} = sum_t conj(d_l(t)) z(t) exp(-2 pi i <k, t>), the
/// Fourier transform of a height x width image behind each of L masks. Row-major images; a
/// one-dimensional signal has height 1. One block a mask; A^H A = n diag(sum_l |d_l|^2). Pixels
/// that every mask blocks are left at 0.
template <class S>
class CodedDiffractionOperator final : public DiagonalNormalOperator<S> {
 public:
  using typename BlockOperator<S>::Real;
  using typename BlockOperator<S>::Factor;
  using typename BlockOperator<S>::Into;
  using typename BlockOperator<S>::Visit;

  /// Throws InputError when the masks are not of height * width entries, or block everything.
  CodedDiffractionOperator(Index height, Index width, Masks<S> masks);

  Index rows() const override { return masks_.size(); }
  Index measurements() const override { return masks_.size() * masks_.count(); }
  Index block_size() const override { return masks_.size(); }
  Index height() const { return transform_.height(); }
  Index width() const { return transform_.width(); }
  const Masks<S>& masks() const { return masks_; }
  /// Below which |d|^2 is taken for this in a pseudo-inverse.
  Real faint() const { return faint_; }

 protected:
  double visit_block(Index b, const S* z, const Visit& visit, S* out, Into into) const override;

 private:
  /// row = conj(d) z for a row i of mask b.
  void mask_row(Index b, Index i, const S* z, S* row) const;
  /// What becomes of d row.
  void unmask_row(Index b, Index i, const S* row, S* out, Into into) const;

  FourierTransform<Real> transform_;
  Masks<S> masks_;
  /// A mask that lets less of |d|^2 through says little about that pixel, and its pseudo-inverse is
  /// damped there: a quarter of the mean, so that octanary and ternary masks are not touched.
  Real faint_;
};

}  // namespace projfgd
