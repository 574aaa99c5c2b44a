#include "projfgd/jobs/reproduce.hpp"

#include <fmt/format.h>

#include <memory>

#include "common_options.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/table.hpp"
#include "signals.hpp"

namespace projfgd {
namespace {

int list(const Cli& cli, const ReproduceRequest& request) {
  Json rows = Json::array();
  for (const ReproductionName& entry : reproductions(request.names)) {
    rows.push_back({{"name", entry.name}, {"title", entry.title}});
  }
  if (cli.json) {
    print(json_text(rows));
  } else {
    print(table_text(table_of(rows, {{"name", "name"}, {"title", "what"}})));
  }
  return exit_converged;
}

int run_reproduce(const Cli& cli, ReproduceRequest request) {
  request.threads = cli.settings.threads;
  request.command = cli.command;
  request.interrupt = cli.journal ? cli.journal->watched(is_signalled) : is_signalled;
  request.journal = cli.journal.get();
  if (!cli.quiet) {
    request.progress = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  }
  Json all = Json::array();
  reproduce(request, [&](const Reproduction& r) {
    write_reproduction(cli.out, r);
    if (cli.json) {
      all.push_back(r.record);
    } else if (!cli.quiet) {
      print(fmt::format("\n{}: {}\n{}", r.name, r.page.title, table_text(r.summary)));
      for (const Json& note : r.record.at("notes")) print("* " + note.get<std::string>() + '\n');
    }
  });
  if (cli.json) {
    print(json_text(all));
  } else if (!cli.quiet) {
    print(fmt::format("\nThe reports are in {}\n", cli.out.string()));
  }
  finish_journal(cli, !is_signalled());
  return exit_code(!is_signalled());
}

/// Which cells are run, and how long a method may take in one.
void add_cell_options(CLI::App& verb, Cli& cli, ReproduceRequest& request) {
  add_integer(verb, "--qubits", request.qubits, "Only the experiments with these numbers of qubits")
      ->delimiter(',')
      ->type_name("Q,...");
  add_number(verb, "--csam", request.csam,
             "Only the experiments with these sampling constants C; see --samples")
      ->delimiter(',')
      ->type_name("C,...");
  offer(
      cli, sample_rule_names(),
      verb.add_option("--samples", request.samples,
                      either(sample_rule_names()) + "; linear is m = C r n, log is m = C r n ln n, "
                                                    "and paper uses whichever the paper prints"))
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option(
          "--time-limit", request.time_limit,
          fmt::format(
              "Time limit of each method in an experiment, in seconds [{}; with --quick {}]",
              default_time_limit(false), default_time_limit(true)))
      ->type_name("SECONDS")
      ->check(number_check([](double x) { return x > 0; }, "a number above 0"));
}

std::string legend_of_columns() {
  std::string legend = "Columns of the tables:\n";
  for (const auto& [column, meaning] : reproduction_columns()) {
    legend += fmt::format("  {:<20}  {}\n", column, meaning);
  }
  return legend + '\n';
}

}  // namespace

void add_reproduce(CLI::App& app, Cli& cli) {
  CLI::App* verb = add_verb(app, "reproduce", "Reproduce the tables and figures of the paper",
                            "  projfgd reproduce --list\n"
                            "  projfgd reproduce --quick\n"
                            "  projfgd reproduce table-full --qubits 10 --csam 3 --out cell");
  const auto request = std::make_shared<ReproduceRequest>();
  const auto listing = std::make_shared<bool>(false);
  std::vector<std::string> names;
  for (const ReproductionName& entry : reproductions()) names.push_back(entry.name);
  offer(cli, names, verb->add_option("names", request->names, "What to reproduce [everything]"))
      ->type_name("NAME...");
  verb->add_flag("--list", *listing, "List the names and what they reproduce");
  verb->add_flag("--quick", request->quick, "Few qubits and a small image; takes minutes");
  add_cell_options(*verb, cli, *request);
  add_seed(*verb, request->seed, "Random seed of the experiments");
  add_threads(*verb, cli.settings.threads, "");
  verb->footer(legend_of_columns() + verb->get_footer());
  add_output_options(*verb, cli);
  add_checkpoint_options(*verb, cli);
  verb->get_option("--out")->default_str("reproduction");
  verb->callback([&cli, request, listing] {
    if (cli.out.empty() && !*listing) cli.out = "reproduction";
    cli.limits_are_settings = true;
    for (const ReproductionName& entry : reproductions(request->names)) {
      if (*listing) break;  // which writes nothing
      for (std::string& file : reproduction_files(entry.name)) cli.files.push_back(std::move(file));
    }
    cli.action = [&cli, request, listing] {
      return *listing ? list(cli, *request) : run_reproduce(cli, *request);
    };
  });
}

}  // namespace projfgd
