// Smooth phases of an image, which overlapping frames tell least of all.
#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Phases on a coarse grid over an image, with straight lines between its nodes.
class SmoothPhases {
 public:
  SmoothPhases(Index height, Index width, Index spacing);

  /// The phases phi of all pixels that minimise
  ///   1/2 sum_x stiffness(x) |grad phi(x)|^2 - sum_x force(x) phi(x).
  Vector<double> solve(const Vector<double>& stiffness, const Vector<double>& force) const;

 private:
  /// The nodes of one axis and how pixels lie between them.
  struct Axis {
    Axis(Index pixels, Index spacing);
    Index pixels, cells;
    double step;  ///< pixels between nodes
    Index cell(Index i) const;
    double part(Index i) const { return static_cast<double>(i) / step - double(cell(i)); }
  };
  Index node(Index row, Index column) const { return row * (columns_.cells + 1) + column; }
  Index nodes() const { return (rows_.cells + 1) * (columns_.cells + 1); }
  /// visit(node, weight, pixel) for the four nodes around each pixel.
  template <class Visit>
  void visit_pixels(const Visit& visit) const;

  Axis rows_, columns_;
};

}  // namespace projfgd
