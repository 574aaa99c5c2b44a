#include "projfgd/io/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "projfgd/io/text.hpp"
#include "report_assets.hpp"

namespace projfgd {
namespace {

using nlohmann::ordered_json;

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
  };
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  for (std::size_t i = 0, out = 0; i < bytes.size(); i += 3, out += 4) {
    const std::uint32_t triple = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text[out] = digits[triple >> 18];
    text[out + 1] = digits[triple >> 12 & 63];
    if (i + 1 < bytes.size()) text[out + 2] = digits[triple >> 6 & 63];
    if (i + 2 < bytes.size()) text[out + 3] = digits[triple & 63];
  }
  return text;
}

/// JSON that may stand inside <script>: a '<' occurs only in strings, where \u003c means the same,
/// so no "</script" or "<!--" can end or swallow the element. Broken UTF-8 is replaced.
std::string script_json(const ordered_json& value) {
  const std::string text = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string element(std::string_view tag, std::string_view css_class, std::string_view text) {
  if (text.empty()) return {};
  return fmt::format("<{0} class=\"{1}\">{2}</{0}>\n", tag, css_class, escape_html(text));
}

/// True when a column reads as numbers and is set flush right.
bool numeric_column(const Table& table, std::size_t column) {
  constexpr std::string_view numerals = "0123456789+-.";
  bool any = false;
  for (const auto& row : table.rows) {
    const std::string& cell = row.at(column);
    if (cell.empty() || cell == "unknown" || cell == "–") continue;
    const bool minus = cell.starts_with("−");
    if (!minus && numerals.find(cell.front()) == std::string_view::npos) return false;
    any = true;
  }
  return any;
}

/// True when a column has sentences, which may be broken into lines.
bool wordy_column(const Table& table, std::size_t column) {
  constexpr std::size_t longest_name = 24;
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    return character_count(row.at(column)) > longest_name;
  });
}

/// A section, or one of which only the title is shown until the reader opens it.
std::string opening(std::string_view title, bool folded) {
  const std::string heading = element("h2", "title", title);
  return folded ? "<section><details>\n<summary>" + heading + "</summary>\n"
                : "<section>\n" + heading;
}
std::string closing(bool folded) { return folded ? "</details></section>\n" : "</section>\n"; }

std::string colour_bar(const ColourBar& bar) {
  if (bar.colours.empty()) return {};
  return fmt::format(
      "<div class=\"colours\"><span>{}</span><i style=\"background:linear-gradient(to right,{})\">"
      "</i><span>{}</span></div>\n",
      escape_html(bar.low), escape_html(fmt::format("{}", fmt::join(bar.colours, ","))),
      escape_html(bar.high));
}

/// Writes the blocks of a report and collects the charts that the script draws afterwards.
class Renderer {
 public:
  std::string section(const Section& section) {
    constexpr std::array<std::string_view, 3> columns = {"one", "two", "three"};
    std::string html = opening(section.title, section.folded) + element("p", "text", section.text);
    if (!section.legend.empty()) html += legend(section.legend);
    html += fmt::format("<div class=\"blocks {}\">\n",
                        columns.at(static_cast<std::size_t>(section.columns)));
    for (const Block& block : section.blocks) {
      html += std::visit([this](const auto& content) { return figure(content); }, block);
    }
    return html + "</div>\n" + closing(section.folded);
  }

  const ordered_json& charts() const { return charts_; }

 private:
  static std::string legend(const std::vector<std::string>& names) {
    std::string html = "<ul class=\"legend\">\n";
    for (const std::string& name : names) html += "<li>" + escape_html(name) + "</li>\n";
    return html + "</ul>\n";
  }

  static std::string framed(const auto& block, std::string_view kind, std::string_view content) {
    return fmt::format("<figure class=\"{}\">\n{}{}{}</figure>\n", kind,
                       element("h3", "title", block.title), content,
                       element("figcaption", "caption", block.caption));
  }

  std::string figure(const Chart& chart) {
    const std::string place = fmt::format(
        "<div class=\"drawing\" id=\"chart-{}\" role=\"img\" aria-label=\"{}\" "
        "style=\"height:{}px\"></div>\n",
        charts_.size(), escape_html(chart.title), chart.height);
    charts_.push_back({{"data", chart.data}, {"layout", chart.layout}});
    return framed(chart, "chart", place);
  }

  std::string figure(const Picture& picture) {
    return framed(
        picture, "picture",
        fmt::format("<img src=\"data:image/png;base64,{}\" alt=\"{}\">\n{}", base64(picture.png),
                    escape_html(picture.title), colour_bar(picture.colours)));
  }

  std::string figure(const Table& table) {
    std::vector<std::string_view> alignment;
    std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
    for (std::size_t i = 0; i < table.header.size(); ++i) {
      alignment.emplace_back(numeric_column(table, i) ? " class=\"number\""
                             : wordy_column(table, i) ? " class=\"words\""
                                                      : "");
      html +=
          fmt::format("<th scope=\"col\"{}>{}</th>", alignment[i], escape_html(table.header[i]));
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      html += "<tr>";
      for (std::size_t i = 0; i < table.header.size(); ++i) {
        html += fmt::format("<td{}>{}</td>", alignment[i], escape_html(row.at(i)));
      }
      html += "</tr>\n";
    }
    constexpr std::size_t most_columns = 9;  // of a table that keeps to the width of the page
    return framed(table, table.header.size() > most_columns ? "table wide" : "table",
                  html + "</tbody>\n</table></div>\n");
  }

