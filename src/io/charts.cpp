#include "projfgd/io/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>

namespace projfgd::charts {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t palette_size = 8;  // --series-1 ... of report.css

std::string series(std::size_t i) { return fmt::format("var(--series-{})", i % palette_size + 1); }

/// plotly.js reads a little HTML in its texts; escaped, they are shown as they are.
std::string text(const std::string& plain) { return escape_html(plain); }

ordered_json axis(const Axis& axis) {
  ordered_json json = {{"title", {{"text", text(axis.title)}}}};
  if (axis.logarithmic) json["type"] = "log";
  return json;
}

ordered_json axes(const Axis& x, const Axis& y) { return {{"xaxis", axis(x)}, {"yaxis", axis(y)}}; }

/// Seven digits are more than a screen shows and half the size of all of them.
double rounded(double value) {
  const std::string text = fmt::format("{:.7g}", value);
  double result = value;  // stays where there is nothing to round: not finite, or near underflow
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

ordered_json numbers(const std::vector<double>& values) {
  ordered_json json = ordered_json::array();
  for (const double value : values) json.push_back(rounded(value));
  return json;
}

ordered_json rows_of(const Matrix<double>& values) {
  ordered_json rows = ordered_json::array();
  for (Index i = 0; i < values.rows(); ++i) {
    const Vector<double> row = values.row(i);
    rows.push_back(numbers({row.begin(), row.end()}));
  }
  return rows;
}

ordered_json colours(double limit) {
  return {{"colorscale",
           {{0, "var(--negative-2)"},
            {0.25, "var(--negative-1)"},
            {0.5, "var(--zero)"},
            {0.75, "var(--positive-1)"},
            {1, "var(--positive-2)"}}},
          {"cmin", -limit},
          {"cmax", limit}};
}

std::vector<std::string> escaped(const std::vector<std::string>& labels) {
  std::vector<std::string> result;
  result.reserve(labels.size());
  for (const std::string& label : labels) result.push_back(text(label));
  return result;
}

/// A band between two curves over the same x.
void add_band(ordered_json& data, const std::string& name, const std::vector<double>& x,
              const std::vector<double>& low, const std::vector<double>& high, const char* colour) {
  std::vector<double> round_x = x, round_y = low;
  round_x.insert(round_x.end(), x.rbegin(), x.rend());
  round_y.insert(round_y.end(), high.rbegin(), high.rend());
  data.push_back({{"type", "scatter"},
                  {"mode", "lines"},
                  {"name", name},
                  {"x", numbers(round_x)},
                  {"y", numbers(round_y)},
                  {"fill", "toself"},
                  {"fillcolor", colour},
                  {"line", {{"width", 0}}},
                  {"hoverinfo", "skip"}});
}

/// Numbers of the points to draw: those farthest from the diagonal and an even selection.
std::vector<std::size_t> selection(const std::vector<double>& distance) {
  constexpr std::size_t most = 3000, outliers = 300;
  std::vector<std::size_t> order(distance.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return distance[a] > distance[b]; });
  std::sort(order.begin() + outliers, order.end());
  std::vector<std::size_t> chosen(order.begin(), order.begin() + outliers);
  const std::size_t rest = order.size() - outliers;
  for (std::size_t k = 0; k < most - outliers; ++k) {
    chosen.push_back(order[outliers + k * rest / (most - outliers)]);
  }
  return chosen;
}

/// The mean standard error of the points near each of a few places along x.
struct Envelope {
  std::vector<double> x, sigma;
};

Envelope envelope(const std::vector<double>& x, const std::vector<double>& sigma) {
  constexpr std::size_t places = 41;
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double width = std::max(*high - *low, 1e-300);
  std::vector<double> sum(places, 0.0), weight(places, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto place = static_cast<std::size_t>(std::lround((x[i] - *low) / width * (places - 1)));
    sum[place] += sigma[i] * sigma[i];
    weight[place] += 1;
  }
  Envelope result;
  for (std::size_t k = 0; k < places; ++k) {
    if (weight[k] == 0) continue;
    result.x.push_back(*low + width * static_cast<double>(k) / (places - 1));
    result.sigma.push_back(std::sqrt(sum[k] / weight[k]));
  }
  return result;
}

ordered_json error_bars(const std::vector<double>& heights, const std::vector<Range>& ranges) {
  std::vector<double> above, below;
  for (std::size_t k = 0; k < std::min(heights.size(), ranges.size()); ++k) {
    above.push_back(std::max(ranges[k].high - heights[k], 0.0));
    below.push_back(std::max(heights[k] - ranges[k].low, 0.0));
  }
  return {{"type", "data"},          {"symmetric", false},
          {"array", numbers(above)}, {"arrayminus", numbers(below)},
          {"color", "var(--text)"},  {"thickness", 1.5}};
}

/// Whether all that is positive is within a decade, where the marks of a log axis would be digits
/// alone: "2" for 0.2.
bool is_narrow(const std::vector<Line>& lines) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Line& line : lines) {
    for (const double value : line.y) {
      if (!(value > 0 && std::isfinite(value))) continue;
      low = std::min(low, value), high = std::max(high, value);
    }
  }
  return high < 10 * low;
}

}  // namespace

