#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "projectors.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd::formats {
namespace {

/// The states that every file may name, in the order of their letters: the outcomes 0 and 1 of the
/// bases Z, X and Y, which polarisations are called H and V, D and A, R and L.
constexpr std::string_view common_letters = "HVDARL";
constexpr std::string_view paulis = "ZXY";  // the bases of these pairs
constexpr std::string_view between = " ,;_|()[]'\"*";

char capital(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

/// One letter of a label and the characters that it takes.
struct Token {
  std::uint8_t state = 0;
  std::size_t length = 0;  ///< 0: no letter that is known
  bool unsigned_pauli = false;
};

/// The common state at the beginning of a text.
Token common_token(std::string_view text) {
  const char c = capital(text[0]);
  if (const auto at = common_letters.find(c); at != std::string_view::npos) {
    return {static_cast<std::uint8_t>(at), 1};
  }
  if (c == '0' || c == '1') return {static_cast<std::uint8_t>(c - '0'), 1};
  if (c == '+' || c == '-') return {static_cast<std::uint8_t>(c == '+' ? 2 : 3), 1};
  const auto pauli = paulis.find(c);
  if (pauli == std::string_view::npos) return {};
  const bool minus = text.size() > 1 && text[1] == '-', plus = text.size() > 1 && text[1] == '+';
  return {static_cast<std::uint8_t>(2 * pauli + (minus ? 1 : 0)), minus || plus ? 2ul : 1ul,
          !minus && !plus};
}

QubitState normalised(QubitState state, const std::string& where) {
  const double norm = std::hypot(std::abs(state[0]), std::abs(state[1]));
  if (!(norm > 0) || !(norm <= largest_magnitude)) {
    fail(where, fmt::format("a state of length {}", norm), "two amplitudes, not both 0");
  }
  for (auto& amplitude : state) amplitude /= norm;
  return state;
}

/// "1j", "0.5-0.5j" or "2", as Python writes complex numbers.
std::optional<std::complex<double>> complex_of(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '(' || c == ')'; });
  if (text.empty()) return std::nullopt;
  double real = 0, imaginary = 0;
  const bool has_unit = text.back() == 'j' || text.back() == 'i';
  if (!has_unit) {
    real = parse_number(text);
  } else {
    text.pop_back();
    std::size_t sign = text.find_last_of("+-");
    while (sign != std::string::npos && sign > 0 && capital(text[sign - 1]) == 'E') {
      sign = text.find_last_of("+-", sign - 1);
    }
    const std::size_t split = sign == std::string::npos ? 0 : sign;
    std::string unit = text.substr(split);
    if (unit.starts_with('+')) unit.erase(0, 1);
    if (unit.empty() || unit == "-") unit += '1';
    if (split > 0) real = parse_number(text.substr(0, split));
    imaginary = parse_number(unit);
  }
  if (!std::isfinite(real) || !std::isfinite(imaginary)) return std::nullopt;
  return std::complex<double>(real, imaginary);
}

std::complex<double> amplitude_of(const Json& json, const std::string& where) {
  if (!json.is_string()) return amplitude(json, where);
  if (const auto found = complex_of(json.get<std::string>())) return *found;
  fail(where, quote(json.get<std::string>()), "a complex number such as \"0.5-0.5j\"");
}

