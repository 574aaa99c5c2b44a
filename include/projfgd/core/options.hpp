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

/// What every iterative method understands. All fields have a default that needs no thought.
struct Options {
  StepRule step = StepRule::automatic;
  double step_constant = 128;  ///< c of the two theory rules, > 0; the paper's is 128
  double step_size = 0;        ///< eta of the rule `constant`, > 0
  double smoothness = 0;       ///< L; 0 estimates it from the data

  Index max_iterations = 10000;  ///< >= 0
  double tolerance = 5e-6;       ///< on ||X_{t+1} - X_t||_F / ||X_{t+1}||_F; 0 never stops on it
  /// On the projected gradient beside that of the first point, and beside |f(X/4) - f(X)| / ||U||,
  /// what f does at U itself; 0 never stops on it.
  double gradient_tolerance = 1e-12;
  /// On the decrease of f still to come, extrapolated from the last ten iterations, as a fraction
  /// of f; 0 never stops on it. With noise in the data the rest is far below what the noise costs.
  double objective_tolerance = 0;
  double least_gain = 0;  ///< the same as an amount, for a likelihood whose noise has a known size
  double time_limit = std::numeric_limits<double>::infinity();  ///< seconds of wall clock
  /// Ends the run, inside a long iteration too; not owned, null: nothing does.
  const Interrupt* interrupt = nullptr;
  /// Makes one decision of those of several processes that share a run: whether it goes on, given
  /// whether this one would. Asked equally often in all of them; not owned, null: there is one.
  const std::function<bool(bool)>* agree = nullptr;
  /// Saves what the run needs to go on later, and gives it back; not owned, null: nothing does.
  Keeper* keeper = nullptr;

  int memory = 20;         ///< pairs kept by quasi-Newton steps, 1 to 10,000
  bool keep_trace = true;  ///< one row an iteration in the result
  std::uint64_t seed = 1;  ///< of whatever is random
};

inline bool is_interrupted(const Options& options) {
  return options.interrupt != nullptr && is_interrupted(*options.interrupt);
}

/// Whether a run may go on after so many seconds: there is time left, and the caller has not ended
/// it. The one place that looks at the clock and the caller, for all processes.
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
