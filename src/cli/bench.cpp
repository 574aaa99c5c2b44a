#include "projfgd/bench/bench.hpp"

#include <fmt/format.h>

#include <memory>

#include "common_options.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/json.hpp"
#include "signals.hpp"

namespace projfgd {
namespace {

constexpr const char* bench_file = "bench.json";

struct BenchCommand {
  bench::Options options;
  std::filesystem::path baseline;
};

int run_bench(const Cli& cli, BenchCommand& command) {
  const Ranks& ranks = *cli.settings.ranks;
  command.options.ranks = &ranks;
  set_threads(cli.settings.threads);
  Json baseline;
  if (!command.baseline.empty()) {
    baseline = parse_json(cli.settings.inputs().read(command.baseline), command.baseline);
    bench::compare(baseline, baseline);  // so that a wrong file is refused before any timing
  }
  const bool table = !cli.json && !cli.quiet && ranks.is_root();
  const Json result = bench::run(command.options, [&](const bench::Row& row) {
    if (table) print(bench::line(row) + '\n');
    return !ranks.any(is_signalled());
  });
  if (!ranks.is_root()) return exit_code(true);
  if (!cli.out.empty()) {
    make_folder(cli.out);
    write_file(cli.out / bench_file, json_text(result));
  }
  if (cli.json) print(json_text(result));
  if (table) print(fmt::format("Operations: {}\n", result.at("operations").get<std::string>()));
  if (table && !baseline.is_null()) print(bench::compare(result, baseline));
  return exit_code(!is_signalled());
}

}  // namespace

void add_bench(CLI::App& app, Cli& cli) {
  CLI::App* verb = add_verb(app, "bench", "Measure the speed of the program on this machine",
                            "  projfgd bench --quick\n"
                            "  projfgd bench --section pauli --section solves --out before\n"
                            "  projfgd bench --compare before/bench.json");
  const auto command = std::make_shared<BenchCommand>();
  verb->add_flag("--quick", command->options.quick, "Small problems and few repetitions");
  offer(cli, bench::section_names(),
        verb->add_option("--section", command->options.sections,
                         one_of(bench::section_names()) + "; may be repeated [all]"))
      ->type_name("NAME");
  verb->add_option("--compare", command->baseline, "bench.json of an earlier run to compare with")
      ->type_name("FILE");
  add_threads(*verb, cli.settings.threads, "");
  add_seed(*verb, command->options.seed, "Random seed of the problems");
  add_output_options(*verb, cli);
  verb->callback([&cli, command] {
    cli.files = {bench_file};
    cli.is_shared = true;
    cli.action = [&cli, command] { return run_bench(cli, *command); };
  });
}

}  // namespace projfgd
