// The parts that reports of jobs are composed of: from traces, states and fits to sections.
#pragma once

#include <complex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projfgd/core/result.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd {

/// The numbers of summary.json that a reader wants first, each with its meaning. Keys that are not
/// known here are left out.
std::vector<Fact> answer_facts(const nlohmann::ordered_json& summary);

/// The numbers of summary.json that tell how to get the same again: seed, version, input hash.
std::vector<Fact> provenance_facts(const nlohmann::ordered_json& summary);

/// The title of the report, its verdict in plain words and the facts, from summary.json.
Report start_report(std::string title, std::string subtitle, const nlohmann::ordered_json& summary);

/// A trace and the name of the method that left it.
struct NamedTrace {
  std::string name;
  std::vector<TraceRow> trace;
};

/// Objective, relative change and relative error against iterations and against time.
Section convergence_section(const std::vector<NamedTrace>& runs);

/// rho = U U^H. Up to 6 qubits heat maps and cities of the real and the imaginary part, beyond
/// that the largest amplitudes of its leading eigenvector; always its eigenvalues.
Section state_section(const Matrix<std::complex<double>>& factor);

/// What was measured against what the answer predicts, and the residuals in units of the standard
/// error. `sigma` is empty when it is not known. `quantity` is what was measured: "probability".
Section fit_section(const std::string& quantity, const std::vector<double>& measured,
                    const std::vector<double>& predicted, const std::vector<double>& sigma);

}  // namespace projfgd