  ordered_json charts_ = ordered_json::array();
};

std::string facts(std::string_view css_class, const std::vector<Fact>& facts) {
  if (facts.empty()) return {};
  std::string html = fmt::format("<dl class=\"{}\">\n", css_class);
  for (const Fact& fact : facts) {
    html += "<div>\n" + element("dt", "label", fact.label) +
            element("dd", character_count(fact.value) > 10 ? "value long" : "value", fact.value) +
            element("dd", "interval", fact.interval) + element("dd", "note", fact.note) +
            "</div>\n";
  }
  return html + "</dl>\n";
}

std::string header(const Report& report) {
  constexpr std::array<std::string_view, 3> verdicts = {"good", "caution", "bad"};
  const bool answered = !report.headline.empty();
  std::string html = "<header>\n" + element("p", "kicker", answered ? report.title : "") +
                     element("h1", "title", answered ? report.headline : report.title) +
                     element("p", "subtitle", report.subtitle) +
                     fmt::format("<div class=\"verdict {}\">\n",
                                 verdicts.at(static_cast<std::size_t>(report.verdict))) +
                     element("p", "text", report.verdict_text);
  for (const std::string& remark : report.remarks) html += element("p", "remark", remark);
  return html + "</div>\n" + facts("facts", report.facts) + "</header>\n";
}

/// A multiple of ten as Unicode superscripts: 10⁻⁷.
std::string power_of_ten(int exponent) {
  constexpr std::array<std::string_view, 10> superscripts = {"⁰", "¹", "²", "³", "⁴",
                                                             "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : fmt::format("{}", std::abs(exponent))) {
    text += superscripts.at(static_cast<std::size_t>(digit - '0'));
  }
  return text;
}

std::string with_thousands(std::string_view digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::string_view character = leading_character(text);
    text.remove_prefix(character.size());
    switch (character[0]) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        const auto first = static_cast<unsigned char>(character[0]);
        const bool valid = character.size() > 1 || first < 0x80;
        safe += valid ? std::string(character) : fmt::format("\\x{:02x}", first);
    }
  }
  return safe;
}

std::string format_number(double value, int digits) {
  if (std::isnan(value)) return "unknown";
  const std::string sign = std::signbit(value) && value != 0 ? "−" : "";
  const double size = std::abs(value);
  if (std::isinf(value)) return sign + "∞";
  if (size == 0) return "0";
  if (size < 1e9 && size == std::floor(size)) return sign + with_thousands(fmt::format("{}", size));
  const std::string scientific = fmt::format("{:.{}e}", size, digits - 1);
  const std::size_t e = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(e + 1));  // after rounding
  if (exponent < -3 || exponent > 5) {
    return sign + scientific.substr(0, e) + " × " + power_of_ten(exponent);
  }
  const std::string fixed = fmt::format("{:.{}f}", size, std::max(0, digits - 1 - exponent));
  return sign +
         (exponent > 3 && fixed.find('.') == std::string::npos ? with_thousands(fixed) : fixed);
}

std::string format_count(long count, std::string_view thing) {
  const auto number = static_cast<double>(count);
  return fmt::format("{} {}{}", format_number(number), thing, count == 1 ? "" : "s");
}

std::string format_fixed(double value, int decimals) {
  if (!std::isfinite(value)) return format_number(value);
  const std::string size = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = size.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !zero ? "−" + size : size;
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "unknown";
  if (seconds == 0) return "0 s";
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string render(const Report& report) {
  Renderer renderer;
  std::string body = header(report);
  for (const Section& section : report.sections) {
    if (!section.blocks.empty() || !section.text.empty()) body += renderer.section(section);
  }
  if (!report.provenance.empty()) {
    body += opening("Run settings", true) + facts("provenance", report.provenance) + closing(true);
  }
  // The policy lets nothing be loaded from anywhere; plotly.js compiles its shaders' helpers from
  // strings, hence 'unsafe-eval'.
  return fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{css}</style>
</head>
<body>
<main>
{body}</main>
<footer>Made by projfgd. Charts by plotly.js (MIT licence).</footer>
<noscript><p class="notice">The charts need JavaScript.</p></noscript>
<script type="application/json" id="charts">{charts}</script>
<script type="text/plain" id="plotly">{plotly}</script>
<script>
{js}</script>
</body>
</html>
)",
      fmt::arg("title", escape_html(report.title)), fmt::arg("css", assets::report_css()),
      fmt::arg("body", body), fmt::arg("charts", script_json(renderer.charts())),
      fmt::arg("plotly", renderer.charts().empty() ? std::string() : base64(assets::plotly_gzip())),
      fmt::arg("js", assets::report_js()));
}

}  // namespace projfgd
