#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <regex>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/io/files.hpp"
#include "reader.hpp"

namespace projfgd::formats {
namespace {

constexpr std::size_t longest_text = 4096;  // std::regex recurses; nobody names a basis that far in

std::complex<double> amplitude(const Json& json, const std::string& where) {
  if (json.is_number()) return json.get<double>();
  if (json.is_array() && json.size() == 2 && json[0].is_number() && json[1].is_number()) {
    return {json[0].get<double>(), json[1].get<double>()};
  }
  fail(where, json.dump(), "a number or [real, imaginary]");
}

/// {"T": [[a, b], [c, d]]}: the states of outcome 0 and outcome 1.
void read_bases(const std::filesystem::path& path, std::map<char, std::uint8_t>& letters,
                std::vector<QubitBasis>& bases) {
  const Json json = read_json(path);
  if (!json.is_object()) fail(path.string(), "no object", "an object of letters");
  for (const auto& [letter, states] : json.items()) {
    const std::string where = place(path, letter);
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
    letters[letter[0]] = static_cast<std::uint8_t>(bases.size());
    bases.push_back(basis);
  }
}

std::uint64_t reverse_bits(std::uint64_t bits, std::size_t count) {
  std::uint64_t out = 0;
  for (std::size_t j = 0; j < count; ++j) out |= ((bits >> j) & 1) << (count - 1 - j);
  return out;
}

std::string letters_only(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) out += c;
  }
  return out;
}

/// The words of X, Y and Z in a text; "('X', 'Y')" counts as the word XY.
std::vector<std::string> pauli_words(std::string text) {
  static const std::regex tuple("'([XYZ])'(, *)?");
  text = std::regex_replace(text, tuple, "$1");
  static const std::regex word("(^|[^A-Za-z])([XYZ]+)(?![A-Za-z])");
  std::vector<std::string> words;
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
    words.push_back((*it)[2]);
  }
  return words;
}

}  // namespace

void fail(const std::string& where, const std::string& found, const std::string& expected) {
  const auto shown = found.size() > 80 ? found.substr(0, 77) + "..." : found;
  throw InputError(fmt::format("{}: found {}, expected {}", where, shown, expected));
}

std::string place(const std::filesystem::path& path, const std::string& field) {
  return fmt::format("{}: {}", path.string(), field);
}

CountsBuilder::CountsBuilder(const MeasurementFormat& format)
    : format_(format), letters_{{'X', 0}, {'Y', 1}, {'Z', 2}}, bases_(pauli_bases()) {
  if (!format.bases.empty()) read_bases(format.bases, letters_, bases_);
}

void CountsBuilder::begin(const std::string& label, const std::string& where) {
  if (label.empty()) fail(where, "an empty label", "a letter for each qubit");
  if (label.size() > static_cast<std::size_t>(max_qubits)) {
    throw ResourceError(fmt::format("{}: found {} qubits, at most {} are possible", where,
                                    label.size(), max_qubits));
  }
  if (qubits_ == 0) qubits_ = label.size();
  if (label.size() != qubits_) {
    fail(where, fmt::format("a label of {} qubits", label.size()),
         fmt::format("{} as in the first setting", qubits_));
  }
  for (const char c : label) {
    if (letters_.count(c) == 0) {
      fail(where, fmt::format("letter '{}' in label \"{}\"", c, label),
           "X, Y, Z or a letter of --bases");
    }
  }
  const auto [it, fresh] = positions_.try_emplace(label, entries_.size());
  if (fresh) entries_.push_back({label, where, {}, 0});
  current_ = it->second;
}

std::uint64_t CountsBuilder::parse_outcome(const std::string& key, const std::string& where) const {
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
  } else if (bits.size() == qubits_ && bits.find_first_not_of("01") == std::string::npos) {
    base = 2;
  }
  std::uint64_t outcome = 0;
  const char* end = bits.data() + bits.size();
  const auto parsed = std::from_chars(bits.data() + skip, end, outcome, base);
  if (bits.size() == skip || parsed.ec != std::errc() || parsed.ptr != end) {
    fail(where, "outcome \"" + key + "\"",
         fmt::format("a bit string of {} bits or an integer", qubits_));
  }
  return outcome;
}

void CountsBuilder::add(const std::string& key, const Json& value, const std::string& where) {
  if (!value.is_number()) fail(where + "." + key, value.dump(), "a count");
  add(parse_outcome(key, where), value.get<double>(), where + "." + key);
}

