#include "projfgd/measures/model_choice.hpp"

#include <algorithm>
#include <cmath>

namespace projfgd {
namespace {

// The penalties that left the smallest mean infidelity over eight families of states of two and
// three qubits, as multiples of that of the best fixed model: 1.69 and 1.30 for the worst family.
constexpr double price_of_parameter = 2;
constexpr double price_at_full_rank = 1.3;

}  // namespace

double model_penalty(const StateModelKind& kind, Index n, double shots_per_setting) {
  const auto dimension = static_cast<double>(n), r = static_cast<double>(kind.rank);
  const double scale = std::log(std::max(shots_per_setting, 1.0)) / 2;
  if (kind.rank == n) return price_at_full_rank * dimension * (dimension - 2) + scale;
  return price_of_parameter * (r - 1) * (2 * dimension - r - 1) + (kind.white ? scale : 0);
}

std::vector<double> model_weights(const std::vector<FittedModel>& models, Index n,
                                  double shots_per_setting) {
  std::vector<double> scores;
  for (const FittedModel& model : models) {
    scores.push_back(model.log_likelihood - model_penalty(model.kind, n, shots_per_setting));
  }
  const double best = *std::ranges::max_element(scores);
  std::vector<double> weights;
  double sum = 0;
  for (const double score : scores) {
    const double weight = std::exp(score - best);
    weights.push_back(weight < negligible_weight ? 0 : weight);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace projfgd
