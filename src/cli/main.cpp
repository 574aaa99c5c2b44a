#include <fmt/format.h>

#include <exception>
#include <initializer_list>
#include <new>

#include "common_options.hpp"
#include "progress.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/version.hpp"
#include "signals.hpp"

namespace projfgd {
namespace {

constexpr const char* examples = R"(Examples:
  projfgd solve problem.json --out result
  projfgd solve entries.mtx --rank 5 --json
Exit codes: 0 converged, 1 a limit was reached, 2 bad input, 3 a file could not be read or
written, 4 too little memory, 130 and 143 interrupted (the best point so far is written).)";

int complain(const char* what, int code) {
  end_progress_bar();
  fmt::print(stderr, "projfgd: {}\n", what);
  return code;
}

int run(int argc, char** argv) {
  Cli cli;
  CLI::App app("Low-rank positive semidefinite optimisation by projected factored gradient descent",
               "projfgd");
  app.set_version_flag("--version", fmt::format("projfgd {}", version()));
  app.footer(examples);
  app.require_subcommand(1);
  const std::initializer_list<void (*)(CLI::App&, Cli&)> verbs = {add_solve};
  for (const auto add : verbs) add(app, cli);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return complain(fmt::format("{} (try --help)", error.what()).c_str(), exit_input);
  }
  return cli.action();
}

}  // namespace
}  // namespace projfgd

int main(int argc, char** argv) {
  using namespace projfgd;
  catch_signals();
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    return complain(error.what(), exit_input);
  } catch (const FileError& error) {
    return complain(error.what(), exit_file);
  } catch (const ResourceError& error) {
    return complain(error.what(), exit_resource);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", exit_resource);
  } catch (const std::exception& error) {
    return complain(error.what(), exit_input);
  }
}
