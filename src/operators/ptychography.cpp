#include "projfgd/operators/ptychography.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>

#include "operators/plain_products.hpp"
#include "operators/smooth_phases.hpp"
#include "projfgd/core/error.hpp"

namespace projfgd {
namespace {

/// Part of the largest entry of a diagonal below which another is noise.
constexpr double unseen = 1e-6;

/// Nodes of smooth phases to a frame: half of a probe that fills half of it apart, which is where
/// frames begin to tell phases by themselves.
constexpr Index nodes_a_frame = 4;
/// Frames whose moduli are looked at: their slopes are alike.
constexpr Index frames_seen = 32;

/// The mean square by which a wave that is turned by one radian a pixel changes its moduli, as a
/// part of their own: such a turn moves a pattern by n / 2 pi of its pixels.
template <class S>
double modulus_slope(const Vector<S>& image, const ScanGeometry& g) {
  const Index h = g.height, w = g.width, step = std::max<Index>(1, g.frames() / frames_seen);
  const auto moved = [](Index n) { return static_cast<double>(n) / (4 * std::numbers::pi); };
  double change = 0, light = 0;
  Vector<double> b(g.frame_size());
  for (Index j = 0; j < g.frames(); j += step) {
    b = image.segment(j * g.frame_size(), g.frame_size()).cwiseAbs().template cast<double>();
    light += b.squaredNorm();
    for (Index i = 0; i < h; ++i) {
      const double *row = b.data() + i * w, *next = b.data() + (i + 1) % h * w,
                   *last = b.data() + (i + h - 1) % h * w;
      for (Index k = 0; k < w; ++k) {
        const double down = moved(h) * (next[k] - last[k]);
        const double across = moved(w) * (row[(k + 1) % w] - row[(k + w - 1) % w]);
        change += (down * down + across * across) / 2;
      }
    }
  }
  return light > 0 ? change / light : 0;
}

/// Part of the brightest light that is added to that of every pixel where steps are divided by it.
/// What is fainter, the rim of single frames, tells next to nothing, and its steps are noise that
/// the others wait for.
constexpr double faint = 1.0 / 64;

/// g divided by the light that falls on it; roots of 1 / light, 0 where there is none.
template <class Root, class Gradient>
void divide_by_light(const Root& root, Gradient g) {
  using R = typename Root::Scalar;
  const auto inverse = root.array().square();
  const R least = (inverse > 0).select(inverse, std::numeric_limits<R>::max()).minCoeff();
  g.array() *= (inverse / (1 + static_cast<R>(faint) / least * inverse))
                   .template cast<typename Gradient::Scalar>();
}

/// Row i of a window into an image.
template <class S>
S* window_row(S* image, Index first, Index i, Index image_width) {
  return image + first + i * image_width;
}

/// The smooth phases of an object z that its gradient g asks for, by which M differs from the
/// diagonal root^2.
template <class S>
Vector<double> smooth_phases(const ScanGeometry& geometry, const Vector<RealOf<S>>& root,
                             const Matrix<S>& z, const Vector<S>& image, const Matrix<S>& g) {
  // Waves that are long beside a probe are 6 to 7 times as stiff as kappa says, in units in which
  // the diagonal leaves 1 to 2 of those that are short: this makes them alike.
  constexpr double of_both = 0.125;
  const double slope = modulus_slope(image, geometry);
  Vector<double> stiffness(root.size()), force(root.size());
  for (Index k = 0; k < root.size(); ++k) {
    const auto r = static_cast<double>(root[k]);
    stiffness[k] = r > 0 ? slope * std::norm(z(k, 0)) / (r * r) : 0;
    force[k] = of_both * static_cast<double>((std::conj(z(k, 0)) * g(k, 0)).imag());
  }
  const Index spacing =
      std::max<Index>(1, std::min(geometry.height, geometry.width) / nodes_a_frame);
  return SmoothPhases(geometry.object_height, geometry.object_width, spacing)
      .solve(stiffness, force);
}

/// g += i phases z
template <class S>
void turn(const Matrix<S>& z, const Vector<double>& phases, Matrix<S>& g) {
  for (Index k = 0; k < phases.size(); ++k) {
    const auto phase = static_cast<RealOf<S>>(phases[k]);
    g(k, 0) += S(-z(k, 0).imag() * phase, z(k, 0).real() * phase);
  }
}

/// The largest |v|^2.
template <class S>
RealOf<S> brightest(const Vector<S>& v) {
  return v.cwiseAbs2().maxCoeff();
}

}  // namespace

template <class S>
PtychographyOperator<S>::PtychographyOperator(std::shared_ptr<const Scan<S>> scan,
                                              const Vector<S>& probe)
    : scan_(std::move(scan)) {
  set_probe(probe);
}

template <class S>
void PtychographyOperator<S>::set_probe(const Vector<S>& probe) {
  const ScanGeometry& g = scan_->geometry();
  const Index size = g.frame_size();
  if (probe.size() != size) {
    throw InputError(fmt::format("probe: found {} pixels, expected {} x {} like a frame",
                                 probe.size(), g.height, g.width));
  }
  if (!(brightest(probe) > 0)) {
    throw InputError("probe: found 0 everywhere, expected some light");
  }
  probes_ = scan_->shifted(probe.data());
  brightest_ = brightest(probe);
  this->set_root(inverse_roots<Real>(scan_->light(probes_), size, unseen));
}

template <class S>
double PtychographyOperator<S>::visit_block(Index b, const S* z, const Visit& visit, S* out,
                                            Into into) const {
  const Index w = scan_->geometry().width, object_width = scan_->geometry().object_width;
  const Index first = scan_->first_pixel(b);
  const S* const probe = probe_of(b);
  const auto source = [&](Index i, S* row) {
    const S *from = window_row(z, first, i, object_width), *p = probe + i * w;
    for (Index k = 0; k < w; ++k) row[k] = plain_product(p[k], from[k]);
  };
  const auto sink = [&](Index i, const S* row) {
    S* to = window_row(out, first, i, object_width);
    const S* p = probe + i * w;
    if (into == Into::pseudo_inverse) {
      const Real n = static_cast<Real>(this->block_size());
      for (Index k = 0; k < w; ++k) {
        to[k] += conjugate_product(p[k], row[k]) / (n * damped_light(std::norm(p[k]), brightest_));
      }
    } else {
      for (Index k = 0; k < w; ++k) to[k] += conjugate_product(p[k], row[k]);
    }
  };
  if (out == nullptr) return scan_->transform().forward(source, visit);
  if (into == Into::place) std::fill_n(out, rows(), S(0));
  if (z == nullptr) return scan_->transform().backward(visit, sink);
  return scan_->transform().through(source, visit, sink);
}

template <class S>
void PtychographyOperator<S>::precondition(const Factor& z, const ComplexValues& image,
                                           Factor& g) const {
  const Vector<double> phases = smooth_phases<S>(scan_->geometry(), this->root(), z, image, g);
  divide_by_light(this->root(), g.col(0));
  turn<S>(z, phases, g);
}

template <class S>
JointScanOperator<S>::JointScanOperator(std::shared_ptr<const Scan<S>> scan, const Factor& z)
    : scan_(std::move(scan)) {
  move_to(z);
}

template <class S>
void JointScanOperator<S>::move_to(const Factor& z) {
  require_factor(z, rows());
  const ScanGeometry& g = scan_->geometry();
  point_ = z;
  probes_ = scan_->shifted(point_.data() + objects());
  Vector<double> of_probe = Vector<double>::Zero(block_size());
  for (Index j = 0; j < g.frames(); ++j) {
    for (Index i = 0; i < g.height; ++i) {
      const S* o = window_row(point_.data(), scan_->first_pixel(j), i, g.object_width);
      for (Index k = 0; k < g.width; ++k) of_probe[i * g.width + k] += std::norm(o[k]);
    }
  }
  Vector<Real> root(rows());
  root << inverse_roots<Real>(scan_->light(probes_), block_size(), unseen),
      inverse_roots<Real>(of_probe, block_size(), unseen);
  this->set_root(std::move(root));
}

template <class S>
double JointScanOperator<S>::visit_block(Index b, const S* z, const Visit& visit, S* out,
                                         Into into) const {
  if (into == Into::pseudo_inverse) return fit_block(b, z, visit, out);
  const Index w = scan_->geometry().width, object_width = scan_->geometry().object_width;
  const Index first = scan_->first_pixel(b), size = block_size(), shift = scan_->shift_number(b);
  const S* const probe = probes_.data() + (shift + 1) * size;
  const auto here = buffers_.lend(size), there = buffers_.lend(size);
  const S* moved = z != nullptr ? z + objects() : nullptr;
  if (moved != nullptr && shift >= 0) {
    scan_->shift(shift, moved, here.get());
    moved = here.get();
  }
  const auto source = [&](Index i, S* row) {
    const S *o = window_row(point_.data(), first, i, object_width), *p = probe + i * w;
    const S *from = window_row(z, first, i, object_width), *more = moved + i * w;
    for (Index k = 0; k < w; ++k) {
      row[k] = plain_product(p[k], from[k]) + plain_product(more[k], o[k]);
    }
  };
  if (out == nullptr) return scan_->transform().forward(source, visit);
  if (into == Into::place) std::fill_n(out, rows(), S(0));
  const auto sink = [&](Index i, const S* row) {
    const S *o = window_row(point_.data(), first, i, object_width), *p = probe + i * w;
    S *to = window_row(out, first, i, object_width), *to_probe = there.get() + i * w;
    for (Index k = 0; k < w; ++k) {
      to[k] += conjugate_product(p[k], row[k]);
      to_probe[k] = conjugate_product(o[k], row[k]);
    }
  };
  const double sum = z == nullptr ? scan_->transform().backward(visit, sink)
                                  : scan_->transform().through(source, visit, sink);
  add_to_probe(shift, there.get(), out + objects());
  return sum;
}

/// What a probe at a fraction of a pixel receives is moved back before it is added.
template <class S>
void JointScanOperator<S>::add_to_probe(Index shift, S* received, S* probe) const {
  if (shift >= 0) scan_->shift(shift, received, received, true);
  Eigen::Map<Vector<S>>(probe, block_size()) += Eigen::Map<const Vector<S>>(received, block_size());
}

template <class S>
double JointScanOperator<S>::fit_block(Index b, const S* z, const Visit& visit, S* out) const {
  const Index w = scan_->geometry().width, object_width = scan_->geometry().object_width;
  const Index first = scan_->first_pixel(b), size = block_size(), shift = scan_->shift_number(b);
  const auto here = buffers_.lend(size), there = buffers_.lend(size);
  S* const probe = here.get();
  if (shift >= 0) {
    scan_->shift(shift, z + objects(), probe);
  } else {
    std::copy_n(z + objects(), size, probe);
  }
  Real bright_object = 0, bright_probe = 0;
  const auto source = [&](Index i, S* row) {
    const S *o = window_row(z, first, i, object_width), *p = probe + i * w;
    for (Index k = 0; k < w; ++k) {
      row[k] = plain_product(p[k], o[k]);
      bright_object = std::max(bright_object, std::norm(o[k]));
      bright_probe = std::max(bright_probe, std::norm(p[k]));
    }
  };
  const auto sink = [&](Index i, const S* row) {
    const Real n = static_cast<Real>(size);
    const Real of_object = bright_probe > 0 ? 1 / (n * bright_probe) : Real(0);
    const Real of_probe = bright_object > 0 ? 1 / (n * bright_object) : Real(0);
    S *o = window_row(out, first, i, object_width), *to_probe = there.get() + i * w;
    const S* p = probe + i * w;
    for (Index k = 0; k < w; ++k) {
      to_probe[k] = of_probe * conjugate_product(o[k], row[k]);
      o[k] += of_object * conjugate_product(p[k], row[k]);
    }
  };
  const double sum = scan_->transform().through(source, visit, sink);
  add_to_probe(shift, there.get(), out + objects());
  return sum;
}

template <class S>
void JointScanOperator<S>::precondition(const Factor& z, const ComplexValues& image,
                                        Factor& g) const {
  const Vector<double> phases =
      smooth_phases<S>(scan_->geometry(), this->root().head(objects()), z, image, g);
  divide_by_light(this->root().head(objects()), g.col(0).head(objects()));
  divide_by_light(this->root().tail(block_size()), g.col(0).tail(block_size()));
  turn<S>(z, phases, g);
}

template class PtychographyOperator<std::complex<float>>;
template class PtychographyOperator<std::complex<double>>;
template class JointScanOperator<std::complex<float>>;
template class JointScanOperator<std::complex<double>>;

}  // namespace projfgd
