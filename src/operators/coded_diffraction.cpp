#include "projfgd/operators/coded_diffraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "operators/plain_products.hpp"
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
    throw InputError("masks: found 0 everywhere, expected nonzero masks");
  }
  faint_ = static_cast<Real>(0.25 * normal.sum() / static_cast<double>(n * masks_.count()));
  this->set_root(inverse_roots<Real>(normal, n, 0));
}

template <class S>
void CodedDiffractionOperator<S>::mask_row(Index b, Index i, const S* z, S* row) const {
  const Index w = width();
  const S* from = z + i * w;
  masks_.with(b, i * w, [&](const auto& mask) {
    for (Index k = 0; k < w; ++k) {
      row[k] = conjugate_product(mask(k), from[k]);
    }
  });
}

template <class S>
void CodedDiffractionOperator<S>::unmask_row(Index b, Index i, const S* row, S* out,
                                             Into into) const {
  const Index w = width();
  S* to = out + i * w;
  masks_.with(b, i * w, [&](const auto& mask) {
    const auto for_each = [&](const auto& take) {
      for (Index k = 0; k < w; ++k) {
        const S d = mask(k);
        take(to[k], d, plain_product(d, row[k]));
      }
    };
    switch (into) {
      case Into::place:
        return for_each([](S& at, S, S result) { at = result; });
      case Into::sum:
        return for_each([](S& at, S, S result) { at += result; });
      case Into::pseudo_inverse:
        const Real n = static_cast<Real>(rows());
        return for_each([n, faint = faint_](S& at, S d, S result) {
          at += result / (n * std::max(Real(std::norm(d)), faint));
        });
    }
  });
}

template <class S>
double CodedDiffractionOperator<S>::visit_block(Index b, const S* z, const Visit& visit, S* out,
                                                Into into) const {
  const auto source = [&](Index i, S* row) { mask_row(b, i, z, row); };
  const auto sink = [&](Index i, const S* row) { unmask_row(b, i, row, out, into); };
  if (out == nullptr) return transform_.forward(source, visit);
  if (z == nullptr) return transform_.backward(visit, sink);
  return transform_.through(source, visit, sink);
}

template class CodedDiffractionOperator<std::complex<float>>;
template class CodedDiffractionOperator<std::complex<double>>;

}  // namespace projfgd