Chart lines(std::string title, const std::vector<Line>& lines, const Axis& x, const Axis& y) {
  Chart chart{.title = std::move(title), .layout = axes(x, y), .height = 280};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    chart.data.push_back(
        {{"type", "scatter"},
         {"mode", lines[i].x.size() > 1 ? "lines" : "markers"},
         {"name", text(lines[i].name)},
         {"x", numbers(lines[i].x)},
         {"y", numbers(lines[i].y)},
         {"line",
          {{"width", 2}, {"color", series(i)}, {"dash", lines[i].dashed ? "dash" : "solid"}}}});
  }
  chart.layout["hovermode"] = "closest";
  if (y.logarithmic && is_narrow(lines)) chart.layout["yaxis"]["tickformat"] = "~g";
  return chart;
}

Chart heat_map(std::string title, const Matrix<double>& values,
               const std::vector<std::string>& labels, double limit) {
  Chart chart{.title = std::move(title), .height = 420};
  const std::vector<std::string> names = escaped(labels);
  const ordered_json scale = colours(limit);
  chart.data.push_back({{"type", "heatmap"},
                        {"x", names},
                        {"y", names},
                        {"z", rows_of(values)},
                        {"zmin", -limit},
                        {"zmax", limit},
                        {"colorscale", scale["colorscale"]},
                        {"xgap", values.rows() <= 16 ? 1 : 0},
                        {"ygap", values.rows() <= 16 ? 1 : 0},
                        {"colorbar", {{"thickness", 10}, {"outlinewidth", 0}}},
                        {"hovertemplate", "row %{y}, column %{x}<br>%{z:.4f}<extra></extra>"}});
  const ordered_json ticks = {{"type", "category"}, {"showgrid", false}, {"ticks", ""}};
  chart.layout = {{"xaxis", ticks}, {"yaxis", ticks}};
  chart.layout["xaxis"]["side"] = "top";
  chart.layout["xaxis"]["tickangle"] = labels.size() > 4 ? -90 : 0;
  chart.layout["yaxis"]["autorange"] = "reversed";
  return chart;
}

Chart city(std::string title, const Matrix<double>& values, const std::vector<std::string>& labels,
           double limit, double low, double high) {
  Chart chart{.title = std::move(title), .height = 460};
  ordered_json mesh = colours(limit);
  mesh["type"] = "city";  // report.js builds the columns as one mesh3d of plotly.js
  mesh["labels"] = escaped(labels);
  mesh["z"] = rows_of(values);
  chart.data.push_back(mesh);
  chart.layout = {{"scene", {{"zaxis", {{"range", {low, high}}}}}}};
  return chart;
}

Chart bars(std::string title, const std::vector<std::string>& labels,
           const std::vector<double>& heights, const Axis& x, const Axis& y,
           const std::vector<Range>& ranges) {
  Chart chart{.title = std::move(title), .layout = axes(x, y)};
  ordered_json bar = {{"type", "bar"},
                      {"x", escaped(labels)},
                      {"y", numbers(heights)},
                      {"marker", {{"color", series(0)}}},
                      {"hovertemplate", "%{x}: %{y:.4g}<extra></extra>"}};
  if (!ranges.empty()) bar["error_y"] = error_bars(heights, ranges);
  if (labels.size() <= 8 && ranges.empty()) {
    bar["texttemplate"] = "%{y:.3f}";
    bar["textposition"] = "outside";
    bar["cliponaxis"] = false;
  }
  chart.data.push_back(bar);
  chart.layout["xaxis"]["type"] = "category";
  // Room for six: a lone bar is not as wide as the chart.
  chart.layout["xaxis"]["range"] = {-0.5, std::max(labels.size(), std::size_t{6}) - 0.5};
  chart.layout["bargap"] = 0.35;
  return chart;
}

