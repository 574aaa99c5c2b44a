#include <memory>

#include "common_options.hpp"
#include "projfgd/jobs/matrix_problem.hpp"

namespace projfgd {

void add_solve(CLI::App& app, Cli& cli) {
  CLI::App* verb = add_verb(app, "solve", "Solve a low-rank positive semidefinite problem from files",
                            "  projfgd solve problem.json --out result\n"
                            "  projfgd solve entries.mtx --rank 5 --json\n"
                            "  projfgd solve entries.csv --rank 2 --constraint frobenius-ball:1.5");
  verb->footer(
      "PROBLEM as JSON, with paths relative to the file (docs/solve.md has the details):\n"
      "  {\"dimension\": 5, \"rank\": 1, \"operator\": {\"type\": \"entries\", \"file\": "
      "\"entries.csv\"}}\n"
      "Its keys: dimension, field (real or complex), operator (of type entries, dense, rank-one "
      "or\n"
      "identity), data, loss, constraint, rank, truth.\n\n" +
      verb->get_footer());
  const auto input = std::make_shared<MatrixInput>(std::filesystem::path());
  verb->add_option("PROBLEM", input->problem,
                   "JSON description, MatrixMarket file (.mtx), or CSV file with the header "
                   "row,column,value (indices from 0)")
      ->required();
  add_run_options(*verb, cli);
  add_device_option(*verb, cli, input->device)->group("Solver");
  verb->callback([&cli, input] {
    cli.is_shared = true;
    cli.action = [&cli, input] {
      return finish_run(cli, run_matrix_problem(*input, cli.settings));
    };
  });
}

}  // namespace projfgd
