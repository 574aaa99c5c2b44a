// `projfgd simulate KIND`: one file a kind.
#pragma once

#include "common_options.hpp"

namespace projfgd {

void add_simulate_pauli(CLI::App& simulate, Cli& cli);
void add_simulate_counts(CLI::App& simulate, Cli& cli);
void add_simulate_cdp(CLI::App& simulate, Cli& cli);

}  // namespace projfgd
