// Runs a job of the installed library, from the data to the summary; the argument is a folder for
// the data.
#include <projfgd/jobs/simulate_tomography.hpp>
#include <projfgd/jobs/tomography.hpp>

int main(int, char** arguments) {
  projfgd::PauliSimulation simulation;
  simulation.qubits = 3;
  projfgd::simulate_pauli(simulation, arguments[1]);
  projfgd::TomographyInput input;
  input.data = {arguments[1]};
  projfgd::RunSettings settings;
  settings.rank = 1;
  const projfgd::RunRecord record = projfgd::run_tomography(input, settings);
  return record.summary.at("status") == "converged" ? 0 : 1;
}
