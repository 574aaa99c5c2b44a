// Families of phase retrieval problems with a known truth: what the method `auto` is judged by.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "battery/phase_pictures.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/jobs/phase.hpp"

namespace projfgd::battery {

/// What was measured of an image, and how it is said to have been.
struct Recipe {
  std::string image = "photograph";  ///< photograph, stars, complex
  Index height = 48, width = 40;
  Index patterns = 4;
  std::string masks = "coded";  ///< coded, phases, stencil, open
  std::string set = "";         ///< of RunSettings::constraint
  std::string support = "";     ///< square, triangle: a quarter, an eighth of the image
  double snr = 0;               ///< decibel of detector noise; 0: none
  double photons = 0;           ///< of a pattern; 0: not counted
  std::string mistake = "";     ///< other-masks, conjugated-masks, background, small-support,
                                ///< centred, amplitudes
  std::string method = "auto";
  double target = 0;        ///< relative error at which a run ends; 0: at its own end
  double allowed = 0;       ///< error that is right; 0: one near that of a fit from the truth
  Index iterations = 0;     ///< at most; 0: as many as it takes
  bool from_truth = false;  ///< the run starts there
  Index probe = 0;          ///< pixels a side of a frame of a scan; 0: coded diffraction
  double probe_error = 0;   ///< relative, of the probe that is given and refined; 0: it is known
  Pictures pictures = {};   ///< in the place of what is drawn, unless there are none

  bool solvable() const { return mistake.empty() && !(patterns == 2 && set.empty()); }
  /// What it costs to solve, roughly, to begin with what takes longest.
  double cost() const;
};

/// A family: many problems of a kind, made from a number each.
struct Family {
  std::string name;
  int problems;
  Recipe (*recipe)(int k);
};

const std::vector<Family>& families();
/// Problems of one size whose cost and accuracy are followed from release to release.
const std::vector<Family>& rows();

/// What came of one problem.
struct Outcome {
  /// The error is no more than half as large again as that of a fit from the truth.
  bool right = false;
  bool called_right = false;
  bool named = false;                  ///< a warning says which mistake was made
  bool solvable = true;                ///< the model is right and the data determine the image
  double error = 0;                    ///< modulo the symmetries of the problem
  double transforms = 0, seconds = 0;  ///< of a scan: transforms a frame
  double misfit = 0;
  /// Of a fit from the truth, where one was made.
  double reference_error = 0, reference_misfit = 0;
  std::string loss, message;
};

/// Makes problem k of a family, of these pictures where there are any, and runs its method on it,
/// on one thread.
Outcome run(const Family& family, int k, std::uint64_t seed, const Pictures& pictures = {});

/// The sums of a family.
struct Rates {
  int problems = 0, solvable = 0, found = 0, named = 0;
  int wrong_called_right = 0, right_called_wrong = 0;
  double transforms = 0, most_transforms = 0, most_error = 0, seconds = 0;
  void add(const Outcome& outcome);
  void add(const Rates& others);
};

}  // namespace projfgd::battery
