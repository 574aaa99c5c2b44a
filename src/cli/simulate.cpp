#include "simulate.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

#include "projfgd/core/error.hpp"

namespace projfgd {
namespace {

/// "HEIGHTxWIDTH"
void parse_size(const std::string& text, Index& height, Index& width) {
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, height);
  const bool cross = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
  const auto second = std::from_chars(cross ? first.ptr + 1 : end, end, width);
  constexpr Index longest = 1 << 30;  // memory is checked later
  if (!cross || second.ec != std::errc() || second.ptr != end || height < 1 || width < 1 ||
      height > longest || width > longest) {
    throw InputError(fmt::format("--size: found \"{}\", expected HEIGHTxWIDTH as in 128x96", text));
  }
}

}  // namespace

void add_size_option(CLI::App& verb, Index& height, Index& width, const char* help) {
  verb.add_option_function<std::string>(
          "--size", [&height, &width](const std::string& text) { parse_size(text, height, width); },
          help)
      ->type_name("HxW");
}

void add_simulate(CLI::App& app, Cli& cli) {
  CLI::App* simulate = add_verb(app, "simulate", "Simulate data with a known truth",
                                "  projfgd simulate pauli --qubits 8 --rank 1 --csam 3 --out data\n"
                                "  projfgd simulate counts --qubits 4 --state ghz --out data\n"
                                "  projfgd simulate cdp --image stars --size 128x96 --out data\n"
                                "  projfgd simulate ptychography --photons 1e6 --out scan");
  simulate->require_subcommand(1);
  add_simulate_pauli(*simulate, cli);
  add_simulate_counts(*simulate, cli);
  add_simulate_cdp(*simulate, cli);
  add_simulate_ptychography(*simulate, cli);
}

}  // namespace projfgd
