// Completion: a 400 x 400 positive semidefinite matrix of rank 3 from every tenth of its entries.
#include <cstdio>
#include <vector>

#include "projfgd/constraints/none.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/solvers/projfgd.hpp"

using projfgd::Index;
using Matrix = projfgd::Matrix<double>;
using Entries = projfgd::EntriesOperator<double>;

int main() {
  constexpr Index n = 400, rank = 3;
  Matrix truth(n, rank);
  fill_normal(projfgd::RandomStream(/*seed=*/1, /*stream=*/0), truth);

  std::vector<Entries::Place> places;  // on and above the diagonal; X is symmetric
  const projfgd::RandomStream coin(1, 1);
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = i; j < n; ++j) {
      if (coin.bits(static_cast<std::uint64_t>(i * n + j)) % 10 == 0) places.push_back({i, j});
    }
  }
  const Entries op(n, places);
  projfgd::Vector<double> known;
  op.forward(truth, known);

  projfgd::Composite f(op, projfgd::LeastSquares<double>(known));
  projfgd::Options options;
  options.tolerance = 1e-10;
  const auto result = projfgd::projfgd(f, projfgd::Unconstrained(), rank, options);

  const double error = projfgd::relative_error(result.factor, truth);
  std::printf("%zu entries known of %td: error of the whole matrix %.2g after %td iterations\n",
              places.size(), n * (n + 1) / 2, error, result.iterations);
  return error < 1e-8 ? 0 : 1;
}
