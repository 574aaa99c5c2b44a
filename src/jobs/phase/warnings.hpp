// What a user should know before trusting an image.
#pragma once

#include <string>
#include <vector>

#include "jobs/phase/attempt.hpp"
#include "jobs/phase/data.hpp"
#include "jobs/phase/fit.hpp"
#include "projfgd/core/result.hpp"

namespace projfgd {

/// What a run says of its data and its answer.
struct PhaseOutcome {
  std::string set = "none";                 ///< that the method used
  bool support = false;                     ///< it used one
  bool own_twin = false;                    ///< that is its own mirror image, see is_own_twin()
  bool alternates = false;                  ///< see alternates()
  std::vector<SearchRecord> searches = {};  ///< of each channel
  double exact = 0;                         ///< a misfit that is no larger is none
  double numbers = 0;      ///< real ones that the set and the support leave; 0: not known
  Index different = 0;     ///< intensities of a channel that are not the same by themselves
  Index unknowns = 0;      ///< entries of the image
  Index free = 0;          ///< those of them that the support leaves
  Index measurements = 0;  ///< intensities of a channel
  Index dark = 0;          ///< entries inside the support that no mask ever lights
  PhaseFit fit = {};       ///< of a misfit that is not finite: no answer
  Status status = Status::converged;

  /// The method came to the end of its way.
  bool ended() const { return status == Status::converged || status == Status::stalled; }
};

/// Whether the image leaves of the data what noise would leave, or nothing.
bool explains(const PhaseOutcome& outcome);

/// Whether the data are enough to tell one image from another.
bool determines(const PhaseData& data, const PhaseOutcome& outcome);

/// What else may look like noise, where an answer is taken for the image in spite of its misfit;
/// empty elsewhere.
std::string noise_note(const PhaseOutcome& outcome);

/// One line each.
std::vector<std::string> phase_warnings(const PhaseData& data, const PhaseOutcome& outcome);

}  // namespace projfgd
