// What all verbs share: the options spelt the same everywhere, and the way a run ends.
//
// To add a verb:
//   1. src/cli/<verb>.cpp with  void add_<verb>(CLI::App& app, Cli& cli):  make the subcommand with
//      add_verb(), bind its own options, call add_run_options(*verb, cli) if it solves something,
//      and set cli.action in verb->callback(). The action returns the exit code; most end with
//      `return finish_run(cli, run_<verb>(input, cli.settings));`
//   2. Declare it below and add it to the list in main.cpp.
// A verb holds no mathematics: it fills a job's plain struct and calls the job. Errors are thrown;
// main.cpp turns them into a sentence and an exit code.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/io/text.hpp"
#include "projfgd/jobs/record.hpp"

namespace projfgd {

/// The fixed words among the values of an option; it may take files or numbers besides.
using OptionWords = std::map<const CLI::Option*, std::vector<std::string>>;

/// The command line once it is read.
struct Cli {
  RunSettings settings;
  std::string command;                  ///< what the user typed, for the report
  std::filesystem::path out;            ///< folder of the results; empty: write none
  bool json = false;                    ///< the summary, alone, on standard output
  bool quiet = false;                   ///< nothing but errors
  std::function<int()> action;          ///< what the chosen verb does; returns the exit code
  std::vector<std::string> files = {};  ///< what it may write in the folder of the results
  OptionWords words = {};               ///< of all verbs, for completion; see offer()
  double checkpoint_every = usual_checkpoint_seconds;
  bool resume = false;
  bool is_shared = false;                      ///< several processes may share the work of the verb
  bool limits_are_settings = false;            ///< a run with other limits is another run
  std::shared_ptr<Journal> journal = nullptr;  ///< of a run that keeps checkpoints
};

enum ExitCode {
  exit_converged = 0,
  exit_limit = 1,
  exit_input = 2,
  exit_file = 3,
  exit_resource = 4
};

/// A subcommand with its one-line description and examples for the end of its help.
CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& description,
                   const std::string& examples);

/// Completion will offer these words as values of the option.
CLI::Option* offer(Cli& cli, const std::vector<std::string>& words, CLI::Option* option);

/// Checks that say what was found and what was expected, and add nothing to the help.
CLI::Validator number_check(const std::function<bool(double)>& good, const std::string& expected);

template <std::integral T>
CLI::Validator integer_check(T least, T most) {
  return {[least, most](std::string& text) -> std::string {
            T value = 0;
            const char* const end = text.data() + text.size();
            const auto [at, error] = std::from_chars(text.data(), end, value);
            const bool all = at == end && error != std::errc::invalid_argument;
            if (!all) {
              const char* bound = std::is_unsigned_v<T> ? " >= 0" : "";
              return fmt::format("found {}, expected an integer{}", quote(text), bound);
            }
            if (error != std::errc() || value < least || value > most) {
              const bool open = std::is_signed_v<T> && least == std::numeric_limits<T>::lowest();
              const std::string from = open ? "an integer up" : fmt::format("{}", least);
              return fmt::format("found {}, expected {} to {}", quote(text), from, most);
            }
            text = fmt::format("{}", value);  // without what a leading zero might mean
            return "";
          },
          ""};
}

/// How the help lists many names; few stand as in core/require.hpp's either().
std::string one_of(const std::vector<std::string>& names);

/// The help of --step, with what it is to other methods of the job.
std::string step_help(const std::string& others = "");

/// The help of --constraint.
std::string constraint_help(const std::vector<std::string>& names, const std::string& standard);

/// --rank, --method, --step, --constraint, --init, the limits, --seed, --threads, --precision,
/// --truth, and what add_output_options adds. Where the job can find the rank by itself, --rank
/// auto is offered.
void add_run_options(CLI::App& verb, Cli& cli, bool finds_rank = false);

/// --device; its help has the default of `device`.
CLI::Option* add_device_option(CLI::App& verb, Cli& cli, std::string& device);

/// An option whose value is an integer from `least` to `most`, in decimal digits; or a list of
/// such. The parser's own conversion takes the nearest for what its type cannot hold, and 010
/// for 8.
template <std::integral T>
CLI::Option* add_integer(CLI::App& verb, const std::string& name, T& value, const std::string& help,
                         T least = std::numeric_limits<T>::lowest(),
                         T most = std::numeric_limits<T>::max()) {
  return verb.add_option(name, value, help)->transform(integer_check(least, most));
}
template <std::integral T>
CLI::Option* add_integer(CLI::App& verb, const std::string& name, std::vector<T>& values,
                         const std::string& help) {
  constexpr std::numeric_limits<T> all;
  return verb.add_option(name, values, help)->transform(integer_check(all.lowest(), all.max()));
}

/// An option whose value is a finite number, or a list of such. The parser's own conversion takes
/// nothing for 0, and infinity for what its type cannot hold.
template <class T>
CLI::Option* add_number(CLI::App& verb, const std::string& name, T& value,
                        const std::string& help) {
  return verb.add_option(name, value, help)
      ->check(number_check([](double) { return true; }, "a number"));
}

/// Refuses an empty value of every option of the program that takes one: a script with an empty
/// variable means something else than its default.
void refuse_empty_values(CLI::App& app);

/// --threads and --seed, with the same limits everywhere.
CLI::Option* add_threads(CLI::App& verb, int& threads, const std::string& help);
CLI::Option* add_seed(CLI::App& verb, std::uint64_t& seed, const std::string& help);

/// --out, --json, --quiet.
void add_output_options(CLI::App& verb, Cli& cli);

/// --checkpoint-every, --resume.
void add_checkpoint_options(CLI::App& verb, Cli& cli);

/// Makes the journal of the run that the command asks for, where it has results to keep, or takes
/// up the one that --resume asks for.
void begin_journal(const CLI::App& verb, Cli& cli);

/// After the results were written: removes the checkpoint of a run that is complete, or says how to
/// resume one that is not.
void finish_journal(const Cli& cli, bool complete);

void add_simulate(CLI::App& app, Cli& cli);
void add_tomography(CLI::App& app, Cli& cli);

/// Writes the outputs where --out says, prints warnings and the summary, and returns the exit code.
int finish_run(const Cli& cli, RunRecord record);

/// Prints the warnings of a summary to standard error, unless --quiet.
void print_warnings(const Cli& cli, const Json& summary);

/// Prints a summary as JSON or as an aligned table, as the options ask.
void print_summary(const Cli& cli, const Json& summary);

/// 0 when all is well; 1, or 128 and the signal's number after an interrupt, when it is not.
int exit_code(bool all_is_well);

/// Writes to standard output; throws FileError when that fails.
void print(std::string_view text);

void add_solve(CLI::App& app, Cli& cli);
void add_bench(CLI::App& app, Cli& cli);
void add_phase(CLI::App& app, Cli& cli);
void add_completion(CLI::App& app, Cli& cli);
void add_man(CLI::App& app, Cli& cli);
void add_compare(CLI::App& app, Cli& cli);
void add_reproduce(CLI::App& app, Cli& cli);

}  // namespace projfgd
