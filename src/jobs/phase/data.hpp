// What a phase retrieval job reads, checked and in one shape.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <vector>

#include "jobs/phase/files.hpp"
#include "projfgd/core/factor.hpp"
#include "projfgd/jobs/input_files.hpp"
#include "projfgd/jobs/phase.hpp"

namespace projfgd {

struct PhaseData {
  Index channels = 1, patterns = 1, height = 1, width = 1;
  std::vector<double> intensities;     ///< channels x patterns x height x width
  std::vector<std::uint8_t> left_out;  ///< not 0 for what was not measured, of one channel, or none
  std::vector<std::uint8_t> codes;     ///< of the masks, with their table; or else
  std::vector<std::complex<double>> table, values;
  Matrix<std::complex<double>> vectors;  ///< rows a_i^H instead of masks
  std::filesystem::path truth;           ///< empty: unknown
  bool signal = false;                   ///< of one dimension: height 1 that the data do not have
  Index distinct = 0;                    ///< masks that differ and are not dark; 0: not counted
  bool real_masks = false;               ///< all of them
  bool open = false;                     ///< no masks were given, and no vectors
  bool conjugated = false;               ///< the masks, as was asked for
  bool squared = false;                  ///< the data, which were amplitudes
  bool centred = false;                  ///< the patterns were turned to begin with frequency 0
  bool codes_as_numbers = false;         ///< masks that look like codes, but nothing says so
  bool angles_as_masks = false;          ///< masks that look like angles

  bool is_left_out(Index i) const {
    return !left_out.empty() && left_out[static_cast<std::size_t>(i)] != 0;
  }
  Index count_left_out() const {
    return std::ranges::count_if(left_out, [](std::uint8_t mark) { return mark != 0; });
  }
};

/// Throws InputError naming the file for shapes that do not fit, negative or infinite intensities.
PhaseData read_phase_data(const PhaseInput& input, const std::filesystem::path& truth,
                          InputFiles& files);

/// Height x width, with several channels behind them; of a signal without the height.
std::vector<Index> signal_shape(const PhaseData& data, Index channels);

/// A support, truth or start of n entries with its channels as columns, as many as one of those
/// allowed: NPY, HDF5 or PNG. Throws InputError for another shape, and for zeros alone.
template <class S>
Matrix<S> read_signal(const std::filesystem::path& path, Dataset what, Index n,
                      const PhaseData& data, InputFiles& files,
                      std::initializer_list<Index> channels_allowed);

}  // namespace projfgd
