#include "projfgd/io/npy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

using test::TemporaryFolder;

/// An NPY file with this header text and these data.
std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) {
    bytes += static_cast<char>(header.size() >> (8 * k));
  }
  return bytes + header + data;
}

std::string header(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string out;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    out.append(raw, sizeof(T));
  }
  return out;
}

Array parse(const std::string& bytes) { return parse_npy(bytes, "x.npy"); }

template <class T>
void expect_type(const std::string& type) {
  for (int version = 1; version <= 3; ++version) {
    const Array array = parse(npy(header(type, "(3,)"), bytes_of<T>({1, 0, 1}), version));
    EXPECT_EQ(array.values, (std::vector<double>{1, 0, 1})) << type;
    EXPECT_EQ(array.shape, std::vector<Index>{3});
    EXPECT_FALSE(array.complex);
  }
}

/// Calls check.operator()<T>(type) for each type of real numbers of more than one byte, whose bytes
/// are in the order '<' or '>'.
template <class Check>
void for_each_type(char order, const Check& check) {
  const auto type = [order](const char* kind) { return order + std::string(kind); };
  check.template operator()<std::int16_t>(type("i2"));
  check.template operator()<std::uint16_t>(type("u2"));
  check.template operator()<std::int32_t>(type("i4"));
  check.template operator()<std::uint32_t>(type("u4"));
  check.template operator()<std::int64_t>(type("i8"));
  check.template operator()<std::uint64_t>(type("u8"));
  check.template operator()<float>(type("f4"));
  check.template operator()<double>(type("f8"));
}

TEST(Npy, ReadsEveryTypeAndVersion) {
  expect_type<std::uint8_t>("|b1");
  expect_type<std::int8_t>("|i1");
  expect_type<std::uint8_t>("|u1");
  for_each_type('<', []<class T>(const std::string& type) { expect_type<T>(type); });
  EXPECT_EQ(parse(npy(header("<i2", "(1,)"), bytes_of<std::int16_t>({-5}))).values[0], -5);
  const Array complex = parse(npy(header("<c8", "(1,)"), bytes_of<float>({1.5F, -2})));
  EXPECT_TRUE(complex.complex);
  EXPECT_EQ(complex.values, (std::vector<double>{1.5, -2}));
}

/// The bytes of numbers from the most significant on.
template <class T>
std::string big_endian(std::initializer_list<T> values) {
  std::string out;
  for (const T value : values) {
    std::string one = bytes_of<T>({value});
    std::reverse(one.begin(), one.end());
    out += one;
  }
  return out;
}

template <class T>
void expect_big_endian(const std::string& type) {
  EXPECT_EQ(parse(npy(header(type, "(3,)"), big_endian<T>({1, 0, 100}))).values,
            (std::vector<double>{1, 0, 100}))
      << type;
}

TEST(Npy, ReadsBigEndianNumbers) {
  expect_big_endian<std::int8_t>(">i1");
  for_each_type('>', []<class T>(const std::string& type) { expect_big_endian<T>(type); });
  for (const bool single : {true, false}) {
    const Array complex =
        parse(single ? npy(header(">c8", "(1,)"), big_endian<float>({1.5F, -2}))
                     : npy(header(">c16", "(1,)"), big_endian<double>({1.5, -2})));
    EXPECT_TRUE(complex.complex);
    EXPECT_EQ(complex.values, (std::vector<double>{1.5, -2}));
  }
}

TEST(Npy, ReadsHalfPrecision) {
  // One, minus two, the largest, the least normal and the least subnormal number, zero, infinity.
  const std::initializer_list<std::uint16_t> bits = {0x3C00, 0xC000, 0x7BFF, 0x0400,
                                                     0x0001, 0x0000, 0xFC00};
  const std::vector<double> expected = {1, -2,       65504, std::ldexp(1, -14), std::ldexp(1, -24),
                                        0, -INFINITY};
  EXPECT_EQ(parse(npy(header("<f2", "(7,)"), bytes_of(bits))).values, expected);
  EXPECT_EQ(parse(npy(header(">f2", "(7,)"), big_endian(bits))).values, expected);
  const Array none = parse(npy(header("<f2", "(1,)"), bytes_of<std::uint16_t>({0x7E00})));
  EXPECT_TRUE(std::isnan(none.values[0]));
  EXPECT_THROW(require_finite(none, "x.npy"), InputError);
}

TEST(Npy, FortranOrderIsTurnedIntoRows) {
  // The array with entry 100 i + 10 j + k, first index fastest.
  std::string data;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) data += bytes_of<double>({100.0 * i + 10 * j + k});
    }
  }
  const Array array = parse(npy(header("<f8", "(2, 3, 4)", true), data));
  std::size_t at = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) EXPECT_EQ(array.values[at++], 100 * i + 10 * j + k);
    }
  }
}

