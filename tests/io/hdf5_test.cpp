#include "projfgd/io/hdf5.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
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

/// Numbers 0, 1, ... in chunks, of a dataset that may grow; the last rows are not written.
void write_chunks(const std::filesystem::path& path, bool packed, hsize_t rows_written) {
  const hsize_t size[2] = {12, 10}, any[2] = {H5S_UNLIMITED, H5S_UNLIMITED}, chunk[2] = {3, 7};
  const hsize_t start[2] = {0, 0}, part[2] = {rows_written, 10};
  const std::vector<double> numbers(120, 0.5);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(2, size, any), how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(how, 2, chunk);
  if (packed) H5Pset_deflate(how, 6);
  const hid_t set = H5Dcreate2(file, "/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
  const hid_t memory = H5Screate_simple(2, part, nullptr);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, part, nullptr);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers.data());
  H5Sclose(memory);
  H5Dclose(set);
  H5Pclose(how);
  H5Sclose(space);
  H5Fclose(file);
}

TEST(Hdf5, WhatWasWrittenInPartIsRefused) {
  const TemporaryFolder folder;
  write_chunks(folder / "whole.h5", false, 12);
  EXPECT_EQ(read_hdf5(folder / "whole.h5", {"/x"}).values, std::vector<double>(120, 0.5));
  write_chunks(folder / "part.h5", false, 6);
  EXPECT_THROWS_WITH(read_hdf5(folder / "part.h5", {"/x"}), InputError,
                     "dataset /x: found 120 numbers in 672 bytes, expected a dataset that was "
                     "written completely");
}

// The library reserves the memory of a chunk before it looks for it in the file.
TEST(Hdf5, ChunksThatTheFileCannotHoldAreRefused) {
  const TemporaryFolder folder;
  for (const bool packed : {false, true}) {
    write_chunks(folder / "x.h5", packed, 12);
    std::string bytes = read_file(folder / "x.h5");
    const std::uint32_t lengths[] = {3, 7, sizeof(double)}, huge = 1 << 14;
    const std::size_t at =
        bytes.find(std::string_view(reinterpret_cast<const char*>(lengths), sizeof lengths));
    ASSERT_NE(at, std::string::npos);
    std::memcpy(bytes.data() + at, &huge, sizeof huge);
    std::memcpy(bytes.data() + at + sizeof huge, &huge, sizeof huge);
    write_file(folder / "x.h5", bytes);
    EXPECT_THROWS_WITH(read_hdf5(folder / "x.h5", {"/x"}), InputError,
                       "found 268435456 numbers in ");
  }
}

// Groups with two links each, which say that they have one: 2^40 walks from the first to the last.
TEST(Hdf5, GroupsThatLeadInCirclesAreWalkedNoLongerThanTheFile) {
  const TemporaryFolder folder;
  const hid_t file = H5Fcreate((folder / "x.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  std::string above;
  for (int depth = 0; depth < 40; ++depth) {
    const std::string here = above + "/a";
    H5Gclose(H5Gcreate2(file, here.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_hard(file, here.c_str(), file, (above + "/b").c_str(), H5P_DEFAULT, H5P_DEFAULT);
    above = here;
  }
  H5Fclose(file);
  std::string bytes = read_file(folder / "x.h5");
  // Version 1, one message, two links.
  const std::string_view head("\x01\0\x01\0\x02\0\0\0", 8);
  int groups = 0;
  for (std::size_t at = 0; (at = bytes.find(head, at)) != std::string::npos; ++groups) {
    bytes[at + 4] = 1;
  }
  EXPECT_EQ(groups, 40);
  write_file(folder / "x.h5", bytes);
  // Another sentence would be that of a process that ran out of time.
  EXPECT_THROWS_WITH(read_hdf5(folder / "x.h5", {"/x"}), InputError, "found no dataset");
}

}  // namespace
}  // namespace projfgd
