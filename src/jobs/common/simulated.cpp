#include "jobs/common/simulated.hpp"

#include "projfgd/core/version.hpp"
#include "projfgd/io/result_folder.hpp"
#include "projfgd/io/sha256.hpp"

namespace projfgd {
namespace {

/// A file in the folder goes by its name alone, so that the folder may be moved.
Json without_folder(Json description, const std::filesystem::path& folder,
                    const SimulatedFiles& files) {
  for (Json& value : description) {
    for (const auto& [name, bytes] : files) {
      if (value == (folder / name).string()) value = name;
    }
  }
  return description;
}

}  // namespace

InputFiles simulation_inputs(const std::filesystem::path& folder,
                             const std::vector<std::string>& files) {
  return InputFiles({}, {}, replaced_files(folder, files, simulated_data));
}

void publish_simulation(const std::filesystem::path& folder, const SimulatedFiles& files,
                        const std::string& command, const Json& description,
                        const InputFiles& inputs) {
  Json kept = without_folder(description, folder, files);
  kept["version"] = version();
  if (!command.empty()) kept["command"] = command;
  if (!inputs.names().empty()) kept["input_sha256"] = inputs.sha256();
  ResultFolder results(folder, simulated_data);
  for (const auto& [name, bytes] : files) {
    Sha256 hash;
    hash.update(bytes);
    kept["sha256"][name] = hash.hex();
    results.add(name, bytes);
  }
  results.add(simulation_file, json_text(kept));
  results.publish();
}

}  // namespace projfgd
