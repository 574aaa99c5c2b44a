// `projfgd simulate KIND`: one file a kind.
#pragma once

#include <memory>

#include "common_options.hpp"
#include "signals.hpp"

namespace projfgd {

void add_simulate_pauli(CLI::App& simulate, Cli& cli);
void add_simulate_counts(CLI::App& simulate, Cli& cli);
void add_simulate_cdp(CLI::App& simulate, Cli& cli);
void add_simulate_ptychography(CLI::App& simulate, Cli& cli);

/// --size HEIGHTxWIDTH
void add_size_option(CLI::App& verb, Index& height, Index& width, const char* help);

/// What every kind ends with: --seed, the outputs, and the call of its job.
template <class Simulation, class Job>
void end_simulation(CLI::App& verb, Cli& cli, const std::shared_ptr<Simulation>& s, Job job) {
  add_seed(verb, s->seed, "Random seed");
  add_output_options(verb, cli);
  verb.get_option("--out")->required();
  verb.callback([&cli, s, job] {
    cli.action = [&cli, s, job] {
      s->interrupt = is_signalled;
      s->command = cli.command;
      print_summary(cli, job(*s, cli.out));
      return static_cast<int>(exit_converged);
    };
  });
}

}  // namespace projfgd