namespace {

/// One and two standard errors around equality.
void add_bands(const std::vector<double>& x, const std::vector<double>& sigma, Chart& chart) {
  const Envelope near = envelope(x, sigma);
  for (const double width : {2.0, 1.0}) {
    std::vector<double> below, above;
    for (std::size_t k = 0; k < near.x.size(); ++k) {
      below.push_back(near.x[k] - width * near.sigma[k]);
      above.push_back(near.x[k] + width * near.sigma[k]);
    }
    add_band(chart.data, fmt::format("±{} standard error{}", width, width > 1 ? "s" : ""), near.x,
             below, above, width > 1 ? "var(--band-2)" : "var(--band-1)");
  }
}

/// Those farthest from the diagonal, in units of sigma where it is known, and some of the others.
std::vector<std::size_t> points_to_draw(const std::vector<double>& x, const std::vector<double>& y,
                                        const std::vector<double>& sigma) {
  std::vector<double> distance(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    distance[i] = std::abs(y[i] - x[i]) / (sigma.empty() ? 1.0 : std::max(sigma[i], 1e-300));
  }
  return selection(distance);
}

}  // namespace

Chart agreement(std::string title, const std::vector<double>& x, const std::vector<double>& y,
                const std::vector<double>& sigma, const Axis& x_axis, const Axis& y_axis) {
  Chart chart{.title = std::move(title), .layout = axes(x_axis, y_axis), .height = 420};
  if (x.empty()) return chart;
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  if (!sigma.empty()) add_bands(x, sigma, chart);
  chart.data.push_back({{"type", "scatter"},
                        {"mode", "lines"},
                        {"name", "equal"},
                        {"x", {*low, *high}},
                        {"y", {*low, *high}},
                        {"line", {{"width", 1}, {"color", "var(--muted)"}}},
                        {"hoverinfo", "skip"}});
  std::vector<double> shown_x, shown_y;
  for (const std::size_t i : points_to_draw(x, y, sigma)) {
    shown_x.push_back(x[i]);
    shown_y.push_back(y[i]);
  }
  if (shown_x.size() < x.size()) {
    chart.caption = fmt::format(
        "{} of {} points are drawn: those farthest from the diagonal, and an even selection of the "
        "others.",
        format_number(static_cast<double>(shown_x.size())),
        format_number(static_cast<double>(x.size())));
  }
  chart.data.push_back(
      {{"type", "scatter"},
       {"mode", "markers"},
       {"name", "data"},
       {"x", numbers(shown_x)},
       {"y", numbers(shown_y)},
       {"marker", {{"size", 4}, {"opacity", 0.6}, {"color", series(0)}}},
       {"hovertemplate", "predicted %{x:.4f}<br>measured %{y:.4f}<extra></extra>"}});
  chart.layout["showlegend"] = true;
  return chart;
}

Chart histogram(std::string title, const std::vector<double>& values, const Axis& x, bool normal) {
  Chart chart{
      .title = std::move(title), .layout = axes(x, {"Number of data points"}), .height = 420};
  if (values.empty()) return chart;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double low = normal ? std::min(-4.0, std::floor(*least)) : *least;
  const double high = normal ? std::max(4.0, std::ceil(*greatest)) : *greatest;
  const double spread = std::max(high - low, 1e-300);
  const auto count = static_cast<double>(values.size());
  // Bins of a width that suits the bulk; far outliers only make more of them, up to a bound.
  const double wanted = std::clamp(std::sqrt(count), 8.0, 48.0) * (normal ? spread / 8 : 1.0);
  const auto bins = static_cast<std::size_t>(std::clamp(wanted, 8.0, 400.0));
  const double width = spread / static_cast<double>(bins);
  std::vector<double> centres(bins), heights(bins, 0.0);
  for (std::size_t k = 0; k < bins; ++k) centres[k] = low + (static_cast<double>(k) + 0.5) * width;
  for (const double value : values) {
    heights[std::min(bins - 1, static_cast<std::size_t>((value - low) / width))] += 1;
  }
  chart.data.push_back({{"type", "bar"},
                        {"name", "data"},
                        {"x", numbers(centres)},
                        {"y", numbers(heights)},
                        {"width", width},
                        {"marker", {{"color", series(0)}, {"opacity", 0.75}}},
                        {"hovertemplate", "%{x:.2f}: %{y}<extra></extra>"}});
  if (normal) {
    std::vector<double> curve_x, curve_y;
    for (int k = -80; k <= 80; ++k) {
      const double t = k / 20.0;
      curve_x.push_back(t);
      curve_y.push_back(count * width * std::exp(-t * t / 2) / std::sqrt(2 * std::numbers::pi));
    }
    chart.data.push_back({{"type", "scatter"},
                          {"mode", "lines"},
                          {"name", "expected from noise alone"},
                          {"x", numbers(curve_x)},
                          {"y", numbers(curve_y)},
                          {"line", {{"width", 2}, {"color", series(1)}}},
                          {"hoverinfo", "skip"}});
  }
  chart.layout["showlegend"] = normal;
  chart.layout["bargap"] = 0.04;
  return chart;
}

}  // namespace projfgd::charts
