// The end of every simulation: its files, and where they come from.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/io/json.hpp"
#include "projfgd/jobs/input_files.hpp"

namespace projfgd {

/// Beside the data of a simulation: what was asked for, the seed, the version, the command, and the
/// SHA-256 of every file.
inline constexpr const char* simulation_file = "simulation.json";
/// Beside them too: what the data were made of.
inline constexpr const char* truth_file = "truth.npy";

/// Name and bytes of each.
using SimulatedFiles = std::vector<std::pair<std::string, std::string>>;

/// For what a simulation reads before it writes these files: none of them may be replaced.
InputFiles simulation_inputs(const std::filesystem::path& folder,
                             const std::vector<std::string>& files);

/// Puts the files into the folder, all of them or none, with simulation.json. Throws FileError.
void publish_simulation(const std::filesystem::path& folder, const SimulatedFiles& files,
                        const std::string& command, const Json& description,
                        const InputFiles& inputs = {});

}  // namespace projfgd
