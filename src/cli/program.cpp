#include "program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common_options.hpp"
#include "help_formatter.hpp"
#include "messages.hpp"
#include "parse_errors.hpp"
#include "progress.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/listening.hpp"
#include "projfgd/io/result_folder.hpp"
#include "projfgd/jobs/place.hpp"
#include "signals.hpp"

namespace projfgd {
namespace {

constexpr const char* examples = R"(Examples:
  projfgd tomography counts.json --rank auto --target ghz --out result
  projfgd phase patterns.npy --masks masks.npy --constraint nonnegative --out result
  projfgd solve problem.json --out result
  projfgd solve entries.mtx --rank 5 --json
  projfgd help tomography)";

/// The exit code must come out even where the sentence cannot be written.
int complain(std::string_view what, int code) noexcept {
  end_progress_bar();
  tell(what, Tone::error);
  return code;
}

/// Processes that a launcher started together with this one, as it says in the environment.
int launched_processes() {
  const auto number = [](const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? 0 : std::atoi(text);
  };
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  // The script of a Slurm job sees the tasks of the job, but only srun starts them.
  const char* kind = std::getenv("ENVIRONMENT");
  const bool in_script =
      kind != nullptr && std::string_view(kind) == "BATCH" && !is_set("SLURM_STEP_ID");
  const char* tasks = is_set("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  const int of_slurm = is_set("SLURM_PROCID") && !in_script ? number(tasks) : 0;
  return std::max({number("OMPI_COMM_WORLD_SIZE"), number("PMI_SIZE"), of_slurm});
}

/// A file that the program opens would take the number of a standard stream that is closed, and
/// what is printed would go into it. Something that nobody can write to takes the number instead.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    if (::open("/dev/null", O_RDONLY) != stream) std::_Exit(exit_file);  // it takes the lowest free
  }
}

/// The command line as a shell takes it.
std::string typed(int argc, char** argv, bool alone) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=+@%";
  std::string line = alone ? "projfgd" : "projfgd-mpi";
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--resume") continue;  // the run is the one that was begun without it
    if (word.empty() || word.find_first_not_of(plain) != std::string::npos) {
      for (std::size_t at = 0; (at = word.find('\'', at)) != std::string::npos; at += 4) {
        word.replace(at, 1, "'\\''");
      }
      word.insert(0, 1, '\'').push_back('\'');
    }
    line.append(" ").append(word);
  }
  return line;
}

/// `projfgd help tomography` as `projfgd tomography --help`. A name that is none stays without
/// --help, so that it is refused as it is elsewhere.
std::vector<char*> arguments(const CLI::App& app, int argc, char** argv) {
  static std::string help = "--help";
  std::vector<char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "help") return words;
  words.erase(words.begin() + 1);
  const CLI::App* command = &app;
  for (std::size_t k = 1; k < words.size(); ++k) {
    const auto below = command->get_subcommands([](const CLI::App*) { return true; });
    const auto named = std::ranges::find(below, words[k], &CLI::App::get_name);
    if (named == below.end()) {
      words.resize(below.empty() ? k : k + 1);
      if (!below.empty()) return words;
      break;
    }
    command = *named;
  }
  words.push_back(help.data());
  return words;
}

/// The program, the command line and the files that it names, as this process sees them.
std::string what_is_seen(int argc, char** argv) {
  std::string seen(version());
  for (int i = 1; i < argc; ++i) {
    std::error_code error;
    const std::filesystem::path path = argv[i];
    const bool file = std::filesystem::is_regular_file(path, error);
    seen += fmt::format("\n{} {} {}", argv[i], std::filesystem::is_directory(path, error),
                        file ? std::filesystem::file_size(path, error) : 0);
  }
  return seen;
}

/// Ranks that go different ways would wait for each other for ever.
void require_same_view(int argc, char** argv, const Ranks& ranks) {
  const std::string here = what_is_seen(argc, argv);
  std::string at_root = here;
  ranks.broadcast(at_root);
  if (ranks.all(here == at_root)) return;
  throw InputError(
      "found processes that see different files, commands or versions of the program, expected "
      "the same program and a folder that all machines share");
}

