#include <fmt/format.h>

#include <cmath>

#include "jobs/reproduce/figures.hpp"
#include "projfgd/io/charts.hpp"

namespace projfgd {
namespace {

constexpr double c = 128;  // of the paper's step
constexpr double spill = ((1 + 1 / c) * (1 + 1 / c) + 1) / 64;

/// In front of eta^2 ||grad f(X) U||_F^2 in the paper's (new_p_02); the proof needs >= 1.
double gradient_constant(double xi) { return (255 / c - spill) * xi * xi - 0.2; }

/// In front of ||U||_F^2; the proof needs >= 0.
double factor_constant(double xi) {
  const double a = 1 - xi, b = 3 * xi - 1, d = 1 - 2 * a / b / c;
  return a * a * (1 - spill) - b * b / 4 * (1 - d * d);
}

/// Where f passes the level between two points on different sides of it.
template <class Function>
double crossing(const Function& f, double level, double low, double high) {
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    ((f(middle) < level) == (f(low) < level) ? low : high) = middle;
  }
  return low;
}

/// Both constants over xi, and where that of the factor is least.
struct Curves {
  Json rows = Json::array();
  charts::Line gradient{.name = "gradient"}, factor{.name = "factor"}, near_one{.name = "factor"};
  double least = 0, least_at = 1;
};

Curves draw_curves() {
  constexpr int points = 301;
  constexpr double from = 0.7, close = 0.98;
  Curves curves;
  for (int k = 0; k < points; ++k) {
    const double xi = from + (1 - from) * k / (points - 1);
    const double g = gradient_constant(xi), u = factor_constant(xi);
    curves.rows.push_back({{"xi", xi}, {"gradient_constant", g}, {"factor_constant", u}});
    curves.gradient.x.push_back(xi), curves.gradient.y.push_back(g);
    curves.factor.x.push_back(xi), curves.factor.y.push_back(u);
    if (xi >= close) curves.near_one.x.push_back(xi), curves.near_one.y.push_back(u);
    if (u < curves.least) curves.least = u, curves.least_at = xi;
  }
  return curves;
}

Section constants_section(const Curves& curves) {
  Section section{.title = "The constants", .columns = Columns::three};
  section.blocks.emplace_back(charts::lines("In front of the gradient's square", {curves.gradient},
                                            {"xi"}, {"constant; the proof needs 1"}));
  section.blocks.emplace_back(charts::lines("In front of the factor's square", {curves.factor},
                                            {"xi"}, {"constant; the proof needs 0"}));
  section.blocks.emplace_back(charts::lines("The same close to xi = 1", {curves.near_one}, {"xi"},
                                            {"constant; the proof needs 0"}));
  return section;
}

/// Every thirtieth row, and the least.
Json shown_rows(const Curves& curves) {
  Json shown = Json::array();
  for (std::size_t k = 0; k < curves.rows.size(); ++k) {
    const Json& row = curves.rows[k];
    if (k % 30 == 0 || row["factor_constant"] == curves.least) shown.push_back(row);
  }
  return shown;
}

}  // namespace

Reproduction reproduce_figure_xi(const std::string& name, const std::vector<Cell>& /*none*/,
                                 CellRunner& runner) {
  Curves curves = draw_curves();
  const double enough = crossing(gradient_constant, 1, 0.7, 1);
  const double negative = crossing(factor_constant, 0, 0.9, curves.least_at);
  Reproduction r = begin_reproduction(name, runner, "");
  const std::vector<std::string> notes = {
      fmt::format("The constant of the gradient is at least 1 from xi = {:.3f} on; the paper says "
                  "from about 0.78.",
                  enough),
      fmt::format("The paper says that the constant of the factor is nowhere negative. By its own "
                  "formula it is negative from xi = {:.3f} up to 1, least at {:.3f} with {:.1e}; "
                  "and xi lies between 128/129 = {:.4f} and 1.",
                  negative, curves.least_at, curves.least, c / (c + 1))};
  r.page.verdict_text = "The constants by the paper's own formulas.";
  r.page.sections.push_back(constants_section(curves));
  r.record["least_factor_constant"] = curves.least;
  r.record["gradient_constant_at_least_1_from"] = enough;
  finish_reproduction(
      r, shown_rows(curves),
      {{"xi", "xi"}, {"gradient_constant", "gradient"}, {"factor_constant", "factor"}}, notes);
  r.record["rows"] = std::move(curves.rows);
  return r;
}

}  // namespace projfgd
