#include "common_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "command_tree.hpp"
#include "help_formatter.hpp"
#include "messages.hpp"
#include "progress.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/thread_limit.hpp"
#include "projfgd/io/text.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/methods.hpp"
#include "projfgd/jobs/place.hpp"
#include "signals.hpp"
#include "summary_table.hpp"

namespace projfgd {
namespace {

std::vector<std::string> rank_words() { return {"auto", "full"}; }
std::vector<std::string> precisions() { return {"single", "double"}; }

/// "auto" leaves the rank to the job, "full" is its largest.
Index parse_rank(const std::string& text, bool of_state) {
  if (of_state && text == "auto") return 0;
  if (of_state && text == "full") return full_rank;
  const double value = parse_number(text);
  if (!(value >= 1) || value != static_cast<double>(static_cast<Index>(std::min(value, 1e18)))) {
    const std::vector<std::string> words = of_state ? rank_words() : std::vector<std::string>{};
    throw InputError(unknown_name("--rank", text, words, "an integer >= 1"));
  }
  return static_cast<Index>(value);
}

}  // namespace

CLI::Option* offer(Cli& cli, const std::vector<std::string>& words, CLI::Option* option) {
  cli.words[option] = words;
  return option;
}

std::string one_of(const std::vector<std::string>& names) {
  return fmt::format("One of {}", fmt::join(names, ", "));
}

std::string step_help(const std::string& others) {
  return fmt::format("Step size rule of the method projfgd: {}{} [auto]",
                     either(step_rule_names(), "a number"), others);
}

std::string constraint_help(const std::vector<std::string>& names, const std::string& standard) {
  return fmt::format(
      "{}; with a radius as in spectral-ball:2.5, where frobenius-ball:R is tr X <= R^2, or a mask "
      "as "
      "in support:FILE [{}]",
      one_of(names), standard);
}

CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& description,
                   const std::string& examples) {
  CLI::App* verb = app.add_subcommand(name, description);
  verb->footer("Examples:\n" + examples);
  return verb;
}

void add_output_options(CLI::App& verb, Cli& cli) {
  verb.add_option("--out", cli.out, "Folder for the results, created if missing")
      ->type_name("DIR")
      ->group("Output")
      ->check(CLI::Validator(
          [](const std::string& text) -> std::string {
            // Now, not after a run whose answer would then be lost.
            std::error_code ignored;
            const auto status = std::filesystem::status(text, ignored);
            if (!std::filesystem::exists(status) || std::filesystem::is_directory(status))
              return "";
            return fmt::format("found the file {}, expected a folder or a new name", quote(text));
          },
          ""));
  verb.add_flag("--json", cli.json, "Print only the summary, as JSON")->group("Output");
  verb.add_flag("--quiet", cli.quiet, "Print nothing but errors")->group("Output");
}

void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    const ArgumentHelp argument{"", value_word(*option), "", ""};
    if (argument.type.empty()) continue;  // a flag
    const std::string expected = !argument.takes_file()   ? argument.type
                                 : argument.type == "DIR" ? "the name of a folder"
                                                          : "the name of a file";
    option->check(CLI::Validator(
        [expected](const std::string& text) {
          return text.empty() ? fmt::format("found \"\", expected {}", expected) : "";
        },
        ""));
  }
  for (CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    refuse_empty_values(*below);
  }
}

CLI::Validator number_check(const std::function<bool(double)>& good, const std::string& expected) {
  return {[good, expected](const std::string& text) {
            const double value = parse_number(text);  // not a number when it is not finite
            if (!std::isnan(value) && good(value)) return std::string();
            return fmt::format("found \"{}\", expected {}", text, expected);
          },
          ""};
}

CLI::Option* add_threads(CLI::App& verb, int& threads, const std::string& help) {
  return add_integer(verb, "--threads", threads, "Number of threads; 0 means one per core" + help,
                     0, most_threads)
      ->type_name("N");
}

CLI::Option* add_seed(CLI::App& verb, std::uint64_t& seed, const std::string& help) {
  return add_integer(verb, "--seed", seed, help)->type_name("K")->capture_default_str();
}

