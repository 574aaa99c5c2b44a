// Regular expressions on texts of any length and any bytes.
#include "projfgd/io/text_pattern.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace projfgd {
namespace {

TEST(TextPattern, HasTheGroups) {
  const auto found = TextPattern("q1=([XYZ]+);q0=([XYZ])(!)?").search("run q1=XZ;q0=Y.");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (std::vector<std::string_view>{"q1=XZ;q0=Y", "XZ", "Y", ""}));
}

TEST(TextPattern, TakesTextsAndExpressionsOfAnyLength) {
  const std::string text(200'000, 'a');
  EXPECT_EQ((*TextPattern("(a*)*b?").search(text))[0].size(), text.size());
  EXPECT_FALSE(TextPattern("(x+x+)+y").search(std::string(2'000, 'x')).has_value());
  const auto nested = [](std::size_t n) { return std::string(n, '(') + std::string(n, ')'); };
  for (const std::string& wrong :
       {std::string(100'000, 'a'), std::string(100'000, '('), nested(100'000)}) {
    EXPECT_THROW(TextPattern{wrong}, std::invalid_argument);
  }
  EXPECT_THROW(TextPattern("(a?){1000}b"), std::invalid_argument);
  EXPECT_THROW(TextPattern("((a{99}){99}){99}"), std::invalid_argument);
}

TEST(TextPattern, TakesAnyBytes) {
  const std::string text("\xff\x80\0 b=\xc3\xa9;XY", 11);
  EXPECT_EQ((*TextPattern("b=..;([XYZ]+)$").search(text))[1], "XY");
  EXPECT_EQ((*TextPattern(std::string_view("\x80\0", 2)).search(text))[0].size(), 2U);
}

TEST(TextPattern, RefusesWhatIsNone) {
  for (const char* wrong :
       {"(", ")", "[", "a{2,1}", "*", "a**", "\\", "\\q", "(?=a)", "(a)\\1", "[b-a]", "[a"}) {
    EXPECT_THROW(TextPattern{wrong}, std::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace projfgd
