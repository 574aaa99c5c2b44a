#include "jobs/tomography/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "jobs/common/make_record.hpp"
#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/shown_strings.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {
namespace {

void add_model(const ModelFacts& model, Json& summary) {
  summary["qubits"] = model.qubits;
  if (model.settings > 0) summary["settings"] = model.settings;
  if (model.projectors > 0) summary["projectors"] = model.projectors;
  if (model.shots > 0) summary["shots"] = model.shots;
  summary["loss"] = model.loss;
  summary["constraint"] = model.set.text();
}

void add_description(const StateDescription& description, const StateFactor& state, Json& summary) {
  summary["purity"] = description.purity;
  summary["entropy"] = description.entropy;
  if (const auto& target = description.target) {
    summary["target"] = target->name;
    summary["fidelity"] = target->fidelity;
    summary["trace_distance"] = target->trace_distance;
  }
  summary["eigenvalues"] = Json::array();
  for (const double value : description.eigenvalues) summary["eigenvalues"].push_back(value);
  for (std::size_t k = 0; k < description.labels.size(); ++k) {
    summary["expectations"][description.labels[k]] =
        description.expectations[static_cast<Index>(k)];
  }
  for (Index k = 0; k < description.negativities.size(); ++k) {
    summary["negativities"][fmt::format("{}", k)] = description.negativities[k];
  }
  const auto qubits_of_state = summary["qubits"].get<int>();
  for (const PauliString& string : shown_strings(state)) {
    summary["paulis"][pauli_label(string, qubits_of_state)] = expectation(string, state);
  }
  for (const auto& [qubits, rho] : description.reduced) {
    summary["reduced_purity"][fmt::format("{}", fmt::join(qubits, "_"))] = rho.squaredNorm();
  }
}

void add_judgement(const Judgement& judgement, Json& summary) {
  const GoodnessTest& test = judgement.test;
  summary["residual"] = test.good.residual;
  if (test.is_possible()) {
    summary["noise_floor"] = test.good.floor;
    summary["chi_square"] = test.good.chi_square;
    summary["degrees_of_freedom"] = test.freedom;
    summary["p_value"] = test.p_value();
  }
  if (judgement.fits_data) summary["fits_data"] = *judgement.fits_data;
  if (test.is_possible() && test.is_too_good()) summary["less_scatter_than_noise"] = true;
}

constexpr const char* worth_of_refits =
    "These intervals show how the estimate varies when the experiment is repeated. Near the "
    "boundary, where a fidelity or the purity is close to 1 or an eigenvalue is close to 0, the "
    "fit is biased and they may miss the true value in more than 5% of cases; use --errors auto "
    "there.";

/// Why the number that comes first has no interval, and how to get one.
std::string missing_intervals(const Evidence& e, const Json& summary) {
  const bool target = summary.contains("fidelity");
  if (e.fit.trust.refits > 0 || (target ? e.fit.trust.fidelity : e.fit.trust.purity)) return "";
  if (noise_is_known(e.data.measured)) {
    return fmt::format(
        "no error bars: these data do not show the {} directly; use --errors "
        "bootstrap",
        target ? "fidelity" : "purity");
  }
  return fmt::format("no error bars: the noise of the data is unknown; give {}",
                     std::holds_alternative<PauliData>(e.data.measured)
                         ? "the standard error of each expectation"
                         : "the number of shots (--shots)");
}

Json pair_of(const Interval& interval) { return Json::array({interval.low, interval.high}); }

/// Error bars with their methods, what the data do not determine, and the certificate.
void add_trust(const Evidence& e, Json& summary) {
  const StateTrust& trust = e.fit.trust;
  if (trust.gap) {
    summary["optimality_gap"] = gap_json(*trust.gap, e.model.noise.likelihood);
  }
  if (e.input.errors == errors_option::none || !keeps_all_outcomes(e.data.measured)) return;
  Json intervals = {{"level", interval_level}}, methods = Json::object();
  const auto add = [&](const char* name, const std::optional<QuantityInterval>& found) {
    if (!found) return;
    intervals[name] = pair_of(found->interval);
    methods[name] = found->method;
  };
  if (summary.contains("fidelity")) add("fidelity", trust.fidelity);
  add("purity", trust.purity);
  add("entropy", trust.entropy);
  for (const QuantityInterval& found : trust.eigenvalues) {
    intervals["eigenvalues"].push_back(pair_of(found.interval));
    methods["eigenvalues"] = found.method;
  }
  for (std::size_t k = 0; k < trust.expectations.size(); ++k) {
    const auto& found = trust.expectations[k];
    if (!found) continue;
    const std::string& label = e.data.questions.labels[k];
    intervals["expectations"][label] = pair_of(found->interval);
    methods["expectations"][label] = found->method;
  }
  for (std::size_t k = 0; k < trust.negativities.size(); ++k) {
    const auto& found = trust.negativities[k];
    if (!found) continue;
    intervals["negativities"][fmt::format("{}", k)] = pair_of(found->interval);
    methods["negativities"] = found->method;
  }
  const std::vector<PauliString> strings = shown_strings(e.fit.state);
  for (std::size_t k = 0; k < trust.strings.size(); ++k) {
    const auto& found = trust.strings[k];
    if (!found) continue;
    intervals["paulis"][pauli_label(strings[k], e.model.qubits)] = pair_of(found->interval);
    methods["paulis"] = found->method;
  }
  if (trust.widened > 1) intervals["widened"] = trust.widened;
  summary["intervals"] = std::move(intervals);
  summary["interval_method"] = std::move(methods);
  if (trust.refits > 0) {
    summary["interval_refits"] = trust.refits;
    summary["interval_note"] = worth_of_refits;
  } else if (const std::string note = missing_intervals(e, summary);
             !note.empty() && trust.determined) {
    summary["interval_note"] = note;
  }
  if (trust.determined) summary["determined"] = *trust.determined;
  summary["undetermined"] = trust.undetermined;
}

/// What is inferred from a fit because it is the best one is not said of a run that stopped before.
void leave_open_unless_converged(Status status, Json& summary) {
  if (status == Status::converged) return;
  for (const char* verdict : {"fits_data", "p_value", "determined", "undetermined"}) {
    summary[verdict] = nullptr;
  }
  summary.erase("less_scatter_than_noise");
}

void add_wrong_count(const FittedState& fit, Json& summary) {
  if (const auto& wrong = fit.wrong_count) {
    summary["wrong_count"] = {{"label", wrong->label},
                              {"count", wrong->count},
                              {"expected", wrong->expected},
                              {"deviations", wrong->deviations}};
  }
}

/// The fits that were made to explain a poor one; the books of the run contain them.
void add_other_fits(const FittedState& fit, Json& summary) {
  for (const auto& other : {fit.labels_reversed, fit.without_readout}) {
    if (!other) continue;
    summary["other_fits"].push_back({{"assumption", other->assumption},
                                     {"chi_square", other->test.good.chi_square},
                                     {"status", to_string(other->status)},
                                     {"iterations", other->iterations},
                                     {"seconds", other->seconds}});
  }
}

/// All lines for the user, in the order in which they are shown.
std::vector<std::string> warnings_of(const Evidence& evidence, const Judgement& judgement,
                                     const StateDescription& description) {
  std::vector<std::string> lines = evidence.data.notes;
  lines.insert(lines.end(), judgement.warnings.begin(), judgement.warnings.end());
  if (const auto& target = description.target; target && target->fidelity_reversed) {
    lines.push_back(
        fmt::format("with the qubits of the target reversed, the fidelity would be {:.4f}: check "
                    "the qubit order of the target",
                    *target->fidelity_reversed));
  }
  const std::string& note = evidence.fit.note;
  if (evidence.settings.rank != 0 && !note.empty()) lines.push_back(note);
  return lines;
}

void add_files(const std::shared_ptr<const StateFactor>& state, const StateDescription& description,
               RunRecord& record) {
  for (const auto& [qubits, rho] : description.reduced) {
    record.files.emplace_back(reduced_file(qubits), npy_bytes(to_array(rho)));
  }
  if (state->rows() > largest_density_matrix) return;
  record.large_files.emplace_back(density_file, [state](const std::filesystem::path& path) {
    write_npy(path, state->rows(), state->rows(),
              [&state](Index first, StateFactor& rows) { density_rows(*state, first, rows); });
  });
}

/// Factors one after the other, those of fewer columns filled up with zeros.
Array stacked(const std::vector<StateFactor>& factors) {
  const Index rows = factors.front().rows();
  Index columns = 0;
  for (const StateFactor& u : factors) columns = std::max(columns, u.cols());
  Array out{{static_cast<Index>(factors.size()), rows, columns}, true, {}};
  out.values.assign(2 * static_cast<std::size_t>(out.size()), 0);
  auto* entry = out.values.data();
  for (const StateFactor& u : factors) {
    for (Index i = 0; i < rows; ++i) {
      for (Index k = 0; k < u.cols(); ++k) {
        entry[2 * k] = u(i, k).real();
        entry[2 * k + 1] = u(i, k).imag();
      }
      entry += 2 * columns;
    }
  }
  return out;
}

}  // namespace