void CountsBuilder::add(std::uint64_t outcome, double value, const std::string& where) {
  if (outcome >> qubits_ != 0) {
    fail(where, fmt::format("outcome {}", outcome),
         fmt::format("one of the {} outcomes of {} qubits", std::uint64_t{1} << qubits_, qubits_));
  }
  if (!std::isfinite(value)) fail(where, "a number that is not finite", "a count");
  whole_ = whole_ && value == std::floor(value);
  if (format_.bits_qubit0_left) outcome = reverse_bits(outcome, qubits_);
  entries_[current_].values[outcome] += value;
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
    fail(where, counts.dump(), "an object of counts by outcome");
  }
}

/// The shots of a setting; 0 when only frequencies are known. Refuses what is neither.
double CountsBuilder::checked_shots(const Entry& entry) const {
  double sum = 0, least = 0;
  for (const auto& [outcome, value] : entry.values) {
    sum += value;
    least = std::min(least, value);
  }
  if (frequencies_ || !whole_) {  // quasi-probabilities may be negative
    if (!(std::abs(sum - 1) <= 1e-2)) {
      fail(entry.where, fmt::format("frequencies that sum to {}", sum),
           "whole counts, or frequencies with sum 1");
    }
    return entry.shots > 0 ? entry.shots : format_.shots;
  }
  if (least < 0) fail(entry.where, fmt::format("the negative count {}", least), "counts >= 0");
  if (!(sum > 0)) fail(entry.where, "no counts", "at least one shot in every setting");
  return sum;
}

CountsData CountsBuilder::finish(const std::string& where) && {
  if (entries_.empty()) fail(where, "no setting", "counts of at least one setting");
  const Index n = Index{1} << qubits_;
  const auto settings = static_cast<Index>(entries_.size());
  require_memory(static_cast<double>(settings) * static_cast<double>(n) * sizeof(double) * 8,
                 fmt::format("counts of {} settings with {} outcomes", settings, n));
  CountsData data;
  data.qubits = static_cast<int>(qubits_);
  data.bases = bases_;
  data.counts = Vector<double>::Zero(settings * n);
  data.shots = Vector<double>::Ones(settings);
  for (Index s = 0; s < settings; ++s) {
    const Entry& entry = entries_[static_cast<std::size_t>(s)];
    Setting setting(qubits_);
    for (std::size_t j = 0; j < qubits_; ++j) {
      const std::size_t at = format_.label_qubit0_left ? j : qubits_ - 1 - j;
      setting[j] = letters_.at(entry.label[at]);
    }
    data.settings.push_back(std::move(setting));
    const double shots = checked_shots(entry);
    if (shots > 0) data.shots[s] = shots;
    data.shots_known = data.shots_known && shots > 0;
    const double unit = frequencies_ || !whole_ ? data.shots[s] : 1;
    for (const auto& [outcome, value] : entry.values) {
      data.counts[s * n + static_cast<Index>(outcome)] = unit * value;
    }
  }
  return data;
}

std::string find_label(const std::vector<std::string>& texts, const MeasurementFormat& format,
                       std::size_t qubits, const std::string& where) {
  const auto fits = [qubits](const std::string& label) {
    return !label.empty() && (qubits == 0 || label.size() == qubits);
  };
  std::vector<std::string> found;
  for (std::string text : texts) {
    text.resize(std::min(text.size(), longest_text));
    if (!format.basis_pattern.empty()) {
      try {
        const std::regex pattern(format.basis_pattern);
        std::smatch match;
        if (!std::regex_search(text, match, pattern)) continue;
        std::string label;
        for (std::size_t g = match.size() > 1 ? 1 : 0; g < match.size(); ++g) label += match[g];
        if (std::string letters = letters_only(label); fits(letters)) return letters;
      } catch (const std::regex_error&) {
        fail("option basis-pattern", "\"" + format.basis_pattern + "\"", "a regular expression");
      }
    } else {
      for (const std::string& word : pauli_words(text)) {
        if (fits(word)) found.push_back(word);
      }
      if (found.size() == 1) return found[0];
      if (found.size() > 1) break;
    }
  }
  const std::string looked = texts.empty() ? "nothing" : "\"" + texts[0] + "\"";
  fail(where,
       found.size() > 1 ? "several words that may be the basis in " + looked
                        : "no basis in " + looked,
       qubits == 0 ? "a letter X, Y or Z for each qubit (see --basis-pattern)"
                   : fmt::format("X, Y or Z for each of {} qubits (see --basis-pattern)", qubits));
}

}  // namespace projfgd::formats
