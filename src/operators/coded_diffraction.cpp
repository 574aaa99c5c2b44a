#include "projfgd/operators/coded_diffraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "projfgd/core/error.hpp"

namespace projfgd {

template <class S>
CodedDiffractionOperator<S>::CodedDiffractionOperator(Index height, Index width, Masks<S> masks)
    : transform_(height, width), masks_(std::move(masks)) {
  const Index n = height * width;
  if (masks_.size() != n || masks_.count() < 1) {
    throw InputError(fmt::format("masks: found {} of {} entries, expected at least 1 of {} x {}",
                                 masks_.count(), masks_.size(), height, width));
  }
  Vector<double> normal = Vector<double>::Zero(n);
  for (Index l = 0; l < masks_.count(); ++l) {
    masks_.with(l, 0, [&](const auto& mask) {
      for (Index k = 0; k < n; ++k) normal[k] += std::norm(std::complex<double>(mask(k)));
    });
  }
  if (!(normal.maxCoeff() > 0)) {
    throw InputError("masks: found 0 everywhere, expected some light to pass");
  }
  faint_ = static_cast<Real>(0.25 * normal.sum() / static_cast<double>(n * masks_.count()));
  const auto inverse = [n](double d) { return d > 0 ? 1 / (static_cast<double>(n) * d) : 0.0; };
  root_ = normal.unaryExpr(inverse).cwiseSqrt().template cast<Real>();
}

template <class S>
void CodedDiffractionOperator<S>::apply_block(Index b, const S* z, S* v) const {
  const Index w = width();
  const auto source = [&](Index i, S* row) {
    const S* from = z + i * w;
    masks_.with(b, i * w, [&](const auto& mask) {
      for (Index k = 0; k < w; ++k) {
        const S d = mask(k);  // conj(d) z, spelt out: the library's product checks for infinities
        row[k] = S(d.real() * from[k].real() + d.imag() * from[k].imag(),
                   d.real() * from[k].imag() - d.imag() * from[k].real());
      }
    });
  };
  transform_.forward(source, v);
}

template <class S>
template <class Take>
void CodedDiffractionOperator<S>::backward(Index b, S* v, const Take& take) const {
  const Index w = width();
  const auto sink = [&](Index i, const S* row) {
    masks_.with(b, i * w, [&](const auto& mask) {
      for (Index k = 0; k < w; ++k) {
        const S d = mask(k);
        take(i * w + k, d,
             S(d.real() * row[k].real() - d.imag() * row[k].imag(),
               d.real() * row[k].imag() + d.imag() * row[k].real()));
      }
    });
  };
  transform_.backward(v, sink);
}

template <class S>
void CodedDiffractionOperator<S>::adjoint_block(Index b, S* v, S* out, Into into) const {
  if (into == Into::sum) {
    backward(b, v, [out](Index k, S, S result) { out[k] += result; });
  } else {
    backward(b, v, [out](Index k, S, S result) { out[k] = result; });
  }
}

template <class S>
void CodedDiffractionOperator<S>::add_pseudo_inverse_block(Index b, S* v, S* z) const {
  const Real n = static_cast<Real>(rows());
  backward(b, v, [=, this](Index k, S d, S result) {
    z[k] += result / (n * std::max(Real(std::norm(d)), faint_));
  });
}

template <class S>
void CodedDiffractionOperator<S>::solve_normal(Factor& g) const {
  for (Index c = 0; c < g.cols(); ++c) {
    g.col(c).array() *= root_.array().square().template cast<S>();
  }
}

template <class S>
void CodedDiffractionOperator<S>::solve_root(Factor& z) const {
  for (Index c = 0; c < z.cols(); ++c) {
    z.col(c).array() *= root_.array().template cast<S>();
  }
}

template <class S>
void CodedDiffractionOperator<S>::drop_unseen(Factor& z) const {
  for (Index k = 0; k < rows(); ++k) {
    if (!(root_[k] > 0)) z.row(k).setZero();
  }
}

template class CodedDiffractionOperator<std::complex<float>>;
template class CodedDiffractionOperator<std::complex<double>>;

}  // namespace projfgd
