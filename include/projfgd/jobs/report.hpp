// The parts that reports of jobs are composed of: from traces, states and fits to sections.
#pragma once

#include <complex>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "projfgd/core/result.hpp"
#include "projfgd/io/charts.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd {

/// The numbers of summary.json that are the answer, with their meaning.
std::vector<Fact> answer_facts(const nlohmann::ordered_json& summary);

/// "iteration limit" for iteration_limit.
std::string status_in_words(const std::string& status);

/// ", but does not fit the data": why the answer of a run that converged is not to be trusted.
std::string doubt_in_words(const nlohmann::ordered_json& summary);

/// The verdict in plain words, the numbers of summary.json with their meaning, and how to get the
/// same again. Warnings become remarks; keys that are not known here are left out.
Report start_report(std::string title, std::string subtitle, const nlohmann::ordered_json& summary);

/// A trace and the name of the method that left it.
struct NamedTrace {
  std::string name;
  std::vector<TraceRow> trace;
};

/// The trace of a run, cut where its objective became that of another loss ("stages").
std::vector<NamedTrace> cut_by_stage(const nlohmann::ordered_json& summary,
                                     const std::vector<TraceRow>& trace);

/// What a run looked for, as its formulas call it: the image z of phase retrieval, else X.
std::string sought_in(const nlohmann::ordered_json& summary);

/// Objective, relative change and relative error against iterations and against time.
Section convergence_section(const std::vector<NamedTrace>& runs, const std::string& sought = "X");

/// X = U U^H as heat maps up to 64 rows, and its eigenvalues.
Section matrix_section(const Matrix<std::complex<double>>& factor);

/// rho = U U^H. Up to 6 qubits heat maps and cities of the real and the imaginary part, beyond
/// that the largest amplitudes of its leading eigenvector; always its eigenvalues, the first of
/// them with their intervals where these are known.
Section state_section(const Matrix<std::complex<double>>& factor,
                      const std::vector<charts::Range>& intervals = {});

/// The intervals of Pauli expectations, by the label of the string.
using StringRanges = std::map<std::string, charts::Range>;

/// Bloch vectors, purities and entanglement of single qubits, and the largest Pauli expectations,
/// with their intervals where these are known.
Section qubit_section(const Matrix<std::complex<double>>& state,
                      const std::vector<charts::Range>& negativities = {},
                      const StringRanges& strings = {});

/// Chi-square of the outcomes of a setting over its mean by chance.
struct SettingMisfit {
  std::string label = {};
  double chi_square = 0;
};

/// The settings that the state explains worst; nothing where there is only one.
std::optional<Chart> setting_chart(std::vector<SettingMisfit> settings);

/// What was measured and what the answer predicts for it.
struct Fit {
  std::string quantity = {};  ///< what the numbers are: "probability"
  std::vector<double> measured = {}, predicted = {};
  std::vector<double> sigma = {};            ///< standard errors; empty when they are not known
  std::size_t all = 0;                       ///< numbers of which these are a selection
  std::vector<SettingMisfit> settings = {};  ///< of counts whose shots are known
};

/// So that a chart has a few thousand points at most; odd, to meet every outcome and column.
Index selection_step(Index size);

/// Measured against predicted, and the residuals in units of the standard error.
Section fit_section(const Fit& fit);

/// Completes the report of a tomography: title, verdict, state and fit.
void add_tomography(Report& report, const nlohmann::ordered_json& summary,
                    const Matrix<std::complex<double>>& factor, const Fit& fit);

}  // namespace projfgd