namespace {

constexpr const char* solver_group = "Solver";

template <class T>
CLI::Option* add_solver_option(CLI::App& verb, const char* name, T& value, const std::string& help,
                               const char* type) {
  return verb.add_option(name, value, help)->type_name(type)->group(solver_group);
}

/// An option whose text is read by a function.
CLI::Option* add_read_option(CLI::App& verb, const char* name,
                             const std::function<void(const std::string&)>& read,
                             const std::string& help, const char* type) {
  return verb.add_option_function<std::string>(name, read, help)
      ->type_name(type)
      ->group(solver_group);
}

void add_rank(CLI::App& verb, Cli& cli, bool finds_rank) {
  RunSettings& s = cli.settings;
  CLI::Option* rank = add_read_option(
      verb, "--rank",
      [&s, finds_rank](const std::string& text) { s.rank = parse_rank(text, finds_rank); },
      finds_rank ? "Rank of the state: auto, a number, or full for 2^q [auto]"
                 : "Largest rank that X may have: the number of columns of its factor U",
      "R");
  if (finds_rank) offer(cli, rank_words(), rank);
}

/// --method, --step, --constraint, --init.
void add_method_options(CLI::App& verb, Cli& cli) {
  RunSettings& s = cli.settings;
  offer(cli, method_names(),
        add_solver_option(verb, "--method", s.method, one_of(method_names()), "NAME"))
      ->capture_default_str();
  CLI::Option* step = add_read_option(
      verb, "--step", [&s](const std::string& text) { set_step(text, s.options); },
      step_help("; with theory, sparse-approx-sdp, acc-uni-pd-grad and uni-pd-grad run as "
                "published"),
      "RULE");
  offer(cli, step_rule_names(), step);
  CLI::Option* constraint = add_read_option(
      verb, "--constraint",
      [&s](const std::string& text) {
        parse_constraint(text);  // so that a wrong name is refused before any file is read
        s.constraint = text;
      },
      constraint_help(constraint_names(), "none"), "SET");
  offer(cli, constraint_names(), constraint);
  offer(cli, start_names(),
        add_solver_option(verb, "--init", s.init, either(start_names(), "a factor in an NPY file"),
                          "START"))
      ->capture_default_str();
}

/// --max-iterations, --tolerance, --time-limit.
void add_limits(CLI::App& verb, Options& o) {
  add_integer(verb, "--max-iterations", o.max_iterations, "Iteration limit", Index{0})
      ->type_name("N")
      ->group(solver_group)
      ->capture_default_str();
  add_number(verb, "--tolerance", o.tolerance, "Stop when the relative change of X is below this")
      ->type_name("TOL")
      ->group(solver_group)
      ->capture_default_str();
  add_number(verb, "--time-limit", o.time_limit, "Time limit of the solver in seconds [none]")
      ->type_name("SECONDS")
      ->group(solver_group);
}

void add_precision(CLI::App& verb, Cli& cli) {
  CLI::Option* precision = add_read_option(
      verb, "--precision",
      [&s = cli.settings](const std::string& text) {
        require_name("--precision", text, precisions());
        s.single_precision = text == "single";
      },
      either(precisions()) + " [double]", "TYPE");
  offer(cli, precisions(), precision);
}

}  // namespace

void add_run_options(CLI::App& verb, Cli& cli, bool finds_rank) {
  RunSettings& s = cli.settings;
  add_rank(verb, cli, finds_rank);
  add_method_options(verb, cli);
  add_limits(verb, s.options);
  add_seed(verb, s.options.seed, "Random seed")->group(solver_group);
  add_threads(verb, s.threads, "; results do not depend on it")
      ->capture_default_str()
      ->group(solver_group);
  add_precision(verb, cli);
  add_solver_option(verb, "--truth", s.truth,
                    "Known answer in an NPY file (a factor, X or a state), to report the error",
                    "FILE");
  add_output_options(verb, cli);
  add_checkpoint_options(verb, cli);
  verb.parse_complete_callback([&cli] {
    validate(cli.settings.options);
    cli.files = output_names();
    cli.settings.interrupt = is_signalled;
    if (!cli.quiet) cli.settings.progress = progress_bar(cli.settings.options);
  });
}

void print(std::string_view text) {
  if (is_silent()) return;
  const int error = write_stream(STDOUT_FILENO, text);
  if (error == EINTR) throw InterruptedError("interrupted: standard output was closed");
  if (error == 0) return;
  throw FileError(
      fmt::format("standard output: cannot write: {}", std::generic_category().message(error)));
}

void print_warnings(const Cli& cli, const Json& summary) {
  end_progress_bar();
  if (cli.quiet || !summary.contains("warnings")) return;
  for (const Json& line : summary["warnings"]) {
    tell(line.get<std::string>(), Tone::warning);
  }
}

void print_summary(const Cli& cli, const Json& summary) {
  if (cli.json) {
    print(json_text(summary));
  } else if (!cli.quiet) {
    print(summary_table(summary, cli.out));
  }
}

int exit_code(bool all_is_well) {
  if (all_is_well) return exit_converged;
  const int signal = interrupt_flag().load();
  return signal != 0 ? 128 + signal : exit_limit;
}

int finish_run(const Cli& cli, RunRecord record) {
  const Ranks& ranks = *cli.settings.ranks;
  print_warnings(cli, record.summary);
  record.summary["command"] = cli.command;
  try {
    if (!ranks.is_alone()) record.summary["ranks"] = ranks.size();
    if (!cli.out.empty()) ranks.at_root([&] { write_outputs(cli.out, record); });
    finish_journal(cli, !is_cut_short(record.status));
  } catch (...) {
    Cli told = cli;
    told.out.clear();
    print_summary(told, record.summary);
    throw;
  }
  if (record.status == Status::interrupted && cli.out.empty() && !cli.quiet) {
    tell("nothing was written; with --out FOLDER a run keeps its results and can be continued",
         Tone::warning);
  }
  print_summary(cli, record.summary);
  return exit_code(record.status == Status::converged);
}

CLI::Option* add_device_option(CLI::App& verb, Cli& cli, std::string& device) {
  CLI::Option* option = verb.add_option("--device", device,
                                        either(device_names(), "gpu:K for the GPU with number K") +
                                            "; auto uses a GPU for large data if there is one");
  return offer(cli, device_names(), option)->type_name("NAME")->capture_default_str();
}

}  // namespace projfgd
