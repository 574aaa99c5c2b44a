// One setting a file, with its basis in the file's name: Braket's task result (measurementCounts,
// measurements or measurementProbabilities) and a plain histogram, as IonQ gives it:
// {"0": 500, "3": 250}, also under "histogram" or "probabilities".
#include <fmt/format.h>

#include <algorithm>

#include "reader.hpp"

namespace projfgd::formats {
namespace {

void begin(const std::filesystem::path& path, const MeasurementFormat& format, std::size_t qubits,
           CountsBuilder& builder) {
  builder.begin(find_label({path.stem().string()}, format, qubits, path.string()), path.string());
}

const Json* find(const Json& json, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const auto it = json.find(key); it != json.end() && !it->is_null()) return &*it;
  }
  return nullptr;
}

void add_shots(const Json& shots, const std::string& where, CountsBuilder& builder) {
  if (!shots.is_array()) fail(where, shots.dump(), "a list of shots");
  for (const Json& shot : shots) {
    std::uint64_t outcome = 0;
    if (!shot.is_array() || shot.size() != static_cast<std::size_t>(builder.qubits())) {
      fail(where, shot.dump(), fmt::format("a list of {} bits", builder.qubits()));
    }
    for (const Json& bit : shot) {
      if (bit != 0 && bit != 1) fail(where, bit.dump(), "0 or 1");
      outcome = 2 * outcome + bit.get<unsigned>();
    }
    builder.add(outcome, 1, where);
  }
}

}  // namespace

void read_braket(const Json& json, const std::filesystem::path& path,
                 const MeasurementFormat& format, CountsBuilder& builder) {
  const Json* qubits = find(json, {"measuredQubits", "measured_qubits"});
  begin(path, format, qubits != nullptr && qubits->is_array() ? qubits->size() : 0, builder);
  if (qubits != nullptr && qubits->is_array() && !std::ranges::is_sorted(*qubits)) {
    builder.note(fmt::format(
        "{}: measuredQubits is {}; the letters of the basis are read in that order, like the bits",
        path.string(), qubits->dump()));
  }
  if (const Json* counts = find(json, {"measurementCounts", "measurement_counts"})) {
    builder.add_all(*counts, place(path, "measurementCounts"));
  } else if (const Json* shots = find(json, {"measurements"})) {
    add_shots(*shots, place(path, "measurements"), builder);
  } else if (const Json* rates = find(json, {"measurementProbabilities"})) {
    builder.set_frequencies();
    builder.add_all(*rates, place(path, "measurementProbabilities"));
    const Json* task = find(json, {"taskMetadata"});
    if (task != nullptr && task->is_object() && task->contains("shots")) {
      builder.set_shots(require_number(*task, "shots", path));
    }
  } else {
    fail(path.string(), "no measurements", "measurementCounts, measurements or probabilities");
  }
}

void read_histogram(const Json& json, const std::filesystem::path& path,
                    const MeasurementFormat& format, CountsBuilder& builder) {
  begin(path, format, 0, builder);
  const Json* inner = find(json, {"histogram", "probabilities"});
  builder.add_all(inner == nullptr ? json : *inner, path.string());
  if (inner != nullptr && json.contains("shots")) {
    builder.set_shots(require_number(json, "shots", path));
  }
}

}  // namespace projfgd::formats