TEST(Npy, ScalarsAndEmptyArrays) {
  EXPECT_EQ(parse(npy(header("<f8", "()"), bytes_of<double>({7}))).values[0], 7);
  EXPECT_EQ(parse(npy(header("<f8", "(0, 5)"), "")).size(), 0);
  EXPECT_EQ(parse(npy(header("<f8", "(4611686018427387904, 4, 0)"), "")).size(), 0);
}

TEST(Npy, HostileHeadersAreRefused) {
  const std::string eight(8, '\0');
  EXPECT_THROW(parse(""), InputError);
  EXPECT_THROW(parse("\x93NUMPY"), InputError);
  for (const char* shape : {"(18446744073709551616,)", "(4294967296, 4294967296)", "(-1,)", "(2,)",
                            "(0,)", "(9223372036854775807,)", "(1", "1", "(1.0,)", "(a,)"}) {
    EXPECT_THROW(parse(npy(header("<f8", shape), eight)), InputError) << shape;
  }
  std::string deep = "(";
  for (int k = 0; k < 33; ++k) deep += "1,";
  EXPECT_THROW(parse(npy(header("<f8", deep + ")"), eight)), InputError);
  for (const char* type : {"|O", ">f16", "<f16", "<U2", "f8", "", "<", "|f8", "<c32"}) {
    EXPECT_THROW(parse(npy(header(type, "(1,)"), eight)), InputError) << type;
  }
  EXPECT_THROWS_WITH(parse(npy(header(">U2", "(1,)"), eight)), InputError,
                     "x.npy: found the type \">U2\", expected a boolean, an integer, float16");
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f8'}", "{'descr': [('a', '<f8')], 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x"}) {
    EXPECT_THROW(parse(npy(text, eight)), InputError) << text;
  }
  std::string huge("\x93NUMPY\x02\x00\xF0\xFF\xFF\xFF", 12);
  EXPECT_THROWS_WITH(parse(huge + "{}"), InputError, "4294967280");
  EXPECT_THROW(parse(npy(header("<f8", "(1,)"), eight, 4)), InputError);
}

TEST(Npy, CutAnywhereIsRefused) {
  const std::string whole = npy(header("<f8", "(2, 2)"), bytes_of<double>({1, 2, 3, 4}));
  EXPECT_NO_THROW(parse(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(parse(whole.substr(0, length)), InputError) << length;
  }
  EXPECT_THROW(parse(whole + "x"), InputError);
}

TEST(Npy, NotFiniteIsNamedByPosition) {
  Array array{{2, 3}, false, std::vector<double>(6, 1.0)};
  EXPECT_NO_THROW(require_finite(array, "x.npy"));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           -std::numeric_limits<double>::infinity(), 1e308, -1e101}) {
    array.values[5] = bad;
    EXPECT_THROWS_WITH(require_finite(array, "x.npy"), InputError, "[1, 2]");
  }
  Array complex{{2}, true, {0, 0, 0, NAN}};
  EXPECT_THROWS_WITH(require_finite(complex, "x.npy"), InputError, "[1]");
}

template <class S>
void expect_round_trip() {
  const TemporaryFolder folder;
  const Matrix<S> u = test::random_factor<S>(5, 3, 11);
  write_npy(folder / "u.npy", to_array(u));
  EXPECT_EQ(to_matrix<S>(read_npy(folder / "u.npy"), "u.npy"), u);
}

TEST(Npy, WrittenMatricesComeBackExactly) {
  expect_round_trip<float>();
  expect_round_trip<double>();
  expect_round_trip<std::complex<float>>();
  expect_round_trip<std::complex<double>>();
}

TEST(Npy, DataStartAtAMultipleOf64) {
  const TemporaryFolder folder;
  for (Index n = 1; n < 300; n += 7) {
    write_npy(folder / "u.npy",
              Array{{n}, false, std::vector<double>(static_cast<std::size_t>(n))});
    EXPECT_EQ((read_file(folder / "u.npy").size() - 8 * static_cast<std::size_t>(n)) % 64, 0U);
  }
}

TEST(Npy, ShapesThatDoNotFitAreRefused) {
  EXPECT_THROW(to_matrix<double>(Array{{2}, true, {1, 2, 3, 4}}, "x"), InputError);
  EXPECT_THROW(to_matrix<double>(Array{{1, 1, 1}, false, {1}}, "x"), InputError);
  EXPECT_THROW(to_vector<double>(Array{{1}, true, {1, 2}}, "x"), InputError);
  EXPECT_THROWS_WITH(require_shape(Array{{2, 3}, false, {}}, {3, 2}, "x"), InputError,
                     "found shape 2 x 3, expected 3 x 2");
  EXPECT_EQ(to_matrix<double>(Array{{2}, false, {1, 2}}, "x").cols(), 1);
}

}  // namespace
}  // namespace projfgd
