// phase_battery [--rows] [--problems N] [--seed S] [--each] [--jobs J] [--seconds T]
//               [--pictures FOLDER] [FAMILY...]:
// a table of how often `auto` finds the image, what it costs, and how often its verdict is wrong.
// Without a family, all of them; --rows: problems of one size whose cost is followed instead. J
// processes work at a time, and after T seconds what is not done is left. The PNG files of a folder
// take the place of drawn images.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "battery/phase_problems.hpp"

namespace {

using namespace projfgd::battery;

constexpr auto line = "{:<22}{:>9}{:>8}{:>7}{:>11}{:>9}{:>10}{:>12}{:>12}{:>9}\n";

void show(const std::string& name, const Rates& rates) {
  const std::string found =
      rates.solvable > 0 ? fmt::format("{}/{}", rates.found, rates.solvable) : "-";
  fmt::print(line, name, rates.problems, found, rates.named > 0 ? fmt::to_string(rates.named) : "-",
             fmt::format("{:.0f}", rates.transforms / rates.problems),
             fmt::format("{:.0f}", rates.most_transforms), fmt::format("{:.2g}", rates.most_error),
             rates.wrong_called_right, rates.right_called_wrong,
             fmt::format("{:.1f}", rates.seconds));
  std::fflush(stdout);
}

struct Task {
  const Family* family;
  int k;
};

struct Choice {
  int most = 1000, jobs = 1;
  std::uint64_t seed = 1;
  double seconds = 1e9;
  bool each = false, rows = false;
  Pictures pictures = {};
  std::vector<std::string> wanted = {};
};

Choice parse(int count, char** words) {
  Choice choice;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    const bool more = k + 1 < count;
    if (word == "--each") {
      choice.each = true;
    } else if (word == "--rows") {
      choice.rows = true;
    } else if (word == "--problems" && more) {
      choice.most = std::atoi(words[++k]);
    } else if (word == "--jobs" && more) {
      choice.jobs = std::atoi(words[++k]);
    } else if (word == "--pictures" && more) {
      choice.pictures = Pictures(words[++k]);
    } else if (word == "--seconds" && more) {
      choice.seconds = std::atof(words[++k]);
    } else if (word == "--seed" && more) {
      choice.seed = std::strtoull(words[++k], nullptr, 10);
    } else {
      choice.wanted.push_back(word);
    }
  }
  return choice;
}

/// What takes longest comes first, so that all processes end together.
std::vector<Task> tasks_of(const Choice& choice) {
  std::vector<Task> tasks;
  for (const Family& family : choice.rows ? rows() : families()) {
    const bool all = choice.wanted.empty();
    if (!all && std::ranges::find(choice.wanted, family.name) == choice.wanted.end()) continue;
    for (int k = 0; k < std::min(choice.most, family.problems); ++k) tasks.push_back({&family, k});
  }
  if (choice.jobs > 1) {
    std::ranges::stable_sort(tasks, std::greater<>(),
                             [](const Task& task) { return task.family->recipe(task.k).cost(); });
  }
  return tasks;
}

void tell(const Task& task, const Outcome& outcome) {
  const Recipe recipe = task.family->recipe(task.k);
  fmt::print(
      "  {} {}: {} {}x{} L={} error {:.3g} ({:.3g}) misfit {:.3g} ({:.3g}) {} called {} in {:.0f}, "
      "{:.1f} s, {} loss: {}\n",
      task.family->name, task.k, recipe.image, recipe.height, recipe.width, recipe.patterns,
      outcome.error, outcome.reference_error, outcome.misfit, outcome.reference_misfit,
      outcome.right ? "right" : "wrong", outcome.called_right ? "right" : "wrong",
      outcome.transforms, outcome.seconds, outcome.loss, outcome.message);
  std::fflush(stdout);
}

/// The numbers of an outcome that rates are made of, as they pass from a process to another.
struct Sent {
  bool right, called_right, named, solvable;
  double error, transforms, seconds;
};

Sent to_send(const Outcome& o) {
  return {o.right, o.called_right, o.named, o.solvable, o.error, o.transforms, o.seconds};
}

Outcome received(const Sent& s) {
  Outcome o;
  o.right = s.right, o.called_right = s.called_right, o.named = s.named, o.solvable = s.solvable;
  o.error = s.error, o.transforms = s.transforms, o.seconds = s.seconds;
  return o;
}

/// A process that solves one problem and sends what came of it.
struct Worker {
  pid_t process;
  int pipe;
  std::size_t task;
};

Worker start(const std::vector<Task>& tasks, std::size_t number, const Choice& choice) {
  int ends[2];
  std::fflush(stdout);
  if (pipe(ends) != 0) std::exit(4);
  const pid_t process = fork();
  if (process < 0) std::exit(4);
  if (process == 0) {
    close(ends[0]);
    const Task& task = tasks[number];
    const Outcome outcome = run(*task.family, task.k, choice.seed, choice.pictures);
    if (choice.each) tell(task, outcome);
    const Sent sent = to_send(outcome);
    const bool all = write(ends[1], &sent, sizeof sent) == sizeof sent;
    _exit(all ? 0 : 1);
  }
  close(ends[1]);
  return {process, ends[0], number};
}

template <class Took>
void run_beside(const std::vector<Task>& tasks, const Choice& choice, const Took& took) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::vector<Worker> workers;
  std::size_t next = 0;
  while (next < tasks.size() || !workers.empty()) {
    while (next < tasks.size() && std::ssize(workers) < choice.jobs) {
      workers.push_back(start(tasks, next++, choice));
    }
    std::vector<pollfd> ends;
    for (const Worker& worker : workers) ends.push_back({worker.pipe, POLLIN, 0});
    poll(ends.data(), ends.size(), 200);
    for (std::size_t w = workers.size(); w-- > 0;) {
      if (ends[w].revents == 0) continue;
      Sent sent;
      if (read(workers[w].pipe, &sent, sizeof sent) == sizeof sent) {
        took(workers[w].task, received(sent));
      }
      close(workers[w].pipe);
      waitpid(workers[w].process, nullptr, 0);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(w));
    }
    if (std::chrono::duration<double>(Clock::now() - begin).count() < choice.seconds) continue;
    for (const Worker& worker : workers) {
      kill(worker.process, SIGKILL);
      waitpid(worker.process, nullptr, 0);
    }
    fmt::print("{} problems were not begun, {} not ended\n", tasks.size() - next, workers.size());
    break;
  }
}

}  // namespace

int main(int count, char** words) {
  const Choice choice = parse(count, words);
  const std::vector<Task> tasks = tasks_of(choice);
  std::map<const Family*, Rates> rates;
  if (choice.jobs > 1) {
    run_beside(tasks, choice,
               [&](std::size_t k, const Outcome& outcome) { rates[tasks[k].family].add(outcome); });
  } else {
    for (const Task& task : tasks) {
      const Outcome outcome = run(*task.family, task.k, choice.seed, choice.pictures);
      if (choice.each) tell(task, outcome);
      rates[task.family].add(outcome);
    }
  }
  fmt::print(line, choice.rows ? "row" : "family", "problems", "found", "named", "transforms",
             "most", "error", "wrong+right", "right+wrong", "seconds");
  Rates all;
  for (const Family& family : choice.rows ? rows() : families()) {
    if (!rates.contains(&family)) continue;
    show(family.name, rates[&family]);
    all.add(rates[&family]);
  }
  if (all.problems > 0) show("all", all);
  return 0;
}
