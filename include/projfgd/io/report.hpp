// A report is one HTML file that needs nothing else: no network, no other file. This is its model,
// which knows nothing of solvers or jobs; io/charts.hpp makes the charts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace projfgd {

/// One number of the answer: "Purity", "0.934", "1 for a pure state, 1/16 for complete noise".
struct Fact {
  std::string label = {};
  std::string value = {};
  std::string note = {};      ///< what it means, in a few words; may be empty
  std::string interval = {};  ///< "95%: 0.900 to 0.913"; may be empty
};

/// Data and layout as plotly.js takes them. A colour may be written "var(--name)", a variable of
/// report.css, and follows the light or dark theme of the reader.
struct Chart {
  std::string title = {};
  std::string caption = {};
  nlohmann::ordered_json data = nlohmann::ordered_json::array();
  nlohmann::ordered_json layout = nlohmann::ordered_json::object();
  int height = 300;  ///< pixels
};

/// What the colours of a picture mean: colours as CSS has them, at even distances from low to high.
struct ColourBar {
  std::vector<std::string> colours = {};
  std::string low = {}, high = {};
};

struct Picture {
  std::string title = {};
  std::string caption = {};
  std::string png = {};    ///< the bytes of a PNG file
  ColourBar colours = {};  ///< none where it has no colours
};

struct Table {
  std::string title = {};
  std::string caption = {};
  std::vector<std::string> header = {};
  std::vector<std::vector<std::string>> rows = {};  ///< each as long as the header
};

using Block = std::variant<Chart, Picture, Table>;

/// How wide the blocks of a section want to be; a narrow screen always has one column.
enum class Columns { one, two, three };

struct Section {
  std::string title = {};
  std::string text = {};
  std::vector<std::string> legend = {};  ///< what the colours of the palette stand for, in order
  std::vector<Block> blocks = {};
  Columns columns = Columns::two;
  bool folded = false;  ///< only the title is shown until the reader opens it
};

enum class Verdict { good, caution, bad };

/// All text is plain text: render() escapes it.
struct Report {
  std::string title = {};
  std::string subtitle = {};
  std::string headline = {};  ///< the answer in a line: "Fidelity with ghz 0.907"
  Verdict verdict = Verdict::good;
  std::string verdict_text = {};          ///< what came out, in a sentence or two
  std::vector<std::string> remarks = {};  ///< what the reader should know before trusting it
  std::vector<Fact> facts = {};           ///< the answer
  std::vector<Section> sections = {};
  std::vector<Fact> provenance = {};  ///< what was asked and how to get it again
};

/// The whole HTML file.
std::string render(const Report& report);

/// Text for HTML: & < > " ' become entities.
std::string escape_html(std::string_view text);

/// A number for people: 0.0123, 12,288, 3.1 × 10⁻⁷; "unknown" when it is not a number.
std::string format_number(double value, int digits = 3);

/// A number of things: 1 iteration, 1,200 iterations.
std::string format_count(long count, std::string_view thing);

/// The same with a fixed number of decimals, for columns of tables.
std::string format_fixed(double value, int decimals);

/// Seconds for people: 430 ms, 12.3 s, 4 min 5 s.
std::string format_seconds(double seconds);

}  // namespace projfgd
