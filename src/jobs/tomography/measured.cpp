#include "jobs/tomography/measured.hpp"

#include <algorithm>
#include <cmath>

#include "projfgd/measures/determined.hpp"
#include "projfgd/operators/outcome_map.hpp"
#include "projfgd/operators/projectors.hpp"

namespace projfgd {
namespace {

constexpr double most_missed = 0.1;  // of an expectation, nothing said of the noise

Noise numbers_of(const PauliData& data) {
  return {.data = count_independent(data.strings), .determined = count_determined(data.strings)};
}
/// Up to 4 qubits by their rank, else as many as there are.
Noise numbers_of(const ProjectorData& data) {
  constexpr int most_qubits = 4;
  const auto all = static_cast<double>(data.projectors.size());
  const double seen = data.qubits <= most_qubits
                          ? count_determined(projector_coordinates(data.states, data.projectors))
                          : std::min(all, std::pow(4.0, data.qubits));
  return {.data = all - 1, .determined = seen - 1};  // one number is the intensity
}
Noise numbers_of(const CountsData& data) {
  return {.data = count_independent(data.settings.size(), data.qubits),
          .determined = count_determined(data.settings, data.bases.size(), data.qubits)};
}

/// As many as there are: which of them are the same takes 2^q steps to tell.
Noise numbers_of(const SeenCounts& data) {
  const double all = count_independent(data.seen.settings.size(), data.qubits);
  return {.data = all, .determined = all};
}

Goodness goodness_in(const PauliData& data, const Vector<double>& p) {
  return goodness_of_values(p / scale_of(data), data.values, data.errors,
                            count_independent(data.strings));
}
Goodness goodness_in(const CountsData& data, const Vector<double>& p) {
  return goodness_of_counts(p, data.counts, data.shots, data.shots_known);
}

Goodness goodness_in(const ProjectorData& data, const Vector<double>& p) {
  return goodness_of_projectors(counts_of(data), p);
}

Fit points_of(const ProjectorData& data, const Vector<double>& p) {
  Fit fit{"probability"};
  const double intensity = likeliest_intensity(counts_of(data), p);
  for (Index i = 0; i < p.size(); i += selection_step(p.size())) {
    const double unit = intensity * data.exposures[i];
    fit.measured.push_back((data.counts[i] - data.accidentals[i]) / unit);
    fit.predicted.push_back(p[i]);
    fit.sigma.push_back(std::sqrt(std::max(unit * p[i] + data.accidentals[i], 1.0)) / unit);
  }
  return fit;
}

/// The residual alone: cells that are chosen because something was seen in them have no chi-square.
Goodness goodness_in(const SeenCounts& data, const Vector<double>& p) {
  double square = 0;
  for (Index s = 0; s < data.shots.size(); ++s) {
    const Index begin = data.seen.begin(s), count = data.seen.count(s);
    square +=
        (data.counts.segment(begin, count) / data.shots[s] - p.segment(begin, count)).squaredNorm();
  }
  return {.residual = std::sqrt(square), .chi_square = std::nan("")};
}

Fit points_of(const PauliData& data, const Vector<double>& p) {
  Fit fit{"expectation"};
  const double scale = scale_of(data);
  for (Index i = 0; i < p.size(); i += selection_step(p.size())) {
    fit.measured.push_back(data.values[i]);
    fit.predicted.push_back(p[i] / scale);
    if (data.errors.size() > 0) fit.sigma.push_back(data.errors[i]);
  }
  return fit;
}
/// Chi-square of each setting over its mean by chance.
std::vector<SettingMisfit> misfits_of_settings(const CountsData& data, const Vector<double>& p,
                                               bool label_qubit0_left) {
  const Index outcomes = Index{1} << data.qubits;
  std::vector<SettingMisfit> misfits;
  for (std::size_t s = 0; s < data.settings.size(); ++s) {
    const Index first = static_cast<Index>(s) * outcomes;
    const Goodness good =
        goodness_of_counts(p.segment(first, outcomes), data.counts.segment(first, outcomes),
                           data.shots.segment(static_cast<Index>(s), 1), data.shots_known);
    if (!(good.expected > 0)) continue;
    misfits.push_back(
        {setting_label(data.settings[s], label_qubit0_left), good.chi_square / good.expected});
  }
  return misfits;
}

Fit points_of(const CountsData& data, const Vector<double>& p) {
  const Index outcomes = Index{1} << data.qubits;
  Fit fit{"probability"};
  for (Index i = 0; i < p.size(); i += selection_step(p.size())) {
    const double shots = data.shots[i / outcomes], q = p[i];
    fit.measured.push_back(data.counts[i] / shots);
    fit.predicted.push_back(q);
    if (!data.shots_known) continue;
    fit.sigma.push_back(std::sqrt(std::max(q * (1 - q), 0.1 / shots) / shots));
  }
  return fit;
}

Fit points_of(const SeenCounts& data, const Vector<double>& p) {
  Fit fit{"probability"};
  const Index step = selection_step(p.size());
  for (Index s = 0, i = 0; s < data.shots.size(); ++s) {
    for (const Index end = data.seen.begin(s + 1); i < end; i += step) {
      fit.measured.push_back(data.counts[i] / data.shots[s]);
      fit.predicted.push_back(p[i]);
    }
  }
  return fit;
}

/// What white noise gives each of the outcomes, and all others of a setting together.
Vector<double> white_in(const SeenCounts& data, const Readout& readout) {
  Vector<double> p(data.counts.size());
  for (Index s = 0; s < data.shots.size(); ++s) {
    const Index begin = data.seen.begin(s), count = data.seen.count(s);
    for (Index i = 0; i < count; ++i) {
      const auto outcome =
          data.seen
              .outcomes[static_cast<std::size_t>(data.seen.first[static_cast<std::size_t>(s)] + i)];
      double probability = std::ldexp(1.0, -data.qubits);
      for (std::size_t j = 0; j < readout.per_qubit.size(); ++j) {
        const auto& row = readout.per_qubit[j][outcome >> j & 1];
        probability *= row[0] + row[1];
      }
      p[begin + i] = probability;
    }
    p[begin + count] = 1 - p.segment(begin, count).sum();
  }
  return p;
}

}  // namespace

double scale_of(const PauliData& data) { return pauli_scale(data.qubits, data.strings.size()); }

double unit_intensity(const ProjectorData& data) {
  const double signal = std::max(data.counts.sum() - data.accidentals.sum(), 1.0);
  return std::ldexp(signal / data.exposures.sum(), data.qubits);
}

ProjectorCounts counts_of(const ProjectorData& data) {
  return {data.counts, data.exposures, data.accidentals};
}

std::optional<double> intensity_of(const Measurements& measured, const Vector<double>& p) {
  const auto* data = std::get_if<ProjectorData>(&measured);
  if (data == nullptr) return std::nullopt;
  return likeliest_intensity(counts_of(*data), p);
}

bool has_free_trace(const Measurements& measured) {
  return std::holds_alternative<ProjectorData>(measured);
}

int qubits_of(const Measurements& measured) {
  return std::visit([](const auto& data) { return data.qubits; }, measured);
}

const std::vector<std::string>& notes_of(const Measurements& measured) {
  return std::visit(
      [](const auto& data) -> const auto& { return data.notes; }, measured);
}

bool noise_is_known(const Measurements& measured) {
  if (const auto* counts = std::get_if<CountsData>(&measured)) return counts->shots_known;
  if (std::holds_alternative<ProjectorData>(measured)) return true;
  if (std::holds_alternative<SeenCounts>(measured)) return true;
  return std::get<PauliData>(measured).errors.size() > 0;
}

bool keeps_all_outcomes(const Measurements& measured) {
  return !std::holds_alternative<SeenCounts>(measured);
}

double shots_per_setting(const Measurements& measured) {
  if (!noise_is_known(measured)) return 0;
  if (const auto* counts = std::get_if<CountsData>(&measured)) return counts->shots.mean();
  if (const auto* data = std::get_if<ProjectorData>(&measured)) {
    return unit_intensity(*data) * data->exposures.mean();
  }
  if (const auto* counts = std::get_if<SeenCounts>(&measured)) return counts->shots.mean();
  return 1 / std::get<PauliData>(measured).errors.cwiseAbs2().mean();
}

Vector<double> white_predictions(const Measurements& measured, const Readout& readout) {
  if (const auto* counts = std::get_if<CountsData>(&measured)) {
    if (readout.empty()) {
      return Vector<double>::Constant(counts->counts.size(), std::ldexp(1.0, -counts->qubits));
    }
    const OutcomeMap map(counts->settings, counts->bases, readout);
    Vector<double> p;
    map.forward(Vector<double>::Unit(map.coordinates(), 0), p);
    return p;
  }
  if (const auto* data = std::get_if<ProjectorData>(&measured)) {
    return Vector<double>::Constant(data->counts.size(), std::ldexp(1.0, -data->qubits));
  }
  if (const auto* counts = std::get_if<SeenCounts>(&measured)) return white_in(*counts, readout);
  const auto& data = std::get<PauliData>(measured);
  Vector<double> p = Vector<double>::Zero(data.values.size());
  for (Index i = 0; i < p.size(); ++i) {
    const PauliString& string = data.strings[static_cast<std::size_t>(i)];
    if ((string.x | string.z) == 0) p[i] = scale_of(data);
  }
  return p;
}

Noise noise_of(const Measurements& measured) {
  return std::visit([](const auto& data) { return numbers_of(data); }, measured);
}

Goodness goodness(const Measurements& measured, const Vector<double>& predictions) {
  return std::visit([&](const auto& data) { return goodness_in(data, predictions); }, measured);
}

bool misses_values(const Measurements& measured, const Goodness& good) {
  const auto* expectations = std::get_if<PauliData>(&measured);
  if (expectations == nullptr || noise_is_known(measured)) return false;
  return good.residual > most_missed * std::sqrt(static_cast<double>(expectations->values.size()));
}

std::string setting_label(const Setting& setting, bool qubit0_left) {
  std::string label;
  for (const auto basis : setting) label.insert(label.begin(), basis < 3 ? "XYZ"[basis] : '?');
  if (qubit0_left) std::ranges::reverse(label);
  return label;
}

std::vector<SettingMisfit> setting_misfits(const Measurements& measured,
                                           const Vector<double>& predictions,
                                           bool label_qubit0_left) {
  const auto* counts = std::get_if<CountsData>(&measured);
  if (counts == nullptr || !counts->shots_known) return {};
  return misfits_of_settings(*counts, predictions, label_qubit0_left);
}

Fit fit_of(const Measurements& measured, const Vector<double>& predictions,
           bool label_qubit0_left) {
  Fit fit = std::visit([&](const auto& data) { return points_of(data, predictions); }, measured);
  fit.all = static_cast<std::size_t>(predictions.size());
  fit.settings = setting_misfits(measured, predictions, label_qubit0_left);
  return fit;
}

}  // namespace projfgd
