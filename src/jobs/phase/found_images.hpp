// The different images that attempts came to.
#pragma once

#include <algorithm>
#include <vector>

#include "jobs/phase/attempt.hpp"
#include "jobs/phase/readings.hpp"
#include "jobs/phase/symmetry.hpp"
#include "projfgd/core/archive.hpp"
#include "projfgd/measures/image.hpp"

namespace projfgd {

/// An image and how many attempts came to it.
template <class F>
struct FoundImage {
  Attempt<F> attempt;
  int found = 1;
  void keep(Archive& archive) { archive(attempt, found); }
};

template <class F>
class FoundImages {
 public:
  /// Misfits below `exact` are none.
  FoundImages(PatternLayout layout, double exact) : layout_(layout), exact_(exact) {}

  void keep(Archive& archive) { archive(images_); }

  int size() const { return static_cast<int>(images_.size()); }
  FoundImage<F>& best() { return *std::ranges::min_element(images_, {}, misfit_in); }

  /// Images that differ by no more than what they leave unexplained are one.
  bool are_same(const F& z, double misfit, const Attempt<F>& other) const {
    const double near = std::max({misfit, other.misfit, exact_});
    if (aligned_error(z, other.image) <= near) return true;
    return !layout_.masks &&
           nearest_symmetry<typename F::Scalar>(copy_to_host(z), copy_to_host(other.image),
                                                layout_.height, layout_.width)
                   .error <= near;
  }

  bool know(const F& z, double misfit) const {
    return std::ranges::any_of(
        images_, [&](const FoundImage<F>& image) { return are_same(z, misfit, image.attempt); });
  }

  /// Puts an attempt with those that came to the same image.
  void add(const Attempt<F>& attempt) {
    for (FoundImage<F>& image : images_) {
      if (!are_same(attempt.image, attempt.misfit, image.attempt)) continue;
      ++image.found;
      if (attempt.misfit < image.attempt.misfit) image.attempt = attempt;
      return;
    }
    images_.push_back({attempt});
  }

 private:
  static double misfit_in(const FoundImage<F>& image) { return image.attempt.misfit; }

  PatternLayout layout_;
  double exact_;
  std::vector<FoundImage<F>> images_;
};

}  // namespace projfgd