/// The settings that the projectors make up, each with all of its outcomes at equal exposure and
/// something counted; nothing where they do not.
std::optional<CountsData> complete_bases(const ProjectorData& data) {
  const Index n = Index{1} << data.qubits;
  const auto rows = std::ssize(data.projectors);
  if (rows % n != 0 || data.accidentals.maxCoeff() > 0) return std::nullopt;
  constexpr double never = -1;
  std::map<std::string, Index> places;
  CountsData out;
  out.qubits = data.qubits;
  out.bases = pauli_bases();
  out.counts = Vector<double>::Constant(rows, never);
  out.labels.resize(static_cast<std::size_t>(rows));
  Vector<double> exposures(rows / n);
  for (Index i = 0; i < rows; ++i) {
    Setting setting = data.projectors[static_cast<std::size_t>(i)];
    Index outcome = 0;
    for (std::size_t j = 0; j < setting.size(); ++j) {
      if (setting[j] >= common_letters.size()) return std::nullopt;
      outcome |= Index{setting[j] & 1} << j;
      constexpr std::uint8_t positions[] = {2, 0, 1};  // of Z, X and Y among the Pauli bases
      setting[j] = positions[setting[j] / 2];
    }
    const auto [it, fresh] =
        places.try_emplace(std::string(setting.begin(), setting.end()), std::ssize(out.settings));
    const Index s = it->second;
    if (s == exposures.size()) return std::nullopt;
    if (fresh) out.settings.push_back(std::move(setting)), exposures[s] = data.exposures[i];
    double& count = out.counts[s * n + outcome];
    if (count != never || exposures[s] != data.exposures[i]) return std::nullopt;
    count = data.counts[i];
    out.labels[static_cast<std::size_t>(s * n + outcome)] =
        data.labels[static_cast<std::size_t>(i)];
  }
  out.shots = out.counts.reshaped(n, rows / n).colwise().sum().transpose();
  if (!(out.shots.minCoeff() > 0)) return std::nullopt;
  return out;
}

}  // namespace

bool is_projector_label(std::string_view label) {
  std::size_t letters = 0;
  while (!label.empty()) {
    if (between.find(label[0]) != std::string_view::npos) {
      label.remove_prefix(1);
      continue;
    }
    const Token token = common_token(label);
    // Digits and signs alone may be outcomes, unsigned letters are bases.
    if (token.length == 0 || token.unsigned_pauli || std::isalpha(label[0]) == 0) return false;
    label.remove_prefix(token.length);
    ++letters;
  }
  return letters > 0;
}

ProjectorBuilder::ProjectorBuilder(const MeasurementFormat& format) : format_(format) {
  const auto refuse = [](const char* option, bool given) {
    if (given) fail(fmt::format("--{}", option), "counts of projectors", "counts of settings");
  };
  refuse("bit-order", format.bits_qubit0_left);
  refuse("basis-pattern", !format.basis_pattern.empty());
  const double half = std::sqrt(0.5);
  const std::complex<double> i(0, half);
  data_.states = {{1, 0}, {0, 1}, {half, half}, {half, -half}, {half, i}, {half, -i}};
  if (!format.bases.path.empty()) {
    define(parse_json(format.bases.bytes, format.bases.path), format.bases.path);
  }
}

void ProjectorBuilder::define(const Json& states, const std::filesystem::path& path) {
  if (!states.is_object()) fail(path.string(), "no object", "an object of letters");
  for (const auto& [letter, amplitudes] : states.items()) {
    const std::string where = place(path, letter);
    if (letter.size() != 1 || std::isalpha(static_cast<unsigned char>(letter[0])) == 0) {
      fail(where, quote(letter), "one letter");
    }
    if (!amplitudes.is_array() || amplitudes.size() != 2) {
      fail(where, amplitudes.dump(), "the two amplitudes of a state");
    }
    const QubitState state =
        normalised({amplitude_of(amplitudes[0], where), amplitude_of(amplitudes[1], where)}, where);
    const auto known = std::ranges::find_if(data_.states, [&](const QubitState& other) {
      const auto overlap = std::conj(other[0]) * state[0] + std::conj(other[1]) * state[1];
      return std::abs(std::norm(overlap) - 1) < 1e-12;
    });
    letters_[letter[0]] = static_cast<std::uint8_t>(known - data_.states.begin());
    if (known == data_.states.end()) data_.states.push_back(state);
  }
}

