#include "projfgd/io/file_kind.hpp"

#include <gtest/gtest.h>

#include "projfgd/io/npy.hpp"
#include "projfgd/io/png.hpp"

namespace projfgd {
namespace {

TEST(FileKind, KnowsWhatPeopleGiveByMistake) {
  EXPECT_EQ(file_kind(""), "an empty file");
  EXPECT_EQ(file_kind(" \r\n\t\n"), "a file of blanks");
  EXPECT_EQ(file_kind(png_bytes({1, 1, 1, {0.5}}, 8)), "a PNG image");
  EXPECT_EQ(file_kind(npy_bytes({{1}, false, {2}})), "an NPY file");
  EXPECT_EQ(file_kind("%PDF-1.7"), "a PDF document");
  EXPECT_EQ(file_kind("\xFF\xFEp"), "UTF-16 text");
  EXPECT_EQ(file_kind(std::string("ab\0c", 4)), "binary data");
  EXPECT_EQ(file_kind("\xEF\xBB\xBF\n  first \"line\"\r\nsecond"),
            "text that begins with \"first \"line\"\"");
  EXPECT_EQ(file_kind(std::string(50, 'a')),
            "text that begins with \"" + std::string(40, 'a') + "...\"");
}

TEST(FileKind, TextIsWhatAPersonCanRead) {
  EXPECT_TRUE(is_text("pauli,expectation\r\nXX,1\n"));
  EXPECT_TRUE(is_text("\xEF\xBB\xBFρ = 1\n"));  // UTF-8
  for (const std::string& bytes :
       {std::string(), std::string("a\x01"), std::string("PK\x03\x04")}) {
    EXPECT_FALSE(is_text(bytes));
  }
  EXPECT_EQ(first_character("\xEF\xBB\xBF\n {}"), '{');
  EXPECT_EQ(first_character(" \n"), '\0');
}

}  // namespace
}  // namespace projfgd
