// Phase retrieval: intensities and masks in, an image or signal out.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "projfgd/jobs/place.hpp"
#include "projfgd/jobs/record.hpp"

namespace projfgd {

struct PhaseInput {
  /// The intensities: NPY or HDF5/CXI of shape L x height x width, L x n for signals, with the
  /// channels in front for colour; or a folder with intensities.npy, masks.npy and perhaps
  /// mask_values.npy, bad_pixels.npy and truth.npy in it.
  std::filesystem::path data = {};
  /// L x height x width. None: those in the HDF5 file of the data or in the folder, or else an open
  /// mask for each pattern.
  std::filesystem::path masks = {};
  std::filesystem::path mask_values = {};  ///< table; the masks are codes into it
  bool conjugate_masks = false;  ///< the wave was multiplied by the masks, not by their conjugates
  std::filesystem::path vectors = {};  ///< instead of masks: the m x n matrix with rows a_i^H
  /// Zero where the image is known to be zero, besides RunSettings::constraint.
  std::filesystem::path support = {};
  /// Not zero where the detector measured nothing (a beam stop, dead pixels): height x width, or
  /// patterns x height x width. None: what the HDF5 file of the data says of its detector, or what
  /// is in the folder.
  std::filesystem::path bad_pixels = {};
  /// Ptychography: where each frame lies on the object, frames x 2 (row, column) in pixels. None:
  /// those in the HDF5 file of the data or in the folder.
  std::filesystem::path positions = {};
  /// Ptychography: the probe, of the size of a frame. None: that in the HDF5 file of the data or in
  /// the folder, or else one that is estimated from the frames and refined.
  std::filesystem::path probe = {};
  bool refine_probe = false;    ///< finds the probe together with the object
  std::string data_place = {};  ///< dataset in an HDF5 file; empty: the usual CXI places
  std::string mask_place = {};  ///< dataset of the masks in an HDF5 file, likewise
  bool centred = false;         ///< the zero frequency is in the middle of a pattern
  bool amplitudes = false;      ///< the data are square roots of intensities
  std::string loss = "auto";    ///< one of phase_loss_names()
  double target_error = 0;      ///< with a truth: stop at this relative error
  std::string device = device_name::automatic;  ///< one of device_names(), or gpu:K
  /// Where it is solved, for callers that have a place; null: what `device` names.
  std::shared_ptr<const Place> place = {};
  /// Called with a description of the current step whenever it changes.
  std::function<void(const std::string&)> stage = {};
};

/// auto, projfgd, paper-projfgd, wirtinger-flow, ...
std::vector<std::string> phase_method_names();

/// intensity, amplitude, poisson, auto
std::vector<std::string> phase_loss_names();

namespace start_name {
inline constexpr const char* lanczos = "lanczos";
}  // namespace start_name

/// The starts that have a name: those of every job, and lanczos.
std::vector<std::string> phase_start_names();

/// The defaults of a run: the method auto, with a start that suits the data.
RunSettings phase_settings();

/// The files that a run writes: those of output_names(), signal.npy, image.png, and phase.png where
/// the image has phases.
std::vector<std::string> phase_files(const PhaseInput& input);

/// RunSettings::method is one of phase_method_names(), RunSettings::init one of
/// phase_start_names(), a path, or empty for what suits the method. The constraints "l1-ball" and
/// "nonnegative-l1" may come without a radius: it is then estimated.
RunRecord run_phase(const PhaseInput& input, const RunSettings& settings);

}  // namespace projfgd