Setting ProjectorBuilder::parse_label(const std::string& label, const std::string& where) const {
  Setting states;
  std::string_view rest = label;
  while (!rest.empty()) {
    const char c = rest[0];
    if (const auto own = letters_.find(c); own != letters_.end()) {
      states.push_back(own->second);
      rest.remove_prefix(1);
      continue;
    }
    if (between.find(c) != std::string_view::npos) {
      rest.remove_prefix(1);
      continue;
    }
    const Token token = common_token(rest);
    if (token.length == 0 || (token.unsigned_pauli && format_.format == "auto")) {
      fail(where, fmt::format("letter '{}' in label {}", leading_character(rest), quote(label)),
           token.length == 0 ? "H, V, D, A, R, L, X+, X-, Y+, Y-, Z+, Z- or a letter of --bases"
                             : "the sign of the state, as in X+ or X-");
    }
    states.push_back(token.state);
    rest.remove_prefix(token.length);
  }
  return states;
}

void ProjectorBuilder::add(const std::string& label, const Count& found, const std::string& where) {
  Setting states = parse_label(label, where);
  if (states.empty()) fail(where, "an empty label", "a state for each qubit");
  const auto qubits = static_cast<int>(states.size());
  if (qubits > max_qubits) {
    throw ResourceError(
        fmt::format("{}: found {} qubits, at most {} are possible", where, qubits, max_qubits));
  }
  if (counts_.empty()) data_.qubits = qubits, first_ = label;
  if (qubits != data_.qubits) {
    fail(where, fmt::format("label {} of {} qubits", quote(label), qubits),
         fmt::format("{} as in the first, {}", data_.qubits, quote(first_)));
  }
  if (!(found.count >= 0 && found.count <= largest_magnitude)) {
    fail(where, fmt::format("the count {}", found.count),
         found.count < 0 ? "raw counts >= 0, with the subtracted counts as accidentals"
                         : "a finite count up to 1e100");
  }
  if (!(found.exposure >= 1 / largest_magnitude && found.exposure <= largest_magnitude)) {
    fail(where, fmt::format("the exposure {}", found.exposure),
         "exposure and efficiency above 0, up to 1e100");
  }
  if (!(found.accidentals >= 0 && found.accidentals <= largest_magnitude)) {
    fail(where, fmt::format("the accidentals {}", found.accidentals), "accidentals >= 0");
  }
  if (!format_.label_qubit0_left) std::ranges::reverse(states);
  data_.projectors.push_back(std::move(states));
  data_.labels.push_back(label);
  counts_.push_back(found.count);
  exposures_.push_back(found.exposure);
  accidentals_.push_back(found.accidentals);
}

/// Frequencies become counts by --shots, which they need; counts do not take it.
void ProjectorBuilder::require_counts(const std::string& where) {
  if (counts_.empty()) fail(where, "no projector", "the counts of at least one");
  const double most = *std::ranges::max_element(counts_);
  if (!(most > 0)) fail(where, "no counts", "at least one");
  const bool whole = std::ranges::all_of(counts_, [](double k) { return k == std::floor(k); });
  const bool frequencies = !whole && most <= 1;
  if (format_.shots > 0 && !frequencies) fail("--shots", "counts", "frequencies");
  if (!frequencies) return;
  if (format_.shots == 0) {
    fail(where, fmt::format("frequencies up to {:.3g}", most),
         "counts, or --shots with the counts of a projector with probability 1");
  }
  for (double& count : counts_) count *= format_.shots;
}

Measurements ProjectorBuilder::finish(const std::string& where) && {
  require_counts(where);
  const auto vector = [](const std::vector<double>& v) -> Vector<double> {
    return Eigen::Map<const Vector<double>>(v.data(), std::ssize(v));
  };
  data_.counts = vector(counts_);
  data_.exposures = vector(exposures_);
  data_.accidentals = vector(accidentals_);
  if (auto settings = complete_bases(data_)) {
    settings->notes = std::move(notes_);
    return *std::move(settings);
  }
  data_.notes = std::move(notes_);
  return std::move(data_);
}

}  // namespace projfgd::formats
