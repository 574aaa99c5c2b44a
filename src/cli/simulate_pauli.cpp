#include <memory>

#include "projfgd/core/require.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "simulate.hpp"

namespace projfgd {

void add_simulate_pauli(CLI::App& simulate, Cli& cli) {
  CLI::App* verb = add_verb(
      simulate, "pauli", "Pauli expectations of a random state: pauli.csv and truth.npy",
      "  projfgd simulate pauli --qubits 10 --rank 1 --csam 3 --noise-norm 1e-3 --out data");
  const auto s = std::make_shared<PauliSimulation>();
  add_integer(*verb, "--qubits", s->qubits, "Number of qubits q")->required()->type_name("Q");
  add_integer(*verb, "--rank", s->rank, "Rank of the state")->type_name("R")->capture_default_str();
  add_number(*verb, "--csam", s->csam, "Number of distinct strings: m = C R n, n = 2^q")
      ->type_name("C")
      ->capture_default_str();
  offer(cli, pauli_sample_names(),
        verb->add_option(
            "--samples", s->samples,
            either(pauli_sample_names()) + "; linear is m = C R n, log is m = C R n ln n"))
      ->type_name("NAME")
      ->capture_default_str();
  add_number(*verb, "--noise-norm", s->noise_norm, "2-norm of the noise over all strings")
      ->type_name("S")
      ->capture_default_str();
  add_device_option(*verb, cli, s->device);
  end_simulation(*verb, cli, s, simulate_pauli);
}

}  // namespace projfgd
