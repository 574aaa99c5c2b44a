// {"XX": {"00": 450, "01": 38}, "XY": ...}: label to counts, or to an array of 2^q counts.
#include "reader.hpp"

namespace projfgd::formats {

void read_labels(const Json& json, const std::filesystem::path& path, CountsBuilder& builder) {
  for (const auto& [label, counts] : json.items()) {
    const std::string where = place(path, label);
    builder.begin({label}, where);
    builder.add_all(counts, where);
  }
  builder.refuse_ambiguous_keys();
}

}  // namespace projfgd::formats
