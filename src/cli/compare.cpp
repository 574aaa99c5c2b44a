#include "projfgd/jobs/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "common_options.hpp"
#include "data_options.hpp"
#include "progress.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/table.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/methods.hpp"
#include "signals.hpp"

namespace projfgd {
namespace {

constexpr const char* columns =
    "Columns of the table:\n"
    "  error                 relative error of the answer, where --truth is given\n"
    "  forward, adjoint      products with the measurement operator and its adjoint\n"
    "  eigenvectors          number of eigenvector computations\n"
    "  rank                  eigenvalues of the answer above a millionth of the largest\n"
    "  gap                   upper bound on how far the objective is above its minimum over all\n"
    "                        X >= 0 with that trace, of any rank\n"
    "  certified             yes: the eigenvalue behind the gap is exact; no: it comes from an\n"
    "                        iteration, and the gap is an estimate\n"
    "  infeasible            the trace of the answer exceeds its bound: the method has no gap and\n"
    "                        is not ranked with the others\n\n";

/// One line on a terminal after every method.
void show_method(const ComparedRun& run) {
  end_progress_bar();
  fmt::print(stderr, "{}: {} after {} iterations, {}\n", run.method, to_string(run.status),
             run.row.value("iterations", Index(0)),
             format_seconds(run.row.value("seconds", std::nan(""))));
}

/// The options that `add` makes.
template <class Add>
std::vector<const CLI::Option*> added(const CLI::App& verb, const Add& add) {
  const std::size_t before = verb.get_options().size();
  add();
  const auto all = verb.get_options();
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

/// Throws InputError when one of the options was given.
void refuse(const std::vector<const CLI::Option*>& options, const char* found,
            const char* expected) {
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    throw InputError(
        fmt::format("--{}: found {}, expected {}", option->get_lnames().front(), found, expected));
  }
}

int run_compare(const Cli& cli, CompareInput input) {
  if (cli.settings.progress) input.done = show_method;
  Comparison comparison = run_comparison(input, cli.settings);
  comparison.summary["command"] = cli.command;
  print_warnings(cli, comparison.summary);
  if (!cli.out.empty()) write_comparison(cli.out, comparison);
  finish_journal(cli, comparison.whole && !is_signalled());
  if (cli.json) {
    print(json_text(comparison.summary));
  } else if (!cli.quiet) {
    print(table_text(comparison_table(comparison.summary.at("methods"))));
  }
  const auto converged = [](const ComparedRun& run) { return run.status == Status::converged; };
  return exit_code(comparison.whole && std::ranges::all_of(comparison.runs, converged));
}

/// --methods and --loss, which are for all methods together.
void add_method_list(CLI::App& verb, Cli& cli, CompareInput& input) {
  std::vector<std::string> methods = method_names();
  for (const std::string& name : phase_method_names()) {
    if (std::ranges::find(methods, name) == methods.end()) methods.push_back(name);
  }
  offer(cli, methods,
        verb.add_option(
            "--methods", input.methods,
            "Methods of tomography or phase to compare, separated by commas [those of the paper]"))
      ->delimiter(',')
      ->type_name("A,B,...");
  verb.add_option("--loss", input.loss,
                  "Loss for all methods that support more than one, as in the job")
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Data");
}

/// The options of a run as they are for a comparison.
void add_settings(CLI::App& verb, Cli& cli) {
  add_run_options(verb, cli);
  cli.words.erase(verb.get_option("--method"));  // another option may have its address
  verb.remove_option(verb.get_option("--method"));
  verb.get_option("--time-limit")
      ->description(fmt::format("Time limit of each method in seconds [{}]", compare_time_limit));
  verb.get_option("--constraint")
      ->description(
          constraint_help(constraint_names(),
                          fmt::format("{} for states, none for images", default_state_constraint)));
  const std::vector<std::string> starts = phase_start_names();
  offer(cli, starts, verb.get_option("--init"))
      ->description(fmt::format("{}; {} only for diffraction patterns", either(starts, "a file"),
                                start_name::lanczos));
}

}  // namespace

void add_compare(CLI::App& app, Cli& cli) {
  CLI::App* verb =
      add_verb(app, "compare", "Compare methods on the same data",
               "  projfgd compare pauli.csv --truth truth.npy --out comparison\n"
               "  projfgd compare counts.json --methods projfgd,rsvp,nuclear-norm --rank 2\n"
               "  projfgd compare data --methods projfgd,wirtinger-flow,hio --max-iterations 200");
  const auto input = std::make_shared<CompareInput>();
  verb->add_option("data", input->data, "Data as for `tomography` or `phase`")
      ->required()
      ->type_name("DATA...");
  add_method_list(*verb, cli, *input);
  const auto of_states =
      added(*verb, [&] { add_measurement_options(*verb, cli, input->tomography); });
  const auto of_patterns = added(*verb, [&] { add_pattern_options(*verb, input->phase); });
  add_settings(*verb, cli);
  verb->footer(fmt::format("{}{}\n\n{}", columns, stopping_rule(), verb->get_footer()));
  verb->callback([&cli, input, of_states, of_patterns] {
    const char *states = "counts or Pauli expectations", *patterns = "diffraction patterns";
    const bool phase = is_phase_data(*input);
    refuse(phase ? of_states : of_patterns, phase ? patterns : states, phase ? states : patterns);
    cli.limits_are_settings = true;
    cli.files = comparison_files(*input);
    cli.action = [&cli, input] { return run_compare(cli, *input); };
  });
}

}  // namespace projfgd
