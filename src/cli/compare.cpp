#include "projfgd/jobs/compare.hpp"

#include <algorithm>
#include <memory>

#include "common_options.hpp"
#include "data_options.hpp"
#include "progress.hpp"
#include "projfgd/io/table.hpp"

namespace projfgd {
namespace {

int run_compare(const Cli& cli, const CompareInput& input) {
  const Comparison comparison = run_comparison(input, cli.settings);
  end_progress_bar();
  if (!cli.out.empty()) write_comparison(cli.out, comparison);
  if (cli.json) {
    print(json_text(comparison.summary));
  } else if (!cli.quiet) {
    print(table_text(comparison_table(comparison.summary.at("methods"))));
  }
  return exit_code(
      std::all_of(comparison.runs.begin(), comparison.runs.end(),
                  [](const ComparedRun& run) { return run.status == Status::converged; }));
}

}  // namespace

void add_compare(CLI::App& app, Cli& cli) {
  CLI::App* verb =
      add_verb(app, "compare", "Several methods on the same data",
               "  projfgd compare pauli.csv --truth truth.npy --out comparison\n"
               "  projfgd compare counts.json --methods projfgd,rsvp,nuclear-norm --rank 2\n"
               "  projfgd compare data --methods projfgd,wirtinger-flow,hio --max-iterations 200");
  const auto input = std::make_shared<CompareInput>();
  verb->add_option("data", input->data, "What `tomography` or `phase` reads")
      ->required()
      ->type_name("DATA...");
  verb->add_option("--methods", input->methods,
                   "Names of --method of the job, separated by commas [those of the paper]")
      ->delimiter(',')
      ->type_name("A,B,...");
  verb->add_option("--loss", input->loss, "Loss, as the job has it; the same for all methods")
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Data");
  add_measurement_options(*verb, input->tomography);
  add_pattern_options(*verb, input->phase);
  add_run_options(*verb, cli);
  verb->remove_option(verb->get_option("--method"));
  verb->callback(
      [&cli, input] { cli.action = [&cli, input] { return run_compare(cli, *input); }; });
}

}  // namespace projfgd
