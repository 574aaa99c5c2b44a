// What phase retrieval finds, as values.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "projfgd/core/result.hpp"
#include "projfgd/losses/pointwise.hpp"

namespace projfgd {

/// Rows of a trace, and the loss whose value the objective of each row is.
struct PhaseTrace {
  std::vector<TraceRow> rows = {};
  std::vector<PointwiseLoss> losses = {};

  void resize(std::size_t length) {
    rows.resize(length);
    losses.resize(length);
  }
};

/// The way from one start to one image, both where the run has its factors.
template <class F>
struct Attempt {
  F start = {};
  std::string method = {};  ///< the stages that led to the image
  PhaseTrace trace = {};    ///< up to the image
  F image = {};
  double misfit = std::numeric_limits<double>::infinity();  ///< || |A z| - b || / ||b||
  double objective = 0;                                     ///< of the loss
  PointwiseLoss loss = PointwiseLoss::amplitude;            ///< that was minimised last
  bool refined = false;  ///< on the loss for the noise, to the end
  /// At the image; not a number where nothing computed it.
  double projected_gradient = std::numeric_limits<double>::quiet_NaN();
  Index iterations = 0;
  Index transforms = 0;  ///< products with a block or its adjoint, also those after the image
};

template <class F>
void keep(Archive& archive, Attempt<F>& attempt) {
  archive(attempt.start, attempt.method, attempt.trace.rows, attempt.trace.losses, attempt.image,
          attempt.misfit, attempt.objective, attempt.loss, attempt.refined,
          attempt.projected_gradient, attempt.iterations, attempt.transforms);
}

/// What the attempts of a search say together.
struct SearchRecord {
  int attempts = 1;
  int basins = 1;         ///< different images that they came to
  int found = 1;          ///< attempts that came to the answer
  bool searched = false;  ///< whether this was a search and not one run of a method
  bool accepted = false;  ///< the data accept the answer by itself
  bool complete = false;  ///< fewer than half a basin is expected to be unseen
  /// Another reading of the data that explains them far better, in words; empty: none does.
  std::string better_reading = {};
  bool reached_target = false;  ///< the error that the user asked for ended it

  void keep(Archive& archive) {
    archive(attempts, basins, found, searched, accepted, complete, better_reading, reached_target);
  }
};

/// What a method found in the data of one channel.
template <class F>
struct PhaseAnswer {
  Attempt<F> attempt = {};
  Status status = Status::converged;
  std::string message = {};
  double seconds = 0;
  SearchRecord search = {};
  double radius = 0;               ///< of the l1 ball, where it was to be found
  Index radius_passes = 0;         ///< made to find it, before the first iteration
  Index forward = 0, adjoint = 0;  ///< products with a block
};

}  // namespace projfgd
