// Where the basis of a setting stands in the name or the metadata of its circuit.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "projfgd/io/text.hpp"
#include "projfgd/io/text_pattern.hpp"
#include "reader.hpp"

namespace projfgd::formats {
namespace {

/// Nothing where none is given.
std::optional<TextPattern> basis_pattern(const MeasurementFormat& format) {
  if (format.basis_pattern.empty()) return std::nullopt;
  try {
    return TextPattern(format.basis_pattern);
  } catch (const std::invalid_argument& error) {
    fail("--basis-pattern", quote(format.basis_pattern),
         fmt::format("a regular expression: {}", error.what()));
  }
}

std::string letters_only(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) out += c;
  }
  return out;
}

/// The same with XY for what Python writes of ('X', 'Y').
std::string without_quotes(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool quoted = text[at] == '\'' && at + 2 < text.size() && text[at + 2] == '\'' &&
                        std::string_view("XYZ").find(text[at + 1]) != std::string_view::npos;
    out += quoted ? text[at + 1] : text[at];
    if (!quoted) continue;
    at += 2;
    if (at + 1 < text.size() && text[at + 1] == ',') {
      at = std::min(text.find_first_not_of(' ', at + 2), text.size()) - 1;
    }
  }
  return out;
}

/// The words of X, Y and Z alone in a text; small letters are looked at where there are no such
/// capitals.
std::vector<std::string> pauli_words(const std::string& named) {
  const std::string text = without_quotes(named);
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  std::vector<std::string> words;
  for (const std::string_view letters : {"XYZ", "xyz"}) {
    for (auto begin = text.begin(); begin != text.end();) {
      begin = std::find_if(begin, text.end(), is_letter);
      const auto end = std::find_if_not(begin, text.end(), is_letter);
      const std::string_view word(begin, end);
      if (!word.empty() && word.find_first_not_of(letters) == std::string_view::npos) {
        words.emplace_back(word);
      }
      begin = end;
    }
    if (!words.empty()) break;
  }
  return words;
}

/// What a search for the basis has come to.
struct Found {
  FoundLabel label;      // empty when there is none
  bool several = false;  // words that may be it
};

Found search_label(const std::vector<std::string>& texts, const MeasurementFormat& format,
                   std::size_t qubits) {
  const auto fits = [qubits](const std::string& label) {
    return !label.empty() && (qubits == 0 || label.size() == qubits);
  };
  const std::optional<TextPattern> pattern = basis_pattern(format);
  for (const std::string& text : texts) {
    if (pattern) {
      const auto match = pattern->search(text);
      if (!match) continue;
      std::string label;
      for (std::size_t g = match->size() > 1 ? 1 : 0; g < match->size(); ++g) label += (*match)[g];
      if (std::string letters = letters_only(label); fits(letters)) return {{letters, text}};
    } else {
      std::vector<std::string> words;
      for (const std::string& word : pauli_words(text)) {
        if (fits(word)) words.push_back(word);
      }
      if (words.size() == 1) return {{words[0]}};
      if (words.size() > 1) return {{}, true};
    }
  }
  return {};
}

}  // namespace

void require_basis_pattern(const MeasurementFormat& format) { basis_pattern(format); }

FoundLabel try_label(const std::vector<std::string>& texts, const MeasurementFormat& format,
                     std::size_t qubits) {
  return search_label(texts, format, qubits).label;
}

FoundLabel find_label(const std::vector<std::string>& texts, const MeasurementFormat& format,
                      std::size_t qubits, const std::string& where) {
  const Found found = search_label(texts, format, qubits);
  if (!found.label.empty()) return found.label;
  const std::string looked = texts.empty() ? "nothing" : "\"" + texts[0] + "\"";
  fail(where,
       found.several ? "several words that may be the basis in " + looked : "no basis in " + looked,
       qubits == 0 ? "a letter X, Y or Z for each qubit (see --basis-pattern)"
       : qubits == 1
           ? "X, Y or Z for the qubit (see --basis-pattern)"
           : fmt::format("X, Y or Z for each of {} qubits (see --basis-pattern)", qubits));
}

}  // namespace projfgd::formats
