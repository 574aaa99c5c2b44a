#include "projfgd/io/report.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "projfgd/io/charts.hpp"

namespace projfgd {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string evil = "</script><img src=x onerror=alert(1)>\"'&<!--";

/// The text between two marks.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  const std::size_t start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

TEST(Report, EscapesEveryCharacterThatHtmlReads) {
  EXPECT_EQ(escape_html("a<b>&\"c\"'"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;");
  EXPECT_EQ(escape_html("ρ = 1"), "ρ = 1");
  EXPECT_EQ(escape_html("a\xff.npy"), "a\\xff.npy") << "a page is valid UTF-8";
}

TEST(Report, NothingTheUserWroteIsMarkup) {
  Chart chart = charts::lines(evil, {{evil, {1, 2}, {1, 2}}}, {evil}, {evil, true});
  chart.caption = evil;
  const Section section{
      .title = evil,
      .text = evil,
      .legend = {evil},
      .blocks = {chart, Picture{evil, evil, "png"}, Table{evil, evil, {evil}, {{evil}}}}};
  const std::string page = render({.title = evil,
                                   .subtitle = evil,
                                   .headline = evil,
                                   .verdict_text = evil,
                                   .remarks = {evil},
                                   .facts = {{evil, evil, evil}},
                                   .sections = {section},
                                   .provenance = {{evil, evil, evil}}});
  EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  // The page has three scripts of its own and no end of a script beside theirs.
  EXPECT_EQ(count(page, "</script>"), 3u);
}

TEST(Report, ChartsComeBackFromThePageAsTheyWentIn) {
  Chart chart;
  chart.data = {{{"name", evil}, {"x", {1.5, nullptr}}}};
  chart.layout = {{"note", "\xff broken"}};
  const std::string page = render({.sections = {{.blocks = {chart, chart}}}});
  const auto charts = nlohmann::ordered_json::parse(
      between(page, "<script type=\"application/json\" id=\"charts\">", "</script>"));
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0]["data"], chart.data);
  EXPECT_EQ(charts[0]["layout"]["note"], "\xEF\xBF\xBD broken");
  EXPECT_EQ(count(page, "class=\"drawing\""), 2u);
}

TEST(Report, CarriesPlotlyOnlyWhenThereIsAChart) {
  EXPECT_LT(render({.title = "text"}).size(), 40000u);
  const std::string page = render({.sections = {{.blocks = {Chart{}}}}});
  // "H4sI" is base64 of the first bytes of every gzip file.
  EXPECT_THAT(between(page, "id=\"plotly\">", "</script>").substr(0, 4), "H4sI");
}

TEST(Report, LoadsNothingFromElsewhere) {
  const std::string page = render({.sections = {{.blocks = {Picture{"a", "b", "c"}}}}});
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy\" content=\"default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST(Report, PicturesAreBase64) {
  for (const auto& [bytes, text] :
       std::vector<std::pair<std::string, std::string>>{{"f", "Zg=="},
                                                        {"fo", "Zm8="},
                                                        {"foo", "Zm9v"},
                                                        {std::string("\xff\x00\xfe", 3), "/wD+"}}) {
    EXPECT_EQ(
        between(render({.sections = {{.blocks = {Picture{"", "", bytes}}}}}), "base64,", "\""),
        text);
  }
}

TEST(Report, ColumnsOfNumbersAreSetFlushRight) {
  const Table table{.header = {"Name", "Value"}, .rows = {{"a", "−1.5"}, {"b", "3.1 × 10⁻⁷"}}};
  const std::string page = render({.sections = {{.blocks = {table}}}});
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\">Name</th>"));
  EXPECT_THAT(page, HasSubstr("<td>a</td><td class=\"number\">−1.5</td>"));
}

TEST(Report, TablesOfManyColumnsMayLeaveThePage) {
  const auto page = [](std::size_t columns) {
    const std::vector<std::string> row(columns, "a");
    return render({.sections = {{.blocks = {Table{.header = row, .rows = {row}}}}}});
  };
  EXPECT_THAT(page(4), HasSubstr("<figure class=\"table\">"));
  EXPECT_THAT(page(14), HasSubstr("<figure class=\"table wide\">"));
}

TEST(Report, SentencesInTablesMayBeBroken) {
  const Report report{
      .sections = {
          {.blocks = {Table{.header = {"a", "b"},
                            .rows = {{"yes", "a sentence that is longer than a name"}}}}}}};
  EXPECT_THAT(render(report), HasSubstr("<td>yes</td><td class=\"words\">a sentence"));
}

TEST(Report, NumbersAreWrittenForPeople) {
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(12288), "12,288");
  EXPECT_EQ(format_number(-1024), "−1,024");
  EXPECT_EQ(format_number(0.93416), "0.934");
  EXPECT_EQ(format_number(0.0012), "0.00120");
  EXPECT_EQ(format_number(0.99996), "1.00");
  EXPECT_EQ(format_number(3.14e-7), "3.14 × 10⁻⁷");
  EXPECT_EQ(format_number(-2.5e12), "−2.50 × 10¹²");
  EXPECT_EQ(format_number(12345.6), "12,346");
  EXPECT_EQ(format_number(std::nan("")), "unknown");
  EXPECT_EQ(format_number(-std::numeric_limits<double>::infinity()), "−∞");
  EXPECT_EQ(format_fixed(-0.04, 1), "0.0");
  EXPECT_EQ(format_fixed(-63.66, 1), "−63.7");
}

TEST(Report, TimesAreWrittenForPeople) {
  EXPECT_EQ(format_seconds(0.00025), "250 µs");
  EXPECT_EQ(format_seconds(0.183), "183 ms");
  EXPECT_EQ(format_seconds(12.34), "12.3 s");
  EXPECT_EQ(format_seconds(245), "4 min 5 s");
  EXPECT_EQ(format_seconds(7325), "2 h 2 min");
}

}  // namespace
}  // namespace projfgd
