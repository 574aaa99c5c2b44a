#include "projfgd/io/checkpoint.hpp"

#include <gtest/gtest.h>

#include <string>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

std::string sample(const std::filesystem::path& path) {
  Matrix<double> state = Matrix<double>::Random(5, 3);
  write_checkpoint(
      path, "{\"version\": \"1\"}", {{"stage", 0, "abc"}, {"start", 1, ""}},
      [&](Archive& archive) { archive(state); }, true);
  return read_file(path);
}

TEST(Checkpoint, IsReadAsItWasWritten) {
  const test::TemporaryFolder folder;
  const Checkpoint found = parse_checkpoint(sample(folder / "c"), folder / "c");
  EXPECT_EQ(found.about, "{\"version\": \"1\"}");
  ASSERT_EQ(found.pieces.size(), 2);
  EXPECT_EQ(found.pieces[0].name, "stage");
  EXPECT_EQ(found.pieces[0].bytes, "abc");
  EXPECT_EQ(found.pieces[1].depth, 1);
  Matrix<double> state;
  Archive archive(found.state, "c");
  archive(state);
  EXPECT_EQ(state.rows(), 5);
  EXPECT_EQ(state.cols(), 3);
  EXPECT_TRUE(archive.is_at_end());
}

TEST(Checkpoint, IsRefusedWhereverItIsCutOrDamaged) {
  const test::TemporaryFolder folder;
  const std::string whole = sample(folder / "c");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(parse_checkpoint(whole.substr(0, length), "c"), InputError) << length;
    std::string wrong = whole;
    wrong[length] = static_cast<char>(wrong[length] ^ 0x10);
    EXPECT_THROW(parse_checkpoint(wrong, "c"), InputError) << length;
  }
  EXPECT_THROW(parse_checkpoint(whole + "x", "c"), InputError);
  EXPECT_THROW(parse_checkpoint("PNG", "c"), InputError);
}

TEST(Archive, ComparesSizesWithWhatIsThereBeforeItTakesMemory) {
  for (const Index rows : {Index{1} << 60, Index{-1}, Index{4}}) {
    std::string bytes;
    Archive out([&](std::string_view part) { bytes.append(part); });
    Index columns = 3, count = rows;
    out(columns, count);
    Archive in(bytes, "c");
    Matrix<double> matrix;
    EXPECT_THROW(in(matrix), InputError) << rows;
    Archive list(std::string_view(bytes).substr(sizeof(Index)), "c");
    std::vector<std::string> names;
    EXPECT_THROW(list(names), InputError) << rows;
  }
}

}  // namespace
}  // namespace projfgd
