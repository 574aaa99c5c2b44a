#pragma once

#include <memory>
#include <vector>

#include "projfgd/operators/diagonal_normal.hpp"
#include "projfgd/operators/fourier.hpp"

namespace projfgd {

/// Where the first entry of the probe lies on the object, in pixels; fractions are allowed.
struct ScanPosition {
  double row = 0, column = 0;
};

/// The sizes of a ptychographic scan: frames of height x width pixels, made by a probe of that
/// size at each position on a larger object.
struct ScanGeometry {
  Index object_height = 0, object_width = 0;
  Index height = 0, width = 0;
  std::vector<ScanPosition> positions;

  Index frames() const { return static_cast<Index>(positions.size()); }
  Index object_size() const { return object_height * object_width; }
  Index frame_size() const { return height * width; }
};

/// Where frames lie and how fractions of a pixel move a probe, which both operators below share.
template <class S>
class Scan {
 public:
  using Real = RealOf<S>;

  /// Throws InputError for no positions, or one whose frame is not within the object.
  explicit Scan(ScanGeometry geometry);

  const ScanGeometry& geometry() const { return geometry_; }
  const FourierTransform<Real>& transform() const { return transform_; }
  /// Number of the first pixel of the object that frame j sees.
  Index first_pixel(Index j) const { return first_[static_cast<std::size_t>(j)]; }
  /// Frames with one fraction of a pixel have one number; -1 without a fraction.
  Index shift_number(Index j) const { return shift_of_[static_cast<std::size_t>(j)]; }
  Index shifts() const { return static_cast<Index>(ramps_.size()); }

  /// out = the probe moved by fraction number k of a pixel, by a ramp on its Fourier transform;
  /// adjoint: moved back.
  void shift(Index k, const S* probe, S* out, bool adjoint = false) const;
  /// The probe and, after it, the same at every fraction of a pixel.
  Vector<S> shifted(const S* probe) const;
  /// sum_j |P_j|^2 where the windows lie, of shifted probes, for each pixel of the object.
  Vector<double> light(const Vector<S>& probes) const;

 private:
  ScanGeometry geometry_;
  FourierTransform<Real> transform_;
  std::vector<Index> first_, shift_of_;
  /// Factors of the frequencies of rows and columns that move a probe.
  struct Ramp {
    Vector<S> rows, columns;
  };
  std::vector<Ramp> ramps_;
};

/// What the pseudo-inverse of a frame divides by where the probe has this |P|^2, beside its
/// brightest: where the probe is fainter a frame says less of the object, and its step is damped
/// (ePIE: Maiden and Rodenburg, Ultramicroscopy 109 (2009)). One formula for every place.
template <class R>
constexpr R damped_light(R light, R brightest) {
  return (brightest + light) / 2;
}

/// Ptychography with a known probe P: (A z)_j = F(P_j . z[window_j]), P_j the probe at the fraction
/// of a pixel that position j has. z is the object, row-major; one block a frame. A^H A is
/// diagonal, the frame's size times sum_j |P_j|^2 where the windows lie.
template <class S>
class PtychographyOperator final : public DiagonalNormalOperator<S> {
 public:
  using typename BlockOperator<S>::Real;
  using typename BlockOperator<S>::Factor;
  using typename BlockOperator<S>::ComplexValues;
  using typename BlockOperator<S>::Into;
  using typename BlockOperator<S>::Visit;

  /// Throws InputError when the probe does not have the size of a frame, or is dark.
  PtychographyOperator(std::shared_ptr<const Scan<S>> scan, const Vector<S>& probe);

  /// Another probe for the same scan.
  void set_probe(const Vector<S>& probe);

  const Scan<S>& scan() const { return *scan_; }
  /// The probe, and after it the same at every fraction of a pixel.
  const Vector<S>& probes() const { return probes_; }
  /// Its largest |P|^2.
  Real most_light() const { return brightest_; }
  Index rows() const override { return scan_->geometry().object_size(); }
  Index measurements() const override {
    return scan_->geometry().frames() * scan_->geometry().frame_size();
  }
  Index block_size() const override { return scan_->geometry().frame_size(); }
  /// A phase phi of the object that is smooth over a probe only moves the patterns, by its slope.
  /// It changes the moduli by kappa |grad phi|^2 of the light, kappa being the mean square of their
  /// own slope, and not by |phi|^2, as (A^H A)^+ has it: M solves for such phases apart.
  void precondition(const Factor& z, const ComplexValues& image, Factor& g) const;

 protected:
  double visit_block(Index b, const S* z, const Visit& visit, S* out, Into into) const override;

 private:
  const S* probe_of(Index j) const {
    return probes_.data() + (scan_->shift_number(j) + 1) * block_size();
  }

  std::shared_ptr<const Scan<S>> scan_;
  Vector<S> probes_;    ///< the probe, and the same at every fraction of a pixel
  Real brightest_ = 0;  ///< the brightest |P|^2
};

/// Object and probe together, z = (O, P) in one column. The frames A z = F(P_j . O[window_j]) are
/// quadratic in z, and this operator is their derivative at the point that it was moved to,
///
///   (A'(z) d)_j = F(P_j . dO[window_j] + dP_j . O[window_j]),   A z = A'(z / 2) z.
///
/// Its normal equations are taken as those of the object and, after them, those of the probe, each
/// by itself: the former are diagonal, and so are the latter where positions are whole.
/// project_block() goes by the frames of its own z: object and probe each move as if the other were
/// right, damped where that is dark (ePIE: Maiden and Rodenburg, Ultramicroscopy 109 (2009)).
template <class S>
class JointScanOperator final : public DiagonalNormalOperator<S> {
 public:
  using typename BlockOperator<S>::Real;
  using typename BlockOperator<S>::Factor;
  using typename BlockOperator<S>::ComplexValues;
  using typename BlockOperator<S>::Into;
  using typename BlockOperator<S>::Visit;

  JointScanOperator(std::shared_ptr<const Scan<S>> scan, const Factor& z);

  /// Throws InputError when z does not have the size of an object and a frame.
  void move_to(const Factor& z);

  Index rows() const override { return objects() + block_size(); }
  Index measurements() const override { return scan_->geometry().frames() * block_size(); }
  Index block_size() const override { return scan_->geometry().frame_size(); }
  /// As PtychographyOperator does for the object.
  void precondition(const Factor& z, const ComplexValues& image, Factor& g) const;

 protected:
  double visit_block(Index b, const S* z, const Visit& visit, S* out, Into into) const override;

 private:
  Index objects() const { return scan_->geometry().object_size(); }
  double fit_block(Index b, const S* z, const Visit& visit, S* out) const;
  void add_to_probe(Index shift, S* received, S* probe) const;

  std::shared_ptr<const Scan<S>> scan_;
  Factor point_;
  Vector<S> probes_;  ///< that of the point at every fraction of a pixel
  mutable BufferPool<S> buffers_;
};

}  // namespace projfgd
