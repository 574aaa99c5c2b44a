#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/io/file_kind.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/text.hpp"
#include "projfgd/io/utf8.hpp"
#include "reader.hpp"

namespace projfgd::formats {
namespace {

constexpr double most_mitigated = 0.1;   // of the shots, in an outcome below zero
constexpr double least_mitigated = 1.5;  // shots; less is neither counts nor frequencies

/// {"T": [[a, b], [c, d]]}: the states of outcome 0 and outcome 1.
void read_bases(const NamedBytes& file, std::map<char, std::uint8_t>& letters,
                std::vector<QubitBasis>& bases) {
  const Json json = parse_json(file.bytes, file.path);
  if (!json.is_object()) fail(file.path.string(), "no object", "an object of letters");
  for (const auto& [letter, states] : json.items()) {
    const std::string where = place(file.path, letter);
    if (letter.size() != 1 || letters.count(letter[0]) != 0) {
      fail(where, "\"" + letter + "\"", "one letter that is not X, Y or Z");
    }
    QubitBasis basis;
    for (std::size_t k = 0; k < 2; ++k) {
      if (!states.is_array() || states.size() != 2 || !states[k].is_array() ||
          states[k].size() != 2) {
        fail(where, states.dump(), "two states of two amplitudes each");
      }
      for (std::size_t j = 0; j < 2; ++j) basis[k][j] = std::conj(amplitude(states[k][j], where));
    }
    require_unitary(basis, where);
    letters[letter[0]] = static_cast<std::uint8_t>(bases.size());
    bases.push_back(basis);
  }
}

std::uint64_t reverse_bits(std::uint64_t bits, std::size_t count) {
  std::uint64_t out = 0;
  for (std::size_t j = 0; j < count; ++j) out |= ((bits >> j) & 1) << (count - 1 - j);
  return out;
}

}  // namespace

void fail(const std::string& where, const std::string& found, const std::string& expected) {
  constexpr std::size_t most = 80;
  std::string shown;
  for (std::string_view rest = found; !rest.empty() && shown.size() < most;) {
    const std::string_view character = leading_character(rest);
    shown += character;
    rest.remove_prefix(character.size());
  }
  if (shown.size() < found.size()) shown += "...";
  // A label may contain a NUL character, at which what() would end.
  throw InputError(printable(fmt::format("{}: found {}, expected {}", where, shown, expected)));
}

std::complex<double> amplitude(const Json& json, const std::string& where) {
  if (json.is_number()) return json.get<double>();
  if (json.is_array() && json.size() == 2 && json[0].is_number() && json[1].is_number()) {
    return {json[0].get<double>(), json[1].get<double>()};
  }
  fail(where, json.dump(), "a number or [real, imaginary]");
}

bool is_json(const NamedBytes& file) {
  const char first = first_character(file.bytes);
  return first == '{' || first == '[';
}

std::string capitals(std::string label) {
  for (char& c : label) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return label;
}

std::string place(const std::filesystem::path& path, const std::string& field) {
  return field.empty() ? path.string() : fmt::format("{}: {}", path.string(), printable(field));
}

void require_letters(std::string_view label, const std::function<bool(char)>& known,
                     const char* expected, const std::string& where) {
  const auto wrong = std::find_if_not(label.begin(), label.end(), known);
  if (wrong == label.end()) return;
  const std::string_view letter =
      leading_character(label.substr(static_cast<std::size_t>(wrong - label.begin())));
  fail(where, fmt::format("letter '{}' in label {}", printable(letter), quote(label)), expected);
}

void OutcomeCounts::merge() {
  const auto outcome = &std::pair<std::uint64_t, double>::first;
  std::ranges::stable_sort(counts_, {}, outcome);
  std::size_t kept = 0;
  for (const auto& next : counts_) {
    if (kept > 0 && counts_[kept - 1].first == next.first) {
      counts_[kept - 1].second += next.second;
    } else {
      counts_[kept++] = next;
    }
  }
  counts_.resize(kept);
}

double OutcomeCounts::sum() const {
  double total = 0;
  for (const auto& [outcome, value] : counts_) total += value;
  return total;
}

CountsBuilder::CountsBuilder(const MeasurementFormat& format)
    : format_(format), letters_{{'X', 0}, {'Y', 1}, {'Z', 2}}, bases_(pauli_bases()) {
  require_basis_pattern(format);  // also where no name is searched
  if (!format.bases.path.empty()) read_bases(format.bases, letters_, bases_);
}

/// Without what people put between letters, and in capitals where only those are bases.
std::string CountsBuilder::plain_label(const std::string& label) const {
  constexpr std::string_view between = " ,;_-|()[]'\"";
  std::string plain;
  for (const char c : label) {
    if (letters_.count(c) == 0 && between.find(c) != std::string_view::npos) continue;
    const char capital = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    plain += letters_.count(c) == 0 && letters_.count(capital) != 0 ? capital : c;
  }
  return plain;
}

void CountsBuilder::begin(const FoundLabel& found, const std::string& where) {
  constexpr const char* expected = "X, Y, Z or a letter of --bases";
  const std::string label = plain_label(found.label);
  if (label.empty()) fail(where, "an empty label", "a letter for each qubit");
  const auto known = [this](char c) { return letters_.count(c) != 0; };
  if (!found.text.empty() && !std::ranges::all_of(label, known)) {
    throw InputError(
        fmt::format("{}: found {}, which --basis-pattern {} matches in {}, expected {}", where,
                    quote(found.label), quote(format_.basis_pattern), quote(found.text), expected));
  }
  require_letters(label, known, expected, where);
  if (label.size() > static_cast<std::size_t>(max_qubits)) {
    throw ResourceError(fmt::format("{}: found {} qubits, at most {} are possible", where,
                                    label.size(), max_qubits));
  }
  if (qubits_ == 0) qubits_ = label.size();
  if (label.size() != qubits_) {
    fail(where, fmt::format("a label of {} qubits", label.size()),
         fmt::format("{} as in the first, \"{}\"", qubits_, entries_[0]->first));
  }
  const auto [it, fresh] = by_label_.try_emplace(label, Entry{places_.size(), where.size()});
  current_ = &*it;
  if (fresh) {
    places_ += where;
    entries_.push_back(current_);
    // What does not fit is refused before the rest of a long file is read.
    if (std::has_single_bit(entries_.size())) require_room();
  }
  width_ = qubits_;
  lowest_ = 0;
}

void CountsBuilder::choose_bits(std::size_t width, std::size_t lowest) {
  width_ = std::min<std::size_t>(width, 64);
  lowest_ = lowest;
}

std::uint64_t CountsBuilder::parse_outcome(const std::string& key, const std::string& where) {
  std::string bits;
  for (const char c : key) {
    if (c != ' ') bits += c;
  }
  int base = 10;
  std::size_t skip = 0;
  if (bits.rfind("0x", 0) == 0) {
    base = 16, skip = 2;
  } else if (bits.rfind("0b", 0) == 0) {
    base = 2, skip = 2;
  } else if (bits.size() == width_ && bits.find_first_not_of("01") == std::string::npos) {
    base = 2;
  } else if (bits.size() > 1 && bits[0] == '0') {  // no integer begins with 0
    skip = bits.size();
  } else if (bits.find_first_not_of("01") != std::string::npos) {
    decimals_ = true;
  } else if (bits.size() > 1 && bits.size() < width_ && ambiguous_.key.empty()) {
    ambiguous_ = {bits, where, width_};
  }
  std::uint64_t outcome = 0;
  const char* end = bits.data() + bits.size();
  const auto parsed = std::from_chars(bits.data() + skip, end, outcome, base);
  if (bits.size() == skip || parsed.ec != std::errc() || parsed.ptr != end) {
    fail(where, "outcome \"" + key + "\"",
         fmt::format("a bit string of {} bits or an integer", width_));
  }
  return outcome;
}

void CountsBuilder::refuse_ambiguous_keys() const {
  if (frequencies_ || decimals_ || ambiguous_.key.empty()) return;
  const auto& [key, where, width] = ambiguous_;
  fail(where, fmt::format("outcome \"{0}\", the bits {0:0>{1}} or the number {0}", key, width),
       fmt::format("all {} bits, or \"0b{}\" or a hexadecimal number", width, key));
}

void CountsBuilder::add(const std::string& key, const Json& value, const std::string& where) {
  if (!value.is_number()) fail(where + "." + key, value.dump(), "a count");
  add(parse_outcome(key, where), value.get<double>(), where + "." + key);
}

void CountsBuilder::add(const std::string& key, double value, const std::string& where) {
  add(parse_outcome(key, where), value, where);
}

void CountsBuilder::add(std::uint64_t outcome, double value, const std::string& where) {
  if (width_ < 64 && outcome >> width_ != 0) {
    const std::string found = fmt::format("outcome {}", outcome);
    const bool bits = found.find_first_not_of("01", found.rfind(' ') + 1) == std::string::npos;
    fail(
        where, found,
        fmt::format("one of the 2^{} outcomes of {} bits{}", width_, width_,
                    bits ? "; bits that were read as a number have lost their leading zeros" : ""));
  }
  outcome = outcome >> lowest_ & ((std::uint64_t{1} << qubits_) - 1);
  if (!(std::abs(value) <= largest_magnitude)) {
    fail(where, fmt::format("{}", value), "a finite count up to 1e100");
  }
  whole_ = whole_ && value == std::floor(value);
  if (format_.bits_qubit0_left) outcome = reverse_bits(outcome, qubits_);
  Entry& entry = current_->second;
  if (value < 0) {
    Negative& least = negative_[&entry];
    if (value < least.count) least = {value, where};
  }
  entry.values.add(outcome, value);
}

void CountsBuilder::add_all(const Json& counts, const std::string& where) {
  if (counts.is_array()) {
    if (counts.size() != std::size_t{1} << qubits_) {
      fail(where, fmt::format("{} counts", counts.size()),
           fmt::format("{} for {} qubits", std::size_t{1} << qubits_, qubits_));
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (!counts[k].is_number()) fail(where, counts[k].dump(), "a count");
      add(k, counts[k].get<double>(), fmt::format("{}[{}]", where, k));
    }
  } else if (counts.is_object()) {
    for (const auto& [key, value] : counts.items()) add(key, value, where);
  } else {
    fail(where, counts.dump(),
         fmt::format("counts by outcome, or a list of {} counts", std::size_t{1} << qubits_));
  }
}

/// True for values with sum 1 in every setting, unless all are whole and nobody told the shots.
bool CountsBuilder::are_frequencies() const {
  if (frequencies_) return true;
  if (whole_ && format_.shots == 0) return false;
  return std::all_of(entries_.begin(), entries_.end(), [](const Labelled* e) {
    return std::abs(e->second.values.sum() - 1) <= 1e-2;
  });
}

std::string CountsBuilder::place_of(const Entry& entry) const {
  return places_.substr(entry.place_begin, entry.place_size);
}

void CountsBuilder::fail_negative(const Entry& entry, const std::string& expected) const {
  const Negative& least = negative_.at(&entry);
  fail(least.where, fmt::format("the negative count {}", least.count), expected);
}

/// The shots of a setting; 0 when only frequencies are known. Refuses what is neither.
double CountsBuilder::checked_shots(const Entry& entry, bool frequencies) const {
  const double sum = entry.values.sum();
  if (frequencies) {  // quasi-probabilities may be negative
    if (!(std::abs(sum - 1) <= 1e-2)) {
      fail(place_of(entry), fmt::format("frequencies that sum to {}", sum), "the sum 1");
    }
    return entry.shots > 0 ? entry.shots : format_.shots;
  }
  double least = 0;
  for (const auto& [outcome, value] : entry.values.counts()) least = std::min(least, value);
  // Error mitigation leaves counts that are not whole, some a little below zero.
  if (least < (whole_ ? 0 : -most_mitigated * sum)) {
    fail_negative(entry, "counts >= 0");
  }
  if (!(sum > 0)) fail(place_of(entry), "no counts", "at least one shot in every setting");
  if (!whole_ && sum < least_mitigated) {
    fail(place_of(entry), fmt::format("frequencies that sum to {}", sum),
         "whole counts, or frequencies with sum 1");
  }
  if (format_.shots > 0) fail("--shots", "counts, which sum to their shots", "frequencies");
  return sum;
}

Setting CountsBuilder::setting_of(const std::string& label) const {
  Setting setting(qubits_);
  for (std::size_t j = 0; j < qubits_; ++j) {
    const std::size_t at = format_.label_qubit0_left ? j : qubits_ - 1 - j;
    setting[j] = letters_.at(label[at]);
  }
  return setting;
}

/// For all outcomes of the settings so far, where all are kept.
void CountsBuilder::require_room() const {
  if (qubits() > most_qubits_kept_whole) return;
  const double settings = static_cast<double>(entries_.size()), n = std::ldexp(1.0, qubits());
  require_memory(bytes_of_data(settings * n, sizeof(double)),
                 fmt::format("counts of {} settings with {} outcomes", settings, n));
}

void CountsBuilder::merge_counts() {
  for (Labelled* entry : entries_) entry->second.values.merge();
}

CountsData CountsBuilder::finish(const std::string& where) && {
  if (entries_.empty()) fail(where, "no setting", "counts of at least one setting");
  require_room();
  merge_counts();
  const Index n = Index{1} << qubits_;
  const auto settings = static_cast<Index>(entries_.size());
  const bool frequencies = are_frequencies();
  CountsData data;
  data.notes = notes_;
  data.qubits = static_cast<int>(qubits_);
  data.bases = bases_;
  data.counts = Vector<double>::Zero(settings * n);
  data.shots = Vector<double>::Ones(settings);
  for (Index s = 0; s < settings; ++s) {
    const auto& [label, entry] = *entries_[static_cast<std::size_t>(s)];
    data.settings.push_back(setting_of(label));
    const double shots = checked_shots(entry, frequencies);
    if (shots > 0) data.shots[s] = shots;
    data.shots_known = data.shots_known && shots > 0;
    const double unit = frequencies ? data.shots[s] : 1;
    for (const auto& [outcome, value] : entry.values.counts()) {
      data.counts[s * n + static_cast<Index>(outcome)] = unit * value;
    }
  }
  return data;
}

}  // namespace projfgd::formats
