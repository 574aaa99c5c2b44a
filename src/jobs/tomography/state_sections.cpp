// The answer as a matrix or a state, and how well it explains the data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/io/charts.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/measures/state.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

/// Bars of the spectrum; more would not be read.
constexpr std::size_t most_bars = 16;
constexpr Index most_drawn_rows = 64;  // 6 qubits

std::string ket(Index state, int qubits) {
  std::string text = "|";
  for (int bit = qubits - 1; bit >= 0; --bit) text += (state >> bit & 1) ? '1' : '0';
  return text + "⟩";
}

/// Eigenvalues of U U^H, largest first, and the eigenvector of the first, from U^H U.
struct Spectrum {
  std::vector<double> values;
  Vector<Complex> leading;
};

Spectrum spectrum(const Matrix<Complex>& factor) {
  const HermitianEigen<Complex> eigen = hermitian_eigen(gram(factor, factor));
  Spectrum result;
  for (Index k = factor.cols() - 1; k >= 0; --k) {
    result.values.push_back(std::max(eigen.values[k], 0.0));
  }
  result.leading = factor * eigen.vectors.rightCols(1);
  result.leading.normalize();
  return result;
}

Table amplitudes(const Matrix<Complex>& factor, const Spectrum& spectrum, int qubits,
                 std::size_t most_rows) {
  const Vector<Complex>& leading = spectrum.leading;
  std::vector<Index> order(static_cast<std::size_t>(leading.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto rows = std::min(order.size(), most_rows);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rows), order.end(),
                    [&](Index a, Index b) {
                      const double left = std::norm(leading[a]), right = std::norm(leading[b]);
                      return left != right ? left > right : a < b;
                    });
  const Complex phase = std::polar(1.0, -std::arg(leading[order.front()]));
  Table table{.title = "Largest amplitudes",
              .header = {"Basis state", "Amplitude", "Phase (degrees)", "Probability"}};
  table.caption = fmt::format(
      "Of the eigenvector that carries {} of the trace. Its phase is chosen so that the first "
      "amplitude is real. The probability is that of finding the basis state in the whole state.",
      format_number(spectrum.values.front()));
  for (std::size_t k = 0; k < rows && std::abs(leading[order[k]]) >= 5e-4; ++k) {
    const Complex amplitude = leading[order[k]] * phase;
    const double degrees = std::arg(amplitude) * 180 / std::numbers::pi;
    table.rows.push_back({ket(order[k], qubits), format_fixed(std::abs(amplitude), 4),
                          format_fixed(degrees, 1),
                          format_fixed(factor.row(order[k]).squaredNorm(), 4)});
  }
  return table;
}

/// As bars, as high as a table of so many rows beside them; a single one, which would leave a box
/// all but empty, as a line of a table.
Block eigenvalue_block(const std::vector<double>& values, const char* weight,
                       const std::string& remark, std::size_t rows_beside = 0,
                       const std::vector<charts::Range>& intervals = {}) {
  if (values.size() == 1) {
    return Table{.title = "Eigenvalues",
                 .caption = "The factor has one column, so all other eigenvalues are 0. " + remark,
                 .header = {"Eigenvalue, largest first", weight},
                 .rows = {{"1", format_number(values.front(), 4)}}};
  }
  const std::size_t count = std::min<std::size_t>(values.size(), most_bars);
  std::vector<std::string> labels;
  for (std::size_t k = 0; k < count; ++k) labels.push_back(fmt::format("{}", k + 1));
  Chart chart = charts::bars("Eigenvalues", labels, {values.begin(), values.begin() + count},
                             {"Eigenvalue, largest first"}, {weight}, intervals);
  if (values.size() > count) {
    chart.caption = fmt::format("The {} largest of {}. ", count, values.size());
  }
  chart.caption += remark;
  if (!intervals.empty()) chart.caption += " The error bar is the 95% interval.";
  constexpr int row_height = 38;  // pixels, as report.css sets them
  chart.height = std::max(chart.height, row_height * (static_cast<int>(rows_beside) + 2));
  return chart;
}

/// X = U U^H in parts with one scale.
struct Parts {
  explicit Parts(const Matrix<Complex>& factor) {
    const Matrix<Complex> x = factor * factor.adjoint();
    real = x.real();
    imaginary = x.imag();
    const double largest = x.cwiseAbs().maxCoeff();
    limit = largest > 0 ? largest : 1;
  }
  Matrix<double> real, imaginary;
  double limit;
};

}  // namespace

Section matrix_section(const Matrix<Complex>& factor) {
  Section section{.title = "The answer"};
  if (!all_finite(factor)) return section;
  section.text = fmt::format("X is positive semidefinite, {0} x {0}, of rank at most {1}.",
                             factor.rows(), factor.cols());
  if (factor.rows() <= most_drawn_rows) {
    const Parts x(factor);
    std::vector<std::string> labels;
    for (Index i = 0; i < factor.rows(); ++i) labels.push_back(fmt::format("{}", i));
    const bool complex = !x.imaginary.isZero(0);
    section.blocks.emplace_back(
        charts::heat_map(complex ? "Real part of X" : "X", x.real, labels, x.limit));
    if (complex) {
      section.blocks.emplace_back(
          charts::heat_map("Imaginary part of X", x.imaginary, labels, x.limit));
    }
  }
  section.blocks.push_back(eigenvalue_block(spectrum(factor).values, "Value", ""));
  return section;
}

