#include "operators/smooth_phases.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <vector>

namespace projfgd {
namespace {

/// Part of the largest stiffness that holds every node, so that dark ones, and the constant that is
/// free, do not run away.
constexpr double hold = 1e-4;

}  // namespace

SmoothPhases::Axis::Axis(Index n, Index spacing)
    : pixels(n),
      cells(std::max<Index>(1, (n + spacing - 1) / spacing)),
      step(std::max(1.0, static_cast<double>(n - 1) / static_cast<double>(cells))) {}

Index SmoothPhases::Axis::cell(Index i) const {
  return std::min(static_cast<Index>(static_cast<double>(i) / step), cells - 1);
}

SmoothPhases::SmoothPhases(Index height, Index width, Index spacing)
    : rows_(height, spacing), columns_(width, spacing) {}

template <class Visit>
void SmoothPhases::visit_pixels(const Visit& visit) const {
  for (Index i = 0; i < rows_.pixels; ++i) {
    const Index row = rows_.cell(i);
    const double down = rows_.part(i);
    for (Index k = 0; k < columns_.pixels; ++k) {
      const Index column = columns_.cell(k), pixel = i * columns_.pixels + k;
      const double across = columns_.part(k);
      visit(node(row, column), (1 - down) * (1 - across), pixel);
      visit(node(row, column + 1), (1 - down) * across, pixel);
      visit(node(row + 1, column), down * (1 - across), pixel);
      visit(node(row + 1, column + 1), down * across, pixel);
    }
  }
}

/// An edge between two nodes is as stiff as the pixels beside it, each by its share.
Vector<double> SmoothPhases::solve(const Vector<double>& stiffness,
                                   const Vector<double>& force) const {
  Vector<double> across = Vector<double>::Zero(nodes()), down = across, pull = across;
  for (Index i = 0; i < rows_.pixels; ++i) {
    const Index row = rows_.cell(i);
    const double low = rows_.part(i);
    for (Index k = 0; k < columns_.pixels; ++k) {
      const Index column = columns_.cell(k);
      const double right = columns_.part(k), here = stiffness[i * columns_.pixels + k];
      across[node(row, column)] += (1 - low) * here;
      across[node(row + 1, column)] += low * here;
      down[node(row, column)] += (1 - right) * here;
      down[node(row, column + 1)] += right * here;
    }
  }
  across /= columns_.step * columns_.step;
  down /= rows_.step * rows_.step;
  visit_pixels([&](Index n, double weight, Index pixel) { pull[n] += weight * force[pixel]; });

  Vector<double> diagonal = Vector<double>::Zero(nodes());
  std::vector<Eigen::Triplet<double>> entries;
  const auto join = [&](Index a, Index b, double edge) {
    diagonal[a] += edge;
    diagonal[b] += edge;
    entries.emplace_back(static_cast<int>(b), static_cast<int>(a), -edge);
  };
  for (Index row = 0; row <= rows_.cells; ++row) {
    for (Index column = 0; column <= columns_.cells; ++column) {
      const Index n = node(row, column);
      if (column < columns_.cells) join(n, node(row, column + 1), across[n]);
      if (row < rows_.cells) join(n, node(row + 1, column), down[n]);
    }
  }
  const double held = hold * diagonal.maxCoeff();
  Vector<double> phases = Vector<double>::Zero(stiffness.size());
  if (!(held > 0)) return phases;
  for (Index n = 0; n < nodes(); ++n) {
    entries.emplace_back(static_cast<int>(n), static_cast<int>(n), diagonal[n] + held);
  }
  Eigen::SparseMatrix<double> matrix(nodes(), nodes());
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> factored(matrix);
  if (factored.info() != Eigen::Success) return phases;
  const Vector<double> found = factored.solve(pull);
  visit_pixels([&](Index n, double weight, Index pixel) { phases[pixel] += weight * found[n]; });
  return phases;
}

}  // namespace projfgd
