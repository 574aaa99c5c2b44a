// Pauli expectations: CSV with the columns pauli, expectation and perhaps stderr; JSON as
// {"XX": 0.5}, {"XX": [0.5, 0.01]} or [{"pauli": "XX", "expectation": 0.5, "stderr": 0.01}]. Lists
// of labels alone are read from the same files, and from plain lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "columns.hpp"
#include "projfgd/core/error.hpp"

namespace projfgd::formats {
namespace {

constexpr double most_without_error = 1.1;  // |expectation| when nothing is said of the noise
constexpr double most_errors = 6;           // standard errors beyond 1, or between two values
constexpr double most_apart = 0.5;          // two values of one string, nothing said of the noise

double number(const Json& json, const std::string& where) {
  if (json.is_object()) {
    fail(where, "counts " + json.dump(), "an expectation value as the first label has");
  }
  if (!json.is_number()) fail(where, json.dump(), "a number");
  return json.get<double>();
}

std::string label_of(const Json& object, const std::string& where) {
  const Json* const label = Columns({label_names}, 0).match(object, where)[0];
  if (label == nullptr || !label->is_string()) fail(where, "no label", "the key \"pauli\"");
  return label->get<std::string>();
}

void read_object(const Json& json, const std::filesystem::path& path, PauliBuilder& builder) {
  for (const auto& [label, value] : json.items()) {
    const std::string where = place(path, label);
    if (value.is_array()) {
      if (value.size() != 2) fail(where, value.dump(), "[expectation, stderr]");
      builder.add(label, number(value[0], where), number(value[1], where), where);
    } else {
      builder.add(label, number(value, where), std::nan(""), where);
    }
  }
}

Columns columns_of_expectations() { return {{label_names, value_names, error_names}, 2}; }

void read_list(const Json& json, const std::filesystem::path& path, PauliBuilder& builder) {
  Columns columns = columns_of_expectations();
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string where = place(path, fmt::format("[{}]", i));
    if (!json[i].is_object()) {
      fail(where, json[i].dump(), R"(an object such as {"pauli": "XX", "expectation": 0.5})");
    }
    const auto found = columns.match(json[i], where);
    if (!found[0]->is_string())
      fail(where, "the label " + found[0]->dump(), "a text such as \"XX\"");
    const std::string label = found[0]->get<std::string>();
    const std::string here = fmt::format("{} ({})", where, quote(label));
    builder.add(label, number(*found[1], here),
                found[2] == nullptr ? std::nan("") : number(*found[2], here), where);
  }
  columns.note_unused(path, builder);
}

bool is_pauli(char c) { return std::string_view("IXYZixyz").find(c) != std::string_view::npos; }

/// Collects the labels of observables, in capitals.
class LabelList {
 public:
  LabelList(const std::filesystem::path& path, int qubits)
      : path_(path), qubits_(static_cast<std::size_t>(qubits)) {}

  void add(std::string_view found, const std::string& at) {
    std::string label = capitals(std::string(found));
    const std::size_t letters = qubits_ > 0 ? qubits_ : std::max<std::size_t>(label.size(), 1);
    if (label.size() != letters || !std::ranges::all_of(label, is_pauli)) {
      fail(path_.string(), fmt::format("{} in {}", quote(found), at),
           fmt::format("{} letters I, X, Y or Z", letters));
    }
    qubits_ = letters;
    labels_.push_back(std::move(label));
  }
  std::vector<std::string> take() && { return std::move(labels_); }

 private:
  const std::filesystem::path& path_;
  std::vector<std::string> labels_;
  std::size_t qubits_;  // 0 until the first
};

/// Options that speak of counts alone.
void refuse_options_of_counts(const MeasurementFormat& format) {
  const auto refuse = [](const char* option, bool given) {
    if (given) fail(fmt::format("--{}", option), "Pauli expectations", "counts");
  };
  refuse("shots", format.shots > 0);
  refuse("bit-order", format.bits_qubit0_left);
  refuse("basis-pattern", !format.basis_pattern.empty());
  refuse("bases", !format.bases.path.empty());
}

}  // namespace

PauliBuilder::PauliBuilder(const MeasurementFormat& format) : format_(format) {
  refuse_options_of_counts(format);
}

void PauliBuilder::add(std::string label, double value, double error, const std::string& where) {
  if (label.empty()) fail(where, "an empty label", "letters I, X, Y, Z");
  require_letters(label, is_pauli, "I, X, Y or Z", where);
  if (label.size() > static_cast<std::size_t>(max_qubits)) {
    throw ResourceError(fmt::format("{}: found {} qubits, at most {} are possible", where,
                                    label.size(), max_qubits));
  }
  if (qubits_ == 0) qubits_ = label.size(), first_ = label;
  if (label.size() != qubits_) {
    fail(where, fmt::format("label \"{}\" of {} qubits", label, label.size()),
         fmt::format("{} as in the first, \"{}\"", qubits_, first_));
  }
  if (!std::isfinite(value)) fail(where, "an expectation that is not finite", "a number");
  const bool identity = label.find_first_not_of("Ii") == std::string::npos;
  if (error < 0 || error > largest_magnitude || (error == 0 && !identity)) {
    fail(where, fmt::format("the standard error {} of {}", error, label),
         "stderr > 0; leave that column out when the values are exact");
  }
  const double most = std::isnan(error) ? most_without_error : 1 + most_errors * error;
  if (std::abs(value) > std::max(most, 1 + 1e-9)) {
    fail(where, fmt::format("expectation {} of {}", value, label),
         "a value within [-1, 1] and its noise");
  }
  label = capitals(std::move(label));
  if (format_.label_qubit0_left) std::reverse(label.begin(), label.end());
  strings_.push_back(parse_pauli(label));
  values_.push_back(value);
  errors_.push_back(error);
  if (places_.size() < most_places) places_.push_back(where);
}

