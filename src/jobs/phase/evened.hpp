// Coordinates in which every pixel is measured alike.
#pragma once

#include <utility>

#include "projfgd/core/archive.hpp"
#include "projfgd/core/elements.hpp"
#include "projfgd/core/values.hpp"

namespace projfgd {

/// f(D w) as a function of w, with a diagonal D >= 0. Masks that let more light through to some
/// pixels curve f more along those; with A^H A = D^{-2} it is curved alike along all of them.
/// Sets that ask the same of every pixel, whatever its size, hold D w exactly when they hold w.
template <class O>
class Evened {
 public:
  using Factor = typename O::Factor;
  using OnlyTimesItsPoint = void;

  /// Keeps a reference to f, which must outlive it.
  Evened(O& f, Factor diagonal) : f_(f), diagonal_(std::move(diagonal)) {}

  Index rows() const { return f_.rows(); }
  double at(const Factor& w) { return f_.at(image(w)); }
  void gradient_times(const Factor& w, Factor& g) {
    f_.gradient_times(image(w), g);
    map_entries(g, element::TimesReal{}, diagonal_);
  }

  void keep(Archive& archive) { archive(f_); }

  /// D w, until another is asked for.
  const Factor& image(const Factor& w) const {
    image_ = w;
    map_entries(image_, element::TimesReal{}, diagonal_);
    return image_;
  }
  /// D^+ z
  Factor coordinates(Factor z) const {
    map_entries(z, element::OverReal{}, diagonal_);
    return z;
  }

 private:
  O& f_;
  Factor diagonal_;
  mutable Factor image_;
};

}  // namespace projfgd
