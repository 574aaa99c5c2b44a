#include "jobs/matrix/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/common/make_record.hpp"

namespace projfgd {
namespace {

/// Rows and columns of X of which no entry is known; none for other operators.
Index rows_without_entries(const MatrixDescription& d) {
  if (d.known.entries.empty()) return 0;
  std::vector<bool> seen(static_cast<std::size_t>(d.dimension));
  for (const KnownEntry& entry : d.known.entries) {
    seen[static_cast<std::size_t>(entry.row)] = seen[static_cast<std::size_t>(entry.column)] = true;
  }
  return std::ranges::count(seen, false);
}

/// Whether noise alone does not leave that much: the deviance is more than five of its standard
/// deviations above its mean, which is up to 1.2 for each count where they are small.
bool exceeds_counting_noise(Index counts, double objective) {
  const auto m = static_cast<double>(counts);
  return !(2 * objective <= 1.2 * m + 5 * std::sqrt(2 * m));
}

using Lines = std::vector<std::string>;

void judge_counts(Index counts, double objective, Json& summary, Lines& warnings) {
  const bool poor = exceeds_counting_noise(counts, objective);
  summary["fits_data"] = !poor;
  if (!poor || !std::isfinite(objective)) return;
  warnings.push_back(
      fmt::format("the fit is {:.1f} times worse than expected from counting noise: try a larger "
                  "--rank or --init random, or check that the model describes the data",
                  counts_misfit(counts, objective)));
}

void judge_bits(const MatrixDescription& d, double objective_per_bit, Lines& warnings) {
  constexpr double all_but_certain = 1e-3;  // nats a bit
  if (d.constraint.name != "none" || objective_per_bit >= all_but_certain) return;
  warnings.emplace_back(
      "X predicts every bit, and larger multiples of X fit even better: the data do not "
      "determine its scale; set one with --constraint frobenius-ball:RADIUS");
}

}  // namespace

double counts_misfit(Index counts, double objective) {
  return std::sqrt(2 * objective / static_cast<double>(counts));
}

void judge_matrix(const MatrixDescription& d, double nothing, Json& summary) {
  const double objective = summary["objective"];
  const Index m = summary["measurements"];
  const std::string loss = require_string(d.loss, "type", d.path);
  Lines warnings;
  if (loss == "poisson") {
    judge_counts(m, objective, summary, warnings);
  } else if (loss == "logistic") {
    judge_bits(d, objective / static_cast<double>(m), warnings);
  } else if (nothing > 0) {  // half a square: its root is ||A(X) - y||, weighted or not
    summary["relative_misfit"] = std::sqrt(objective / nothing);
  }
  if (const Index open = rows_without_entries(d); open > 0) {
    warnings.push_back(fmt::format(
        "{} of {} rows have no known entry: the data do not determine X there", open, d.dimension));
  }
  add_warnings(warnings, summary);
}

}  // namespace projfgd
