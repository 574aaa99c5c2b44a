#include "projfgd/io/file_kind.hpp"

#include <gtest/gtest.h>

#include "projfgd/io/npy.hpp"
#include "projfgd/io/png.hpp"

namespace projfgd {
namespace {

TEST(FileKind, KnowsWhatPeopleGiveByMistake) {
  EXPECT_EQ(describe_file(""), "an empty file");
  EXPECT_EQ(describe_file(" \r\n\t\n"), "a file with only blanks");
  EXPECT_EQ(describe_file(png_bytes({1, 1, 1, {0.5}}, 8)), "a PNG image");
  EXPECT_EQ(describe_file(npy_bytes({{1}, false, {2}})), "an NPY file");
  EXPECT_EQ(describe_file("%PDF-1.7"), "a PDF document");
  EXPECT_EQ(describe_file("\xFF\xFEp"), "UTF-16 text");
  EXPECT_EQ(describe_file("\x93NU"), "the first 3 bytes of an NPY file");
  EXPECT_EQ(describe_file(std::string("ab\0c", 4)), "binary data");
  EXPECT_EQ(describe_file("\xEF\xBB\xBF\n  first \"line\"\r\nsecond"),
            "text that begins with \"first \"line\"\"");
  EXPECT_EQ(describe_file(std::string(50, 'a')),
            "text that begins with \"" + std::string(40, 'a') + "...\"");
}

TEST(FileKind, TellsKindsApart) {
  EXPECT_EQ(file_kind(""), FileKind::empty);
  EXPECT_EQ(file_kind(" \n"), FileKind::text);
  EXPECT_EQ(file_kind("\xFF\xFEp"), FileKind::utf16);
  EXPECT_EQ(file_kind(npy_bytes({{1}, false, {2}})), FileKind::npy);
  EXPECT_EQ(file_kind(png_bytes({1, 1, 1, {0.5}}, 8)), FileKind::png);
  EXPECT_EQ(file_kind("\x89HDF\r\n\x1A\n"), FileKind::hdf5);
  for (const char* start : {"PK\x03\x04", "\x1F\x8B", "BZh", "\xFD\x37zXZ"}) {
    EXPECT_EQ(file_kind(start), FileKind::packed);
  }
  EXPECT_EQ(file_kind("GIF89a"), FileKind::other);
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
