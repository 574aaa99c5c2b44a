// PNG images, grey or colour, 8 or 16 bits.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// An image in row-major order, the channels of a pixel together. Values run from 0 to 1.
struct Image {
  Index height = 0, width = 0;
  Index channels = 1;  ///< 1 grey, 3 colour
  std::vector<double> values;
};

/// Height and width that a file promises, before anything of it is read; 0 where it has no header.
std::pair<Index, Index> png_size(std::string_view bytes);

/// Reads grey, colour and palette images of any depth, interlaced or not. An alpha channel is
/// refused: what it should become is not for a reader to decide. Memory is bounded by the size that
/// the file can really hold, and by the number of pixels that the caller has a use for: an image of
/// more is refused before it is read. Throws InputError naming `path`.
Image parse_png(std::string_view bytes, const std::filesystem::path& path,
                Index most_pixels = std::numeric_limits<Index>::max());

/// The bytes of a PNG file; values outside [0, 1] are clipped.
std::string png_bytes(const Image& image, int bits);

}  // namespace projfgd
