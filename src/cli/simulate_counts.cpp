#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/text.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "simulate.hpp"

namespace projfgd {
namespace {

constexpr const char* all_settings = "all";

std::int64_t parse_settings(const std::string& text) {
  if (text == all_settings) return 0;
  const double value = parse_number(text);
  if (!(value >= 1 && value <= 1e9) || value != std::floor(value)) {
    throw InputError(fmt::format("--settings: found \"{}\", expected all or a number", text));
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

void add_simulate_counts(CLI::App& simulate, Cli& cli) {
  CLI::App* verb =
      add_verb(simulate, "counts",
               "Counts of Pauli settings or projectors: counts.json, truth.npy, target.npy; "
               "readout.json with --readout-error",
               "  projfgd simulate counts --qubits 4 --state w --shots 1000 --settings all "
               "--depolarizing 0.1 --readout-error 0.02 --out data");
  const auto s = std::make_shared<CountsSimulation>();
  add_integer(*verb, "--qubits", s->qubits, "Number of qubits q")->required()->type_name("Q");
  offer(cli, simulated_state_names(),
        verb->add_option("--state", s->state, either(simulated_state_names())))
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option(
          "--mix", s->mix,
          "A mixture instead of --state: names and weights that sum to 1, as in w:0.8,ghz:0.2")
      ->type_name("LIST")
      ->excludes(verb->get_option("--state"));
  add_integer(*verb, "--shots", s->shots,
              "Shots per setting, or expected counts of a projector with probability 1")
      ->type_name("N")
      ->capture_default_str();
  CLI::Option* settings = verb->add_option_function<std::string>(
      "--settings", [s](const std::string& text) { s->settings = parse_settings(text); },
      "all 3^q settings or a number of random ones, which include Z...Z beyond 12 qubits [all]");
  offer(cli, {all_settings}, settings)->type_name("all|K");
  add_number(*verb, "--depolarizing", s->depolarizing, "Weight of white noise in the state, 0 to 1")
      ->type_name("P")
      ->capture_default_str();
  add_number(*verb, "--readout-error", s->readout_error, "Probability that a bit is misread")
      ->type_name("E")
      ->capture_default_str();
  add_number(*verb, "--drift", s->drift,
             "Angle in radians by which qubit 0 rotates about its y axis during the measurements")
      ->type_name("ANGLE")
      ->capture_default_str();
  CLI::Option* projectors =
      verb->add_option("--projectors", s->projectors,
                       "Counts of single projectors instead of settings: minimal (products of H, "
                       "V, D and R) or all (also A and L)");
  offer(cli, projector_set_names(), projectors)->type_name("SET");
  add_number(*verb, "--accidentals", s->accidentals, "Mean background counts of each projector")
      ->type_name("N")
      ->capture_default_str();
  end_simulation(*verb, cli, s, simulate_counts);
}

}  // namespace projfgd
