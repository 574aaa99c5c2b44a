#include "projfgd/io/png.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "projfgd/core/error.hpp"

namespace projfgd {
namespace {

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string chunk(const std::string& name, const std::string& data) {
  const std::string body = name + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

/// A file with this header and pixel stream.
std::string file(std::uint32_t width, std::uint32_t height, char bits, char colour,
                 const std::string& pixels, const std::string& more = "") {
  uLongf size = compressBound(static_cast<uLong>(pixels.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(pixels.data()), static_cast<uLong>(pixels.size()));
  packed.resize(size);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR",
               big_endian(width) + big_endian(height) + std::string{bits, colour, 0, 0, 0}) +
         more + chunk("IDAT", packed) + chunk("IEND", "");
}

TEST(Png, GreyAndColourComeBackInBothDepths) {
  for (const Index channels : {1, 3}) {
    for (const int bits : {8, 16}) {
      Image image{5, 7, channels, {}};
      for (Index k = 0; k < 35 * channels; ++k) {
        image.values.push_back(static_cast<double>(k) / static_cast<double>(35 * channels - 1));
      }
      const Image back = parse_png(png_bytes(image, bits), "memory");
      ASSERT_EQ(back.height, 5);
      ASSERT_EQ(back.width, 7);
      ASSERT_EQ(back.channels, channels);
      for (std::size_t k = 0; k < image.values.size(); ++k) {
        EXPECT_NEAR(back.values[k], image.values[k], 0.5001 / (bits == 8 ? 255 : 65535));
      }
    }
  }
}

TEST(Png, AnImageOfMorePixelsThanAreOfUseIsRefusedUnread) {
  const std::string bytes = file(60'000, 60'000, 8, 0, "no pixels");
  EXPECT_EQ(png_size(bytes), std::pair(Index{60'000}, Index{60'000}));
  EXPECT_EQ(png_size(bytes.substr(0, 20)), std::pair(Index{0}, Index{0}));
  try {
    parse_png(bytes, "memory", 100);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "memory: found an image of 60000 x 60000 pixels, expected at most 100 in all");
  }
}

TEST(Png, ValuesOutsideAreClippedAndNotANumberIsBlack) {
  const Image image{1, 3, 1, {-0.5, 2, std::nan("")}};
  EXPECT_THAT(parse_png(png_bytes(image, 8), "memory").values, ::testing::ElementsAre(0, 1, 0));
}

TEST(Png, RefusesAlphaAndLies) {
  const auto refusal = [](const std::string& bytes) -> std::string {
    try {
      parse_png(bytes, "bad.png");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal(file(1, 1, 8, 4, std::string("\0\1\2", 3))), HasSubstr("alpha"));
  EXPECT_THAT(refusal(file(1, 1, 8, 6, std::string("\0\1\2\3\4", 5))), HasSubstr("alpha"));
  EXPECT_THAT(refusal(file(60000, 60000, 16, 2, "abc")), HasSubstr("cannot be in"));
  EXPECT_THAT(refusal(file(0, 4, 8, 0, "abc")), HasSubstr("bad.png"));
  EXPECT_THAT(refusal("\x89PNG\r\n\x1a\n"), HasSubstr("bad.png"));
  EXPECT_THAT(refusal(""), HasSubstr("bad.png"));
  EXPECT_THAT(refusal("not an image at all"), HasSubstr("bad.png"));
}

TEST(Png, AFileCutAnywhereBeforeItsPixelsEndIsRefused) {
  Image image{9, 9, 1, {}};
  for (int k = 0; k < 81; ++k) image.values.push_back(k * 31 % 81 / 80.0);
  const std::string whole = png_bytes(image, 8);
  for (std::size_t size = 0; size + 16 < whole.size(); ++size) {
    EXPECT_THROW(parse_png(std::string_view(whole).substr(0, size), "cut.png"), InputError) << size;
  }
}

// A palette of one bit is 24 times larger once it is expanded, and may be packed a thousandfold.
TEST(Png, LargeBlankPalettesOfOneBitAreRead) {
  constexpr std::uint32_t side = 8000;
  const Image image = parse_png(file(side, side, 1, 3, std::string(side * (1 + side / 8), '\0'),
                                     chunk("PLTE", std::string(6, '\0'))),
                                "m");
  EXPECT_EQ(image.height, side);
  EXPECT_EQ(image.channels, 3);
  EXPECT_TRUE(std::ranges::all_of(image.values, [](double value) { return value == 0; }));
}

}  // namespace
}  // namespace projfgd