std::string reduced_file(const std::vector<int>& qubits) {
  return fmt::format("reduced_{}.npy", fmt::join(qubits, "_"));
}

RunRecord report(RunRecord record, const Evidence& evidence, const Judgement& judgement,
                 const StateDescription& description) {
  const FittedState& fit = evidence.fit;
  Json& summary = record.summary;
  add_model(evidence.model, summary);
  if (const auto intensity = intensity_of(evidence.data.measured, fit.predictions)) {
    summary["intensity"] = *intensity;
  }
  add_description(description, fit.state, summary);
  add_judgement(judgement, summary);
  for (const SettingMisfit& setting : setting_misfits(evidence.data.measured, fit.predictions,
                                                      evidence.input.format.label_qubit0_left)) {
    summary["setting_misfits"][setting.label] = setting.chi_square;
  }
  add_trust(evidence, summary);
  leave_open_unless_converged(record.status, summary);
  add_wrong_count(fit, summary);
  add_other_fits(fit, summary);
  add_warnings(warnings_of(evidence, judgement, description), summary);
  summary["rank"] = fit.rank;
  summary["white_noise"] = fit.white_noise;
  if (evidence.settings.rank == 0) summary["rank_reason"] = summary["model_reason"] = fit.note;
  const auto state = std::make_shared<const StateFactor>(fit.state);
  add_files(state, description, record);
  if (!fit.refits.empty()) record.arrays.emplace_back("bootstrap_factors", stacked(fit.refits));
  record.report = [summary, state,
                   shown = fit_of(evidence.data.measured, fit.predictions,
                                  evidence.input.format.label_qubit0_left)](Report& page) {
    add_tomography(page, summary, *state, shown);
  };
  return record;
}

}  // namespace projfgd