/// What the verb does that the ranks share, or that the first of them does alone.
int run_verb(const CLI::App& verb, Cli& cli, const Ranks& ranks) {
  const Interrupt signalled = is_signalled;
  const Listening listening(signalled);
  const bool shared = cli.is_shared && !ranks.is_alone();
  if (shared) {
    RunSettings& settings = cli.settings;
    settings.ranks = &ranks;
    settings.interrupt = [&ranks] { return ranks.any(is_signalled()); };
    if (settings.threads == 0) settings.threads = ranks.cores();
    if (!ranks.is_root()) settings.progress = {};
  } else if (!ranks.is_root()) {
    return exit_converged;
  }
  std::shared_ptr<FolderLock> lock;
  if (!cli.out.empty()) {  // before work that would be lost
    cli.settings.ranks->at_root([&] {
      require_place_for_folder(cli.out, cli.files);
      lock = lock_folder(cli.out);
    });
    cli.settings.outputs = replaced_files(cli.out, cli.files);
  }
  begin_journal(verb, cli);
  return cli.action();
}

int run(int argc, char** argv, const Ranks& ranks) {
  Cli cli;
  cli.command = typed(argc, argv, ranks.is_alone());
  CLI::App app("Quantum states from measurement counts, and images from diffraction patterns",
               "projfgd");
  app.formatter(std::make_shared<HelpFormatter>());  // before the verbs, which take it over
  app.set_version_flag("--version",
                       fmt::format("projfgd {}\n{}", version(), fmt::join(built_in(), "\n")));
  app.footer(examples);
  app.require_subcommand(1);
  const std::initializer_list<void (*)(CLI::App&, Cli&)> verbs = {
      add_tomography, add_phase, add_solve,      add_simulate, add_compare,
      add_reproduce,  add_bench, add_completion, add_man};
  for (const auto add : verbs) add(app, cli);
  refuse_empty_values(app);
  if (argc == 1) {  // whoever types the name alone wants to know what there is
    print(wrapped_help(app.help(), terminal_width(STDOUT_FILENO)));
    return exit_input;
  }
  require_same_view(argc, argv, ranks);
  try {
    const std::vector<char*> words = arguments(app, argc, argv);
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      app.exit(error, text, text);
      print(wrapped_help(text.str(), terminal_width(STDOUT_FILENO)));
      return exit_converged;
    }
    return complain(parse_sentence(app, error), exit_input);
  }
  return run_verb(*app.get_subcommands().front(), cli, ranks);
}

/// What no exception may leave, a destructor or a function of a library that promised not to throw,
/// may need memory too. Then there is none for tidying up; the next run in the folder does that.
[[noreturn]] void end_without_memory() noexcept {
  const auto end = [] {
    write_stream(STDERR_FILENO, "projfgd: out of memory\n");
    std::_Exit(exit_resource);
  };
  if (std::current_exception() != nullptr) {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      end();
    } catch (const ResourceError&) {
      end();
    } catch (...) {
    }
  }
  std::abort();  // a mistake of ours
}

/// All that can go wrong as a sentence and an exit code.
int run_safely(int argc, char** argv, const Ranks& ranks) {
  std::set_terminate(end_without_memory);
  try {
    return run(argc, argv, ranks);
  } catch (const OtherRankFailed&) {
    return -1;
  } catch (const InputError& error) {
    return complain(error.what(), exit_input);
  } catch (const InterruptedError& error) {
    return complain(error.what(), exit_code(false));
  } catch (const FileError& error) {
    return complain(error.what(), exit_file);
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(sentence(error), exit_file);
  } catch (const ResourceError& error) {
    return complain(error.what(), exit_resource);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", exit_resource);
  } catch (const std::exception& error) {
    return complain(error.what(), exit_input);
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  keep_standard_streams();
  if (const int count = launched_processes(); count > 1) {
    return complain(fmt::format("started as one of {} processes, each of which would do the whole "
                                "run; use projfgd-mpi, which shares it among them",
                                count),
                    exit_input);
  }
  catch_signals();
  return run_safely(argc, argv, alone());
}

int run_program(int argc, char** argv, const Ranks& ranks, std::string& complaint) {
  keep_standard_streams();
  catch_signals();
  if (!ranks.is_root()) speak_into(&complaint);
  return run_safely(argc, argv, ranks);
}

}  // namespace projfgd
