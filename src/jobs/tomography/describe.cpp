#include "jobs/tomography/describe.hpp"

#include "projfgd/measures/entanglement.hpp"

namespace projfgd {
namespace {

TargetComparison compare_with(const StateFactor& target, const std::string& name,
                              const StateFactor& state) {
  constexpr double low = 0.9, explained = 0.2;  // of what is lacking, at most left
  TargetComparison out{name, fidelity(state, target), trace_distance(state, target)};
  if (out.fidelity < low) {
    const double turned = fidelity(state, qubits_reversed(target));
    if (1 - turned < explained * (1 - out.fidelity)) out.fidelity_reversed = turned;
  }
  return out;
}

Vector<double> negativities(const StateFactor& state) {
  const int qubits = qubits_of(state.rows());
  if (qubits < 2 || qubits > most_qubits_of_negativity) return {};
  Vector<double> values(qubits);
  for (int qubit = 0; qubit < qubits; ++qubit) values[qubit] = negativity(state, {qubit});
  return values;
}

}  // namespace

StateDescription describe(const StateFactor& state, const Vector<double>& eigenvalues,
                          const StateQuestions& questions) {
  StateDescription out;
  out.purity = purity(state);
  out.entropy = entropy(eigenvalues);
  out.eigenvalues = eigenvalues;
  out.negativities = negativities(state);
  if (questions.target.size() > 0) {
    out.target = compare_with(questions.target, questions.target_name, state);
  }
  out.labels = questions.labels;
  out.expectations = expectations(questions.paulis, state);
  for (const std::vector<int>& qubits : questions.reduced) {
    out.reduced.push_back({qubits, reduced_state(state, qubits)});
  }
  return out;
}

}  // namespace projfgd
