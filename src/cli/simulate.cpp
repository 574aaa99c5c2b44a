#include "simulate.hpp"

namespace projfgd {

void add_simulate(CLI::App& app, Cli& cli) {
  CLI::App* simulate = add_verb(app, "simulate", "Make data with a known truth",
                                "  projfgd simulate pauli --qubits 8 --rank 1 --csam 3 --out data\n"
                                "  projfgd simulate counts --qubits 4 --state ghz --out data\n"
                                "  projfgd simulate cdp --image stars --size 128x96 --out data");
  simulate->require_subcommand(1);
  add_simulate_pauli(*simulate, cli);
  add_simulate_counts(*simulate, cli);
  add_simulate_cdp(*simulate, cli);
}

}  // namespace projfgd
