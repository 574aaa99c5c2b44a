// Regular expressions: the same matches as std::regex has, on texts of any length.
#include "projfgd/io/text_pattern.hpp"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <stdexcept>
#include <string>

namespace projfgd {
namespace {

/// Random expressions in which nothing empty is repeated, where libraries differ.
class Expressions {
 public:
  std::string next() { return alternatives(3); }
  std::string text() {
    std::string out;
    for (std::size_t n = below(13); n > 0; --n) out += "ab c"[below(4)];
    return out;
  }

 private:
  std::size_t below(std::size_t end) { return engine_() % end; }
  std::string alternatives(int depth) {
    std::string out = sequence(depth);
    if (below(3) == 0) out += "|" + sequence(depth);
    return out;
  }
  std::string sequence(int depth) {
    std::string out = below(12) == 0 ? "^" : "";
    for (std::size_t n = 1 + below(3); n > 0; --n) out += repeated(depth);
    return below(12) == 0 ? out + "$" : out;
  }
  std::string repeated(int depth) {
    static constexpr const char* times[] = {"*",     "+",  "?",  "{2}", "{1,}",
                                            "{0,2}", "*?", "+?", "??"};
    if (depth > 0 && below(3) == 0) {  // which may be empty, and is not repeated
      return (below(2) == 0 ? "(" : "(?:") + alternatives(depth - 1) + ")";
    }
    static constexpr const char* atoms[] = {"a", "b", ".", "[ab]", "[^a]", "\\w", "\\s", "(ab)"};
    const std::string atom = atoms[below(std::size(atoms))];
    return below(2) == 0 ? atom : atom + times[below(std::size(times))];
  }
  std::mt19937_64 engine_{7};
};

TEST(TextPattern, FindsWhatStdRegexFinds) {
  Expressions random;
  for (int k = 0; k < 2000; ++k) {
    const std::string expression = random.next(), text = random.text();
    std::smatch expected;
    const bool any = std::regex_search(text, expected, std::regex(expression));
    const auto found = TextPattern(expression).search(text);
    ASSERT_EQ(found.has_value(), any) << expression << " in \"" << text << "\"";
    if (!any) continue;
    EXPECT_EQ((*found)[0], expected[0].str()) << expression << " in \"" << text << "\"";
    EXPECT_EQ((*found)[0].data() - text.data(), expected.position(0)) << expression;
    EXPECT_EQ(found->size(), expected.size()) << expression;
  }
}

TEST(TextPattern, HasTheGroups) {
  const auto found = TextPattern("q1=([XYZ]+);q0=([XYZ])(!)?").search("run q1=XZ;q0=Y.");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (std::vector<std::string_view>{"q1=XZ;q0=Y", "XZ", "Y", ""}));
}

TEST(TextPattern, SearchesOnFromAPlace) {
  const TextPattern word("\\b\\w");
  EXPECT_EQ((*word.search("ab cd", 1))[0], "c");  // b is no beginning of a word
  EXPECT_FALSE(TextPattern("^b").search("ab", 1).has_value());
}

TEST(TextPattern, TakesTextsAndExpressionsOfAnyLength) {
  const std::string text(200'000, 'a');
  EXPECT_EQ((*TextPattern("(a*)*b?").search(text))[0].size(), text.size());
  EXPECT_FALSE(TextPattern("(x+x+)+y").search(std::string(2'000, 'x')).has_value());
  EXPECT_THROW(TextPattern(std::string(100'000, '(')), std::invalid_argument);
  EXPECT_THROW(TextPattern(std::string(100'000, 'a')), std::invalid_argument);
  EXPECT_THROW(TextPattern("((a{99}){99}){99}"), std::invalid_argument);
}

TEST(TextPattern, RefusesWhatIsNone) {
  for (const char* wrong :
       {"(", ")", "[", "a{", "a{2,1}", "*", "a**", "\\", "\\q", "(?=a)", "(a)\\1", "[b-a]", "[a"}) {
    EXPECT_THROW(TextPattern{wrong}, std::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace projfgd