Section state_section(const Matrix<Complex>& factor, const std::vector<charts::Range>& intervals) {
  Section section{.title = "The state"};
  if (!all_finite(factor)) return section;
  const int qubits = qubits_of(factor.rows());
  const bool drawn = factor.rows() <= most_drawn_rows;
  const Spectrum eigen = spectrum(factor);
  if (drawn) {
    const Parts rho(factor);
    const double low = std::min({rho.real.minCoeff(), rho.imaginary.minCoeff(), 0.0});
    const double high = std::max({rho.real.maxCoeff(), rho.imaginary.maxCoeff(), 0.0});
    std::vector<std::string> labels;
    for (Index state = 0; state < factor.rows(); ++state) labels.push_back(ket(state, qubits));
    section.text =
        "The density matrix ρ in the computational basis (the leftmost digit is the highest "
        "qubit). Both parts share one scale: red is positive, blue is negative.";
    section.blocks.emplace_back(charts::heat_map("Real part of ρ", rho.real, labels, rho.limit));
    section.blocks.emplace_back(
        charts::heat_map("Imaginary part of ρ", rho.imaginary, labels, rho.limit));
    section.blocks.emplace_back(
        charts::city("Real part of ρ as a city", rho.real, labels, rho.limit, low, high));
    section.blocks.emplace_back(
        charts::city("Imaginary part of ρ as a city", rho.imaginary, labels, rho.limit, low, high));
  } else {
    section.text = fmt::format(
        "The density matrix ρ is {0} x {0}. It is drawn for up to {1} qubits; here are its "
        "eigenvalues and its largest amplitudes (the leftmost digit is the highest qubit).",
        factor.rows(), qubits_of(most_drawn_rows));
  }
  Table largest = amplitudes(factor, eigen, qubits, drawn ? 8 : 16);
  section.blocks.push_back(eigenvalue_block(eigen.values, "Weight in the state",
                                            "A pure state has a single nonzero eigenvalue.",
                                            largest.rows.size(), intervals));
  section.blocks.emplace_back(std::move(largest));
  return section;
}

Section fit_section(const Fit& fit) {
  const bool in_sigmas = !fit.sigma.empty();
  Section section{.title = "Fit to the data"};
  if (fit.measured.size() < fit.all) {
    section.text = fmt::format("An even selection of {} of {} data points. ",
                               format_number(static_cast<double>(fit.measured.size())),
                               format_number(static_cast<double>(fit.all)));
  }
  section.text += in_sigmas ? "If the model is right, about 68% of the points lie in the inner "
                              "band and 95% in the outer one."
                            : "The data came without standard errors, so no noise bands are drawn.";
  section.blocks.emplace_back(
      charts::agreement("Measured against predicted", fit.predicted, fit.measured, fit.sigma,
                        {"Predicted " + fit.quantity}, {"Measured " + fit.quantity}));
  std::vector<double> residuals;
  for (std::size_t i = 0; i < fit.measured.size(); ++i) {
    const double residual = fit.measured[i] - fit.predicted[i];
    if (!in_sigmas) {
      residuals.push_back(residual);
    } else if (fit.sigma[i] > 0) {
      residuals.push_back(residual / fit.sigma[i]);
    }
  }
  section.blocks.emplace_back(charts::histogram(
      "Residuals", residuals,
      {in_sigmas ? "Measured − predicted, in standard errors" : "Measured − predicted"},
      in_sigmas));
  if (std::optional<Chart> chart = setting_chart(fit.settings)) {
    section.blocks.emplace_back(std::move(*chart));
  }
  return section;
}

namespace {

std::vector<charts::Range> intervals_of(const nlohmann::ordered_json& summary, const char* key) {
  std::vector<charts::Range> ranges;
  const auto intervals = summary.find("intervals");
  if (intervals == summary.end() || !intervals->contains(key)) return ranges;
  for (const auto& pair : intervals->at(key)) {
    ranges.push_back({pair[0].get<double>(), pair[1].get<double>()});
  }
  return ranges;
}

}  // namespace

void add_tomography(Report& report, const nlohmann::ordered_json& summary,
                    const Matrix<Complex>& factor, const Fit& fit) {
  report.title = "State of " + format_count(qubits_of(factor.rows()), "qubit");
  report.subtitle = fmt::format(
      "Quantum state tomography: a density matrix of rank {} fitted to {} data points",
      summary.value("rank", factor.cols()), format_number(summary.value("measurements", 0.0)));
  report.sections.push_back(state_section(factor, intervals_of(summary, "eigenvalues")));
  StringRanges strings;
  if (const auto known = summary.find("intervals"); known != summary.end()) {
    const auto listed = known->value("paulis", nlohmann::ordered_json::object());
    for (const auto& [label, pair] : listed.items()) {
      strings[label] = {pair[0].get<double>(), pair[1].get<double>()};
    }
  }
  report.sections.push_back(qubit_section(factor, intervals_of(summary, "negativities"), strings));
  report.sections.push_back(fit_section(fit));
}

}  // namespace projfgd
