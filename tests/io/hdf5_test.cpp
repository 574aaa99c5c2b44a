#include "projfgd/io/hdf5.hpp"

#include <gtest/gtest.h>

#include "projfgd/core/error.hpp"
#include "support/hdf5_files.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

using test::Hdf5File;
using test::TemporaryFolder;

TEST(Hdf5, BooleansAreZerosAndOnes) {
  const TemporaryFolder folder;
  {
    Hdf5File file(folder / "x.h5");
    file.booleans("/support", {2, 2}, {1, 0, 0, 1});
    file.enumeration("/kinds", {3}, {0, 1, 2}, {"RED", "GREEN", "BLUE"});
  }
  const Array array = read_hdf5(folder / "x.h5", {"/support"});
  EXPECT_EQ(array.shape, (std::vector<Index>{2, 2}));
  EXPECT_EQ(array.values, (std::vector<double>{1, 0, 0, 1}));
  EXPECT_FALSE(array.complex);
  EXPECT_THROWS_WITH(
      read_hdf5(folder / "x.h5", {"/kinds"}), InputError,
      "x.h5: dataset /kinds: found text or structures, expected an array of numbers");
}

TEST(Hdf5, TheOnlyArrayIsTakenWhereNoPlaceIsUsual) {
  const TemporaryFolder folder;
  {
    Hdf5File file(folder / "one.h5");
    file.text("/title", "an image");
    file.numbers("/version", {1}, {3}, H5T_STD_I32LE);
    file.numbers("/results/pixels", {2}, {5, 6}, H5T_IEEE_F64LE);
  }
  const std::vector<std::string> places{"/truth", "/image"};
  const auto read = [&](const char* file, const std::vector<std::string>& usual) {
    return read_hdf5(folder / file, usual, IfNone::only_array).values;
  };
  EXPECT_EQ(read("one.h5", places), (std::vector<double>{5, 6}));
  EXPECT_THROWS_WITH(read_hdf5(folder / "one.h5", places), InputError,
                     "one.h5: found /results/pixels (2), /title (1), /version (1), expected one of "
                     "/truth, /image");
  {
    Hdf5File file(folder / "usual.h5");
    file.numbers("/a", {2}, {1, 2}, H5T_IEEE_F64LE);
    file.numbers("/image", {2}, {3, 4}, H5T_IEEE_F64LE);
    file.numbers("/truth", {2}, {5, 6}, H5T_IEEE_F64LE);
  }
  EXPECT_EQ(read("usual.h5", places), (std::vector<double>{5, 6}));
  EXPECT_EQ(read("usual.h5", {"/start", "/image"}), (std::vector<double>{3, 4}));
  EXPECT_THROWS_WITH(read("usual.h5", {"/support"}), InputError,
                     "usual.h5: found /a (2), /image (2), /truth (2), expected /support");
}

}  // namespace
}  // namespace projfgd
