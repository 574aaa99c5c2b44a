#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/archive.hpp"
#include "projfgd/core/factor.hpp"
#include "projfgd/core/interrupt.hpp"

namespace projfgd {

/// How the step of ProjFGD is chosen.
enum class StepRule {
  automatic,        ///< "auto": quasi-Newton steps, exact searches, nothing to tune
  theory,           ///< "theory": eta = 1 / (c (L ||X_0||_2 + ||grad f(X_0)||_2)), fixed
  theory_adaptive,  ///< "theory-adaptive": eta_t = 1 / (c (L ||X_t||_2 + ||Q_U Q_U^H grad
                    ///< f(X_t)||_2))
  constant,         ///< a number: that eta, fixed
};

/// Options of every iterative method. The defaults suit most problems.
struct Options {
  StepRule step = StepRule::automatic;
  double step_constant = 128;  ///< c of the two theory rules, > 0; the paper's is 128
  double step_size = 0;        ///< eta of the rule `constant`, > 0
  double smoothness = 0;       ///< L; 0 estimates it from the data

  Index max_iterations = 10000;  ///< >= 0
  double tolerance = 5e-6;       ///< on ||X_{t+1} - X_t||_F / ||X_{t+1}||_F; 0 never stops on it
  /// On the projected gradient, relative to that of the first point and to |f(X/4) - f(X)| / ||U||,
  /// the typical slope of f near U; 0 never stops on it.
  double gradient_tolerance = 1e-12;
  /// On the expected further decrease of f, extrapolated from the last ten iterations, as a
  /// fraction of f; 0 never stops on it. For noisy data, so small that it is lost in the noise.
  double objective_tolerance = 0;
  double least_gain = 0;  ///< the same as an amount, for a likelihood whose noise has a known size
  double time_limit = std::numeric_limits<double>::infinity();  ///< seconds of wall clock
  /// Ends the run, also inside a long iteration; not owned; null means never.
  const Interrupt* interrupt = nullptr;
  /// The common decision of several processes that share a run: whether it continues, given whether
  /// this process would. Called equally often by all of them; not owned; null for one process.
  const std::function<bool(bool)>* agree = nullptr;
  /// Saves and restores what a run needs to be resumed; not owned; null means never.
  Keeper* keeper = nullptr;

  int memory = 20;         ///< pairs kept by quasi-Newton steps, 1 to 10,000
  bool keep_trace = true;  ///< one row an iteration in the result
  std::uint64_t seed = 1;  ///< random seed
};

inline bool is_interrupted(const Options& options) {
  return options.interrupt != nullptr && is_interrupted(*options.interrupt);
}

/// Whether a run may continue after this many seconds: there is time left, and the caller has not
/// ended it. Only this function looks at the clock and the interrupt, for all processes.
inline bool may_go_on(const Options& options, double seconds) {
  const bool ended = is_interrupted(options);  // asked by all, also where a clock is ahead
  const bool here = !ended && seconds < options.time_limit;
  const bool all = options.agree != nullptr ? (*options.agree)(here) : here;
  if (!all && options.keeper != nullptr) options.keeper->note_end();
  return all;
}

/// Throws InputError unless it is an L, or 0 for one to estimate.
void require_smoothness(double smoothness);

/// Throws InputError unless every field satisfies its inequality.
void validate(const Options& options);

/// The step rules that have a name.
std::vector<std::string> step_rule_names();

/// Reads one of these names or a positive number into options.
void set_step(std::string_view name, Options& options);

/// Throws InputError unless 1 <= rank <= n.
void validate_rank(Index rank, Index n);

}  // namespace projfgd
