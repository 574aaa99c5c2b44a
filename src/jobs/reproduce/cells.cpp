#include "jobs/reproduce/cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "jobs/compare/methods.hpp"
#include "jobs/reproduce/paper_figures.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/measures/distance.hpp"

namespace projfgd {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double paper_tolerance = 5e-6;
constexpr double brief = 0.1;          // seconds
constexpr double exact_error = 1e-12;  // what is below differs by rounding alone
constexpr double rounding = 1e-12;     // of errors of one point, with room to spare

}  // namespace

std::string Cell::label() const {
  return fmt::format("q = {}, r = {}, C = {}{}{}{}", qubits, rank, csam,
                     has_all_strings() || !log_samples ? fmt::format(", m = {}", formula()) : "",
                     noise_norm > 0 ? fmt::format(", noise {:g}", noise_norm) : "",
                     init == start_name::random ? ", random start" : "");
}

const char* Cell::formula() const {
  if (has_all_strings()) return "4^q";
  return log_samples ? "C r n ln n" : "C r n";
}

bool Cell::has_all_strings() const {
  return asked() * static_cast<double>(rank) > std::ldexp(1, qubits);
}

double Cell::asked() const { return samples_of(csam, log_samples, qubits); }

double Cell::samples() const {
  return std::min(asked(), std::ldexp(1, qubits) / static_cast<double>(rank));
}

Index Cell::measurements() const {
  return std::llround(samples() * static_cast<double>(rank) * std::ldexp(1, qubits));
}

double CellRunner::time_limit() const {
  return request_.time_limit > 0 ? request_.time_limit : default_time_limit(request_.quick);
}

RunSettings CellRunner::settings(const Cell& cell) const {
  RunSettings s;
  s.rank = cell.rank;
  s.init = cell.init;
  s.threads = request_.threads;
  s.interrupt = request_.interrupt;
  s.journal = request_.journal;
  s.options.seed = request_.seed;
  s.options.tolerance = paper_tolerance;
  s.options.max_iterations = 1'000'000;
  s.options.time_limit = time_limit();
  return s;
}

std::vector<ComparedRun> CellRunner::compare(const Cell& cell, const RunSettings& s) const {
  using S = std::complex<double>;
  const PauliExperiment experiment =
      draw_pauli({cell.qubits, cell.rank, cell.samples(), cell.noise_norm, request_.seed});
  StateModel<S> model = make_model<S>(experiment.data, {state_loss::least_squares}, s);
  model.problem.error = error_against<S>(experiment.truth);
  return compare_methods(model, cell.methods, s, model.problem.op.rows() <= largest_certified);
}

std::vector<ComparedRun> CellRunner::timed(const Cell& cell) const {
  const RunSettings s = settings(cell);
  std::vector<ComparedRun> runs = compare(cell, s);
  for (ComparedRun& one : runs) {
    Cell alone = cell;
    alone.methods = {one.method};
    for (int again = 0; again < 2; ++again) {
      if (one.status != Status::converged || one.row.at("seconds") > brief) break;
      std::vector<ComparedRun> next = compare(alone, s);
      if (next.front().status != one.status) break;  // interrupted
      if (next.front().row.at("seconds") < one.row.at("seconds")) one = std::move(next.front());
    }
  }
  return runs;
}

const std::vector<ComparedRun>& CellRunner::run(const Cell& cell) {
  const std::string key = fmt::format("{} {}", cell.label(), fmt::join(cell.methods, ","));
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  std::vector<ComparedRun> runs;
  if (!is_interrupted(request_.interrupt)) {
    limited_piece(
        request_.journal, "cell", [&] { runs = timed(cell); }, runs);
  }
  if (request_.progress && !runs.empty()) {
    std::string line = cell.label() + ":";
    for (const ComparedRun& run : runs) {
      line += fmt::format("  {} {:.2e} in {:.3g} s", run.method,
                          run.row.value("relative_error", nan), run.row.value("seconds", nan));
    }
    request_.progress(line);
  }
  return known_.emplace(key, std::move(runs)).first->second;
}

double CellRunner::sparse_approx_sdp_slope(const Cell& cell, Index iterations) {
  Cell one = cell;
  one.methods = {"sparse-approx-sdp"};
  RunSettings s = settings(one);
  s.options.step = StepRule::theory;
  s.options.tolerance = 0;
  s.options.max_iterations = iterations;
  if (is_interrupted(request_.interrupt)) return nan;
  return log_slope(compare(one, s).front().trace, iterations / 10);
}

double seconds_to_error(const std::vector<TraceRow>& trace, double error) {
  for (const TraceRow& row : trace) {
    if (row.relative_error <= error) return row.seconds;
  }
  return nan;
}

double log_slope(const std::vector<TraceRow>& trace, Index from) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const TraceRow& row : trace) {
    if (row.iteration < std::max<Index>(from, 1) || !(row.relative_error > 0)) continue;
    const double a = std::log(static_cast<double>(row.iteration)), b = std::log(row.relative_error);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

/// The larger of the two final errors, which both have reached; but what is no better than the
/// start took no work, and any error below that of the start counts then. The methods' errors of
/// the start they share differ by rounding, which is not below. Not a number where the start is
/// exact.
double equal_error(const ComparedRun& ours, const ComparedRun& theirs) {
  const double start = ours.trace.front().relative_error;
  if (start <= exact_error) return nan;
  const double error = std::max({ours.row.at("relative_error").get<double>(),
                                 theirs.row.at("relative_error").get<double>(), exact_error});
  return std::min(error, start * (1 - rounding));
}

Json cell_rows(const std::string& where, const Cell& cell, const std::vector<ComparedRun>& runs) {
  Json rows = Json::array();
  if (runs.empty()) return rows;
  const ComparedRun& ours = runs.front();
  for (const ComparedRun& run : runs) {
    Json row = {{"qubits", cell.qubits},
                {"rank", cell.rank},
                {"csam", cell.csam},
                {"noise", cell.noise_norm},
                {"init", cell.init},
                {"samples", cell.formula()},
                {"measurements", cell.measurements()},
                {"method", run.method}};
    bool judged = false;
    if (const PaperFigure* paper =
            find_paper_figure(where, cell.qubits, cell.rank, cell.csam, run.method)) {
      judged = *paper->misprint == '\0' || paper->only_seconds;
      row["paper_error"] = paper->error;
      row["paper_seconds"] = paper->seconds;
      if (*paper->misprint != '\0') row["misprint"] = paper->misprint;
    }
    for (const auto& item : run.row.items()) {
      row[item.key() == "rank" ? "answer_rank" : item.key()] = item.value();
    }
    if (judged) {
      row["as_accurate"] = row["relative_error"] <= row["paper_error"];
    }
    const double error = &run == &ours ? nan : equal_error(ours, run);
    if (!std::isnan(error)) {
      const double theirs = seconds_to_error(run.trace, error);
      const double mine = seconds_to_error(ours.trace, error);
      row["equal_error"] = error;
      row["seconds_to_equal_error"] = theirs;
      row["projfgd_seconds_to_equal_error"] = mine;
      row["projfgd_first"] = !std::isnan(mine) && !(theirs <= mine);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace projfgd
