// Counts of many qubits, of which only the outcomes that were seen are kept.
#include <fmt/format.h>

#include <utility>

#include "reader.hpp"

namespace projfgd {
namespace {

/// The outcomes and counts of one setting after the other.
class SeenBuilder {
 public:
  explicit SeenBuilder(SeenCounts& data) : data_(data) {}

  void add(std::uint64_t outcome, double count) {
    data_.seen.outcomes.push_back(static_cast<std::uint32_t>(outcome));
    counts_.push_back(count);
  }
  void end_setting(Setting setting) {
    counts_.push_back(0);  // all others together
    data_.seen.settings.push_back(std::move(setting));
    data_.seen.first.push_back(static_cast<Index>(data_.seen.outcomes.size()));
  }
  void finish() {
    data_.counts =
        Eigen::Map<const Vector<double>>(counts_.data(), static_cast<Index>(counts_.size()));
  }

 private:
  SeenCounts& data_;
  std::vector<double> counts_;
};

}  // namespace

SeenCounts seen_part(const CountsData& data) {
  const Index n = Index{1} << data.qubits;
  SeenCounts part{.qubits = data.qubits, .bases = data.bases, .shots = data.shots};
  SeenBuilder builder(part);
  for (std::size_t s = 0; s < data.settings.size(); ++s) {
    const auto of_setting = data.counts.segment(static_cast<Index>(s) * n, n);
    for (Index k = 0; k < n; ++k) {
      if (of_setting[k] > 0) builder.add(static_cast<std::uint64_t>(k), of_setting[k]);
    }
    builder.end_setting(data.settings[s]);
  }
  builder.finish();
  return part;
}

namespace formats {

SeenCounts CountsBuilder::seen_counts() {
  merge_counts();
  SeenCounts data{.qubits = qubits(), .bases = bases_, .notes = notes_};
  const bool frequencies = are_frequencies();
  SeenBuilder builder(data);
  const std::string expected = fmt::format(
      "counts >= 0, or frequencies with --shots, of more than {} qubits", most_qubits_kept_whole);
  data.shots.resize(static_cast<Index>(entries_.size()));
  for (std::size_t s = 0; s < entries_.size(); ++s) {
    const auto& [label, entry] = *entries_[s];
    const double shots = checked_shots(entry, frequencies);
    if (!(shots > 0)) fail(place_of(entry), "frequencies without a number of shots", expected);
    if (negative_.contains(&entry)) fail_negative(entry, expected);
    for (const auto& [outcome, value] : entry.values.counts()) {
      if (value > 0) builder.add(outcome, (frequencies ? shots : 1) * value);
    }
    builder.end_setting(setting_of(label));
    data.shots[static_cast<Index>(s)] = shots;
  }
  builder.finish();
  return data;
}

Measurements CountsBuilder::measurements(const std::string& where) && {
  if (entries_.empty() || qubits() <= most_qubits_kept_whole) return std::move(*this).finish(where);
  return seen_counts();
}

}  // namespace formats
}  // namespace projfgd
