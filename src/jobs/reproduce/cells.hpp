// Cells of the paper's tables: a simulated experiment and the methods that are compared on it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "projfgd/jobs/compare.hpp"
#include "projfgd/jobs/reproduce.hpp"

namespace projfgd {

/// Rows of X up to which gaps are computed; beyond, their eigenvalues take longer than solving.
inline constexpr Index largest_certified = 1024;

struct Cell {
  int qubits;
  Index rank;
  double csam;
  double noise_norm;
  std::string init = start_name::spectral;
  std::vector<std::string> methods = default_methods(false);  ///< the paper's four, ProjFGD first
  bool log_samples = true;  ///< m = C r n ln n, the paper's formula, else m = C r n

  std::string label() const;    ///< "q = 10, r = 1, C = 3"
  const char* formula() const;  ///< of m: "C r n ln n" or "C r n", or "4^q" for all strings
  /// m / (r n), but m is never more than there are Pauli strings.
  double samples() const;
  Index measurements() const;    ///< m
  bool has_all_strings() const;  ///< the formula asks for more than there are

 private:
  double asked() const;  ///< m / (r n) by the formula
};

/// Runs cells, each at most once.
class CellRunner {
 public:
  explicit CellRunner(const ReproduceRequest& request) : request_(request) {}

  const ReproduceRequest& request() const { return request_; }
  double time_limit() const;  ///< of a method in a cell

  /// What every method did; empty when interrupted.
  const std::vector<ComparedRun>& run(const Cell& cell);

  /// SparseApproxSDP with its published step on the cell: the slope of log error against log k.
  double sparse_approx_sdp_slope(const Cell& cell, Index iterations);

 private:
  std::vector<ComparedRun> compare(const Cell& cell, const RunSettings& settings) const;
  /// The same. What else the machine does is much beside a few milliseconds: of brief runs the
  /// quickest of three counts.
  std::vector<ComparedRun> timed(const Cell& cell) const;
  RunSettings settings(const Cell& cell) const;

  const ReproduceRequest& request_;
  std::map<std::string, std::vector<ComparedRun>> known_;
};

/// Seconds until a trace first has an error of at most this; not a number when it never has.
double seconds_to_error(const std::vector<TraceRow>& trace, double error);

/// One row for each method: the cell, the paper's figure, ours, and who was first at equal error:
/// the larger of the two final errors, or any below that of the start, if that is no better. Errors
/// below 1e-12 are rounding: nobody is first from a start that good.
Json cell_rows(const std::string& where, const Cell& cell, const std::vector<ComparedRun>& runs);

/// The least-squares slope of log error against log iteration from iteration `from` on.
double log_slope(const std::vector<TraceRow>& trace, Index from);

}  // namespace projfgd
