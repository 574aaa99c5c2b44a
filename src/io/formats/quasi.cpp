// Sampler results: {"quasi_dists": [{"0": 0.0115, "1": 0.0335}], "metadata": [{"shots": 4000}]}
// with the basis in the metadata, or label to distribution.
#include <fmt/format.h>

#include "reader.hpp"

namespace projfgd::formats {

void read_quasi(const Json& json, const std::filesystem::path& path,
                const MeasurementFormat& format, CountsBuilder& builder) {
  builder.set_frequencies();
  if (json.is_object() && !json.contains("quasi_dists")) {
    read_labels(json, path, builder);
    return;
  }
  const Json& list = require_key(json, "quasi_dists", path);
  const Json& metadata = require_key(json, "metadata", path);
  if (!list.is_array() || !metadata.is_array() || list.size() != metadata.size()) {
    fail(path.string(), "quasi_dists and metadata of different length", "one metadata for each");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where = place(path, fmt::format("quasi_dists[{}]", i));
    builder.begin(find_label({metadata[i].dump()}, format, 0, where), where);
    builder.add_all(list[i], where);
    if (metadata[i].is_object() && metadata[i].contains("shots")) {
      builder.set_shots(require_number(metadata[i], "shots", path));
    }
  }
}

}  // namespace projfgd::formats
