// Where the frames of a scan lie on its object.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "operators/plain_products.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/operators/ptychography.hpp"

namespace projfgd {
namespace {

/// Fractions of a pixel that are told apart: what a shift by half of it changes is below what any
/// frame can tell.
constexpr double finest_fraction = 1.0 / 64;

/// exp(-2 pi i k f / n), which moves n numbers by f = steps of the finest fraction, with
/// frequencies k on both sides of 0, and the mean of both where k = n / 2.
template <class S>
Vector<S> ramp(Index n, Index steps) {
  Vector<S> factors(n);
  for (Index k = 0; k < n; ++k) {
    const double frequency = static_cast<double>(2 * k < n ? k : k - n) / static_cast<double>(n);
    const double turn =
        -2 * std::numbers::pi * finest_fraction * static_cast<double>(steps) * frequency;
    const std::complex<double> factor = std::polar(1.0, turn);
    factors[k] = 2 * k == n ? S(factor.real()) : S(factor);
  }
  return factors;
}

}  // namespace

template <class S>
Scan<S>::Scan(ScanGeometry geometry)
    : geometry_(std::move(geometry)), transform_(geometry_.height, geometry_.width) {
  if (geometry_.positions.empty()) {
    throw InputError("scan positions: found none, expected one for each frame");
  }
  std::vector<std::pair<Index, Index>> known;
  for (std::size_t j = 0; j < geometry_.positions.size(); ++j) {
    const ScanPosition at = geometry_.positions[j];
    const auto steps = [](double x) { return std::llround(x / finest_fraction); };
    constexpr auto whole = static_cast<long long>(1 / finest_fraction);
    const bool finite = std::isfinite(at.row) && std::isfinite(at.column) &&
                        std::abs(at.row) < 1e9 && std::abs(at.column) < 1e9;
    const long long row = finite ? steps(at.row) : -1, column = finite ? steps(at.column) : -1;
    if (row < 0 || column < 0 || row > whole * (geometry_.object_height - geometry_.height) ||
        column > whole * (geometry_.object_width - geometry_.width)) {
      throw InputError(fmt::format(
          "scan positions: frame {} is at row {}, column {}, expected one of {} x {} pixels "
          "within an object of {} x {}",
          j + 1, at.row, at.column, geometry_.height, geometry_.width, geometry_.object_height,
          geometry_.object_width));
    }
    first_.push_back(static_cast<Index>(row / whole) * geometry_.object_width +
                     static_cast<Index>(column / whole));
    const std::pair<Index, Index> fraction(row % whole, column % whole);
    if (fraction == std::pair<Index, Index>(0, 0)) {
      shift_of_.push_back(-1);
      continue;
    }
    const auto found = std::ranges::find(known, fraction);
    shift_of_.push_back(found - known.begin());
    if (found != known.end()) continue;
    known.push_back(fraction);
    ramps_.push_back(
        {ramp<S>(geometry_.height, fraction.first), ramp<S>(geometry_.width, fraction.second)});
  }
}

template <class S>
void Scan<S>::shift(Index k, const S* probe, S* out, bool adjoint) const {
  const Index h = geometry_.height, w = geometry_.width;
  const Ramp& ramp = ramps_[static_cast<std::size_t>(k)];
  const Real scale = 1 / static_cast<Real>(h * w);
  transform_.through([&](Index i, S* row) { std::copy_n(probe + i * w, w, row); },
                     [&](const Piece<S>& piece) {
                       for (Index l = 0; l < piece.lines; ++l) {
                         for (Index c = 0; c < piece.length; ++c) {
                           const Index at = piece.begin + piece.line[l] + c;
                           S& v = piece.v[l * piece.line_step + c * piece.step];
                           const S factor =
                               plain_product(ramp.rows[at / w], ramp.columns[at % w]) * scale;
                           v = adjoint ? conjugate_product(factor, v) : plain_product(factor, v);
                         }
                       }
                       return 0.0;
                     },
                     [&](Index i, const S* row) { std::copy_n(row, w, out + i * w); });
}

template <class S>
Vector<S> Scan<S>::shifted(const S* probe) const {
  const Index size = geometry_.frame_size();
  Vector<S> probes(size * (1 + shifts()));
  std::copy_n(probe, size, probes.data());
  for (Index k = 0; k < shifts(); ++k) shift(k, probe, probes.data() + (k + 1) * size);
  return probes;
}

template <class S>
Vector<double> Scan<S>::light(const Vector<S>& probes) const {
  const ScanGeometry& g = geometry_;
  Vector<double> sum = Vector<double>::Zero(g.object_size());
  for (Index j = 0; j < g.frames(); ++j) {
    const S* p = probes.data() + (shift_number(j) + 1) * g.frame_size();
    for (Index i = 0; i < g.height; ++i) {
      double* to = sum.data() + first_pixel(j) + i * g.object_width;
      for (Index k = 0; k < g.width; ++k) to[k] += std::norm(p[i * g.width + k]);
    }
  }
  return sum;
}

template class Scan<std::complex<float>>;
template class Scan<std::complex<double>>;

}  // namespace projfgd