/// tr rho is 1, whatever was measured.
void PauliBuilder::note_identity(PauliData& data) const {
  for (std::size_t i = 0; i < data.strings.size(); ++i) {
    if ((data.strings[i].x | data.strings[i].z) != 0) continue;
    const double off = std::abs(values_[i] - 1);
    if (off <= (data.errors.size() > 0 ? most_errors * errors_[i] : most_apart)) continue;
    data.notes.push_back(
        fmt::format("{} is given as {}, but it is 1 for every state: check the scale of the values",
                    pauli_label(data.strings[i], data.qubits), values_[i]));
    return;
  }
}

/// Of a string that comes several times: two values that no noise explains.
void PauliBuilder::note_contradictions(PauliData& data) const {
  std::vector<std::size_t> order(data.strings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    return std::tuple(data.strings[i].x, data.strings[i].z, values_[i], i);
  };
  std::ranges::sort(order, {}, key);
  std::size_t first = 0, last = 0, strings = 0;
  for (std::size_t k = 0, begin = 0; k < order.size(); ++k) {
    if (data.strings[order[k]] != data.strings[order[begin]]) begin = k;
    const bool ends = k + 1 == order.size() || data.strings[order[k + 1]] != data.strings[order[k]];
    const std::size_t low = order[begin], high = order[k];
    const double chance =
        data.errors.size() > 0 ? most_errors * std::hypot(errors_[low], errors_[high]) : most_apart;
    if (!ends || !(values_[high] - values_[low] > chance)) continue;
    if (strings++ == 0) first = std::min(low, high), last = std::max(low, high);
  }
  if (strings == 0) return;
  std::string label = pauli_label(data.strings[first], data.qubits);
  if (format_.label_qubit0_left) std::ranges::reverse(label);
  const auto at = [&](std::size_t i) {
    return i < places_.size() ? fmt::format("{} ({})", values_[i], places_[i])
                              : fmt::format("{}", values_[i]);
  };
  data.notes.push_back(fmt::format(
      "{} is given as {} and as {}, a difference that noise does not explain{}", label, at(first),
      at(last), strings == 1 ? "" : fmt::format("; this holds for {} strings in all", strings)));
}

PauliData PauliBuilder::finish(const std::string& where) && {
  if (strings_.empty()) fail(where, "no row", "at least one expectation");
  PauliData data;
  data.notes = std::move(notes_);
  data.qubits = static_cast<int>(qubits_);
  data.strings = std::move(strings_);
  data.values = Eigen::Map<Vector<double>>(values_.data(), std::ssize(values_));
  const auto missing =
      std::count_if(errors_.begin(), errors_.end(), [](double e) { return std::isnan(e); });
  if (missing == 0) {
    set_errors(data);
  } else if (missing != std::ssize(errors_)) {
    fail(where, fmt::format("{} rows without a stderr", missing), "one in every row or in none");
  }
  note_identity(data);
  note_contradictions(data);
  return data;
}

void PauliBuilder::set_errors(PauliData& data) const {
  double least = 0;
  for (const double e : errors_) {
    if (e > 0 && (least == 0 || e < least)) least = e;
  }
  if (least == 0) return;
  data.errors.resize(std::ssize(errors_));
  for (Index i = 0; i < data.errors.size(); ++i) {
    data.errors[i] = std::max(errors_[static_cast<std::size_t>(i)], least);
  }
}

void read_pauli_csv(const NamedBytes& file, PauliBuilder& builder) {
  CsvReader csv(file.bytes, file.path, headers);
  Columns columns = columns_of_expectations();
  const auto found = columns.match(csv);
  const Index label = found[0], value = found[1], error = found[2];
  while (csv.next()) {
    const double e = error < 0 ? std::nan("") : csv.number(error);
    builder.add(std::string(csv.field(label)), csv.number(value), e, csv.lines().place());
  }
  columns.note_unused(file.path, builder);
}

void read_pauli_json(const Json& json, const std::filesystem::path& path, PauliBuilder& builder) {
  json.is_object() ? read_object(json, path, builder) : read_list(json, path, builder);
}

}  // namespace projfgd::formats

namespace projfgd {

std::vector<std::string> parse_observables(const NamedBytes& file, int qubits) {
  using namespace formats;
  LabelList list(file.path, qubits);
  if (is_json(file)) {
    const Json json = parse_json(file.bytes, file.path);
    Index i = 0;
    for (const auto& [key, value] : json.items()) {
      const std::string at = json.is_array() ? fmt::format("[{}]", i++) : "a key";
      if (json.is_array() && !value.is_object() && !value.is_string()) {
        fail(place(file.path, at), value.dump(), "a Pauli label");
      }
      list.add(json.is_object()    ? key
               : value.is_string() ? value.get<std::string>()
                                   : label_of(value, place(file.path, at)),
               at);
    }
    return std::move(list).take();
  }
  if (file.bytes.find_first_not_of(" \t\r\n") == std::string::npos) {
    fail(file.path.string(), "an empty file", "Pauli strings, one per line");
  }
  // The last line of a short list that was typed may lack its end.
  const std::string text = file.bytes.ends_with('\n') ? file.bytes : file.bytes + '\n';
  CsvReader csv(text, file.path, "pauli");
  const Index named = Columns({label_names}, 0).match(csv)[0];
  const Index first = named < 0 ? 1 : 0;  // without a header the first line is a label
  if (named < 0) list.add(csv.field(0), "row 1");
  while (csv.next()) {
    list.add(csv.field(std::max<Index>(named, 0)), fmt::format("row {}", csv.rows() + first));
  }
  return std::move(list).take();
}

}  // namespace projfgd
