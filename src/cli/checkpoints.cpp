// What the command line knows of checkpoints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>

#include "common_options.hpp"
#include "messages.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/jobs/journal.hpp"
#include "signals.hpp"

namespace projfgd {
namespace {

constexpr const char *every_option = "--checkpoint-every", *resume_option = "--resume";

/// What the user asked for, but for what has no part in the results.
NamedSettings settings_of(const CLI::App& verb, const Cli& cli) {
  std::set<std::string> no_part = {"--out",     "--json",     "--quiet",
                                   "--threads", every_option, resume_option};
  if (!cli.limits_are_settings) no_part.insert({"--max-iterations", "--time-limit"});
  NamedSettings settings;
  settings["command"] = verb.get_name();
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || no_part.contains(name)) continue;
    settings[name] = fmt::format("{}", fmt::join(option->results(), " "));
  }
  return settings;
}

}  // namespace

void add_checkpoint_options(CLI::App& verb, Cli& cli) {
  verb.add_option(every_option, cli.checkpoint_every,
                  fmt::format("Seconds between checkpoints in the folder of --out; 0 for none [{}]",
                              usual_checkpoint_seconds))
      ->type_name("SECONDS")
      ->group("Output")
      ->check(number_check([](double x) { return x >= 0; }, "a number >= 0"));
  verb.add_flag(resume_option, cli.resume,
                "Continue from the checkpoint in the folder of --out, with the same options")
      ->group("Output");
}

void begin_journal(const CLI::App& verb, Cli& cli) {
  if (verb.get_option_no_throw(resume_option) == nullptr) return;
  if (cli.out.empty()) {
    if (!cli.resume) return;
    throw InputError("--resume: found no --out, expected the folder of the run to resume");
  }
  cli.settings.outputs.push_back(cli.out / checkpoint_file);
  cli.journal = std::make_shared<Journal>(cli.out, cli.checkpoint_every, settings_of(verb, cli),
                                          *cli.settings.ranks);
  const bool found = cli.journal->has_file();
  if (cli.resume) cli.journal->resume();
  if (cli.resume != found && !cli.quiet) {
    tell(fmt::format("{}: {}", cli.out.string(),
                     cli.resume ? "found no checkpoint; the run starts from the beginning"
                                : "found the checkpoint of an unfinished run; this run starts from "
                                  "the beginning (use --resume to continue that one)"),
         Tone::warning);
  }
  if (!cli.resume && !found && cli.checkpoint_every == 0) {
    cli.journal.reset();
    return;
  }
  cli.settings.interrupt = cli.journal->watched(cli.settings.interrupt);
  cli.settings.journal = cli.journal.get();
}

void finish_journal(const Cli& cli, bool complete) {
  if (cli.journal == nullptr) return;
  cli.journal->finish(complete);
  if (complete || cli.quiet || !cli.journal->is_saved()) return;
  tell(fmt::format("the run is not finished: {} has the best result so far and a checkpoint. To "
                   "continue{}:",
                   cli.out.string(),
                   is_signalled() ? "" : ", with a larger --max-iterations or --time-limit"),
       Tone::warning);
  tell_command(fmt::format("{} {}", cli.command, resume_option));
}

}  // namespace projfgd
