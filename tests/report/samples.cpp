// Writes the reports that open_reports.py opens in a browser: report_samples FOLDER
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "projfgd/core/random.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/jobs/simulate_ptychography.hpp"

namespace {

using namespace projfgd;
using Complex = std::complex<double>;
using nlohmann::ordered_json;

/// Falls by `rate` an iteration down to `floor`.
std::vector<TraceRow> trace(Index rows, double rate, double floor, double seconds) {
  std::vector<TraceRow> result;
  for (Index t = 0; t <= rows; ++t) {
    const double error = std::hypot(std::pow(rate, static_cast<double>(t)), floor);
    result.push_back({t, seconds * static_cast<double>(t + 1), error * error / 2,
                      t == 0 ? std::nan("") : error * (1 - rate) + 1e-9, error});
  }
  return result;
}

ordered_json summary(const std::vector<TraceRow>& trace, Index n, Index r, const char* status) {
  return {{"status", status},
          {"method", "projfgd"},
          {"iterations", trace.back().iteration},
          {"seconds", trace.back().seconds},
          {"setup_seconds", 0.0123},
          {"objective", trace.back().objective},
          {"rank", r},
          {"dimension", n},
          {"measurements", 1296},
          {"trace", 0.99997},
          {"purity", 0.8734},
          {"fidelity", 0.9312},
          {"relative_error", trace.back().relative_error},
          {"forward_calls", 120},
          {"adjoint_calls", 61},
          {"seed", 1},
          {"threads", 2},
          {"version", "0.1.0"},
          {"input_sha256", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}};
}

/// (|0...0> + i |1...1>) / sqrt 2 with two small random components.
Matrix<Complex> noisy_ghz(int qubits) {
  const Index n = Index{1} << qubits;
  Matrix<Complex> u(n, 3);
  fill_normal(RandomStream(7, 1), u);
  u *= 0.25 / u.norm();
  u.col(0).setZero();
  u(0, 0) = std::sqrt(0.47);
  u(n - 1, 0) = Complex(0.3, std::sqrt(0.47 - 0.09));
  return u / u.norm();
}

/// |W> with a phase on each term.
Matrix<Complex> w_state(int qubits) {
  Matrix<Complex> u = Matrix<Complex>::Zero(Index{1} << qubits, 1);
  for (int k = 0; k < qubits; ++k) {
    u(Index{1} << k, 0) = std::polar(1 / std::sqrt(qubits), 0.4 * k * std::numbers::pi);
  }
  return u;
}

Fit simulated_fit(Index points, double shots) {
  const RandomStream random(3, 9);
  Fit fit{.quantity = "probability"};
  for (Index i = 0; i < points; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    const double p = std::pow(random.uniform(at), 3) * 0.6;
    fit.predicted.push_back(p);
    fit.sigma.push_back(std::sqrt(p * (1 - p) / shots));
    fit.measured.push_back(std::max(0.0, p + fit.sigma.back() * random.normal(at)));
  }
  return fit;
}

Report tomography(const Matrix<Complex>& factor) {
  const auto rows = trace(58, 0.78, 1.2e-3, 0.0031);
  ordered_json record = summary(rows, factor.rows(), factor.cols(), "converged");
  record["chi_square"] = 1236.2;
  record["degrees_of_freedom"] = 1208;
  record["rank_reason"] = "a fourth column improves the fit by less than noise would";
  Report report = start_report("", "", record);
  add_tomography(report, record, factor, simulated_fit(factor.rows() > 64 ? 20000 : 1296, 1024));
  report.sections.push_back(convergence_section({{"projfgd", rows}}));
  return report;
}

/// What `projfgd phase --out` writes after a run on simulated data: an image, or a signal.
std::string phase(const std::filesystem::path& folder, Index height, Index width) {
  CdpSimulation simulation{.height = height, .width = width, .patterns = 6};
  simulate_cdp(simulation, folder);
  RunSettings settings;
  settings.method = "auto";
  settings.init.clear();
  settings.constraint = "nonnegative";
  return report_html(run_phase({.data = folder}, settings));
}

/// What the same writes of a scan.
std::string ptychography(const std::filesystem::path& folder) {
  PtychographySimulation simulation;
  simulation.height = simulation.width = 64;
  simulation.probe_size = 32;
  simulation.photons = 1e5;
  simulate_ptychography(simulation, folder);
  return report_html(run_phase({.data = folder}, phase_settings()));
}

Report comparison() {
  const std::vector<NamedTrace> runs = {{"projfgd", trace(60, 0.75, 1e-6, 0.004)},
                                        {"fgd", trace(140, 0.9, 1e-6, 0.004)},
                                        {"rsvp", trace(300, 0.95, 1e-6, 0.03)},
                                        {"sparse-approx-sdp", trace(300, 0.99, 2e-2, 0.05)},
                                        {"acc-uni-pd-grad", trace(2500, 0.997, 5e-3, 0.01)}};
  Report report = start_report("Five methods on the same data", "Same start, same stopping rule",
                               summary(runs[0].trace, 1024, 1, "iteration_limit"));
  report.facts.clear();
  Table table{.title = "What each method reached",
              .header = {"Method", "Relative error", "Objective", "Time", "Iterations"}};
  for (const NamedTrace& run : runs) {
    const TraceRow& last = run.trace.back();
    table.rows.push_back({run.name, format_number(last.relative_error),
                          format_number(last.objective), format_seconds(last.seconds),
                          format_number(static_cast<double>(last.iteration))});
  }
  report.sections = {{.title = "Results", .blocks = {table}, .columns = Columns::one},
                     convergence_section(runs)};
  return report;
}

/// What a user could write anywhere.
Report hostile() {
  const std::string evil =
      "</script><script>console.error('escaped')</script><img src=x onerror=console.error(1)>"
      "\"'&amp;<!-- \xff";
  const auto rows = trace(20, 0.5, 1e-9, 0.1);
  ordered_json asked = summary(rows, 4, 1, "diverged");
  asked["method"] = asked["input"] = evil;
  Report report = start_report(evil, evil, asked);
  report.remarks = {evil};
  Section section = convergence_section({{evil, rows}, {"<b>plain</b>", rows}});
  section.title = section.text = evil;
  section.blocks.emplace_back(
      Table{.title = evil, .caption = evil, .header = {evil}, .rows = {{evil}}});
  report.sections = {section};
  return report;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  const std::pair<const char*, Report> reports[] = {{"tomography-4", tomography(noisy_ghz(4))},
                                                    {"tomography-6", tomography(w_state(6))},
                                                    {"tomography-10", tomography(w_state(10))},
                                                    {"compare", comparison()},
                                                    {"hostile", hostile()}};
  for (const auto& [name, report] : reports) {
    std::ofstream file(folder / fmt::format("{}.html", name), std::ios::binary);
    if (!(file << render(report))) return 1;
  }
  for (const auto& [name, height] : {std::pair<const char*, Index>{"phase", 48}, {"signal", 1}}) {
    std::ofstream file(folder / fmt::format("{}.html", name), std::ios::binary);
    if (!(file << phase(folder / name, height, 64))) return 1;
  }
  std::ofstream file(folder / "ptychography.html", std::ios::binary);
  if (!(file << ptychography(folder / "scan"))) return 1;
}
