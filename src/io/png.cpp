#include "projfgd/io/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"

namespace projfgd {
namespace {

constexpr Index largest_side = 1 << 16;
// No deflate stream grows by more than this, so a header that promises more is a lie.
constexpr double largest_growth = 1032;

struct Source {
  std::string_view bytes;
  std::size_t at = 0;
};

void read_bytes(png_structp png, png_bytep out, png_size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (source->bytes.size() - source->at < count) png_error(png, "the file ends too early");
  std::memcpy(out, source->bytes.data() + source->at, count);
  source->at += count;
}

void append_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))
      ->append(reinterpret_cast<const char*>(bytes), count);
}

void flush_nothing(png_structp) {}

/// Keeps the message and leaves by longjmp, as libpng wants it.
void keep_message(png_structp png, png_const_charp message) {
  auto* text = static_cast<std::string*>(png_get_error_ptr(png));
  if (text->empty()) *text = message;
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

struct Reader {
  explicit Reader(std::string& message)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, keep_message, ignore_warning)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {
    if (info == nullptr) throw ResourceError("no memory left to read an image");
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  png_structp png;
  png_infop info;
};

struct Writer {
  explicit Writer(std::string& message)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, keep_message, ignore_warning)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {
    if (info == nullptr) throw ResourceError("no memory left to write an image");
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { png_destroy_write_struct(&png, &info); }
  png_structp png;
  png_infop info;
};

// The four functions below hold no object with a destructor between setjmp and a longjmp.

bool read_header(Reader& reader, Source& source) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_read_fn(reader.png, &source, read_bytes);
  png_set_user_limits(reader.png, largest_side, largest_side);
  png_set_chunk_malloc_max(reader.png, 1 << 24);
  png_read_info(reader.png, reader.info);
  return true;
}

bool read_rows(Reader& reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);
  return true;
}

bool expand(Reader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_expand(reader.png);  // palettes to colour, 1, 2 and 4 bits to 8
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool write_rows(Writer& writer, std::string& out, const Image& image, int bits, png_bytepp rows) {
  if (setjmp(png_jmpbuf(writer.png)) != 0) return false;
  png_set_write_fn(writer.png, &out, append_bytes, flush_nothing);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), bits,
               image.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  // The highest speed: a fifth of the time of the default for files that are a tenth larger.
  png_set_compression_level(writer.png, 1);
  png_write_info(writer.png, writer.info);
  png_write_image(writer.png, rows);
  png_write_end(writer.png, nullptr);
  return true;
}

/// Whether height and width are there, which libpng refuses without saying why.
bool has_header(std::string_view bytes) {
  constexpr std::size_t end = 24;
  return bytes.size() >= end && bytes.substr(12, 4) == "IHDR";
}

InputError unreadable(const std::filesystem::path& path, const std::string& why) {
  return InputError(
      fmt::format("{}: found a PNG image that cannot be read: {}", path.string(), why));
}

/// Before libpng sees the file: that it promises an image of a size that can be.
void require_promised_size(std::string_view bytes, const std::filesystem::path& path,
                           Index most_pixels) {
  if (!has_header(bytes)) return;
  const auto [height, width] = png_size(bytes);
  if (std::min(height, width) < 1 || std::max(height, width) > largest_side) {
    throw InputError(
        fmt::format("{}: found an image of {} x {} pixels, expected 1 to {} in each direction",
                    path.string(), height, width, largest_side));
  }
  if (height * width > most_pixels) {
    throw InputError(fmt::format("{}: found an image of {} x {} pixels, expected at most {} in all",
                                 path.string(), height, width, most_pixels));
  }
}

void refuse_transparency(const Reader& reader, const std::filesystem::path& path) {
  const bool transparent = (png_get_color_type(reader.png, reader.info) & PNG_COLOR_MASK_ALPHA) ||
                           png_get_valid(reader.png, reader.info, PNG_INFO_tRNS);
  if (!transparent) return;
  throw InputError(fmt::format(
      "{}: found an alpha channel, expected a grey or colour image without one", path.string()));
}

/// That the bytes of the file can be so many pixels, however well they are packed.
void require_bytes(const Reader& reader, const Image& image, std::size_t bytes,
                   const std::filesystem::path& path) {
  const auto row_bytes = static_cast<double>(png_get_rowbytes(reader.png, reader.info));
  if (row_bytes * static_cast<double>(image.height) <=
      largest_growth * static_cast<double>(bytes)) {
    return;
  }
  throw unreadable(
      path, fmt::format("{} x {} pixels cannot be in {} bytes", image.height, image.width, bytes));
}

std::vector<png_bytep> rows_in(std::vector<unsigned char>& pixels, std::size_t row_bytes,
                               const Image& image) {
  std::vector<png_bytep> rows(static_cast<std::size_t>(image.height));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = pixels.data() + i * row_bytes;
  return rows;
}

/// Samples as numbers from 0 to 1.
std::vector<double> levels_of(const std::vector<png_bytep>& rows, std::size_t per_row, bool wide) {
  std::vector<double> values(per_row * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < per_row; ++k) {
      const unsigned char* p = rows[i] + (wide ? 2 * k : k);
      values[i * per_row + k] = wide ? (256 * p[0] + p[1]) / 65535.0 : p[0] / 255.0;
    }
  }
  return values;
}

}  // namespace

std::pair<Index, Index> png_size(std::string_view bytes) {
  constexpr std::size_t width_at = 16, height_at = 20;
  if (!has_header(bytes)) return {0, 0};
  const auto number = [&](std::size_t at) {
    Index value = 0;
    for (std::size_t k = at; k < at + 4; ++k) {
      value = 256 * value + static_cast<unsigned char>(bytes[k]);
    }
    return value;
  };
  return {number(height_at), number(width_at)};
}

Image parse_png(std::string_view bytes, const std::filesystem::path& path, Index most_pixels) {
  require_promised_size(bytes, path, most_pixels);
  std::string message;
  Reader reader(message);
  Source source{bytes};
  if (!read_header(reader, source)) throw unreadable(path, message);
  refuse_transparency(reader, path);
  Image image;
  image.height = png_get_image_height(reader.png, reader.info);
  image.width = png_get_image_width(reader.png, reader.info);
  require_bytes(reader, image, bytes.size(), path);
  if (!expand(reader)) throw unreadable(path, message);
  image.channels = png_get_channels(reader.png, reader.info);
  const std::size_t row_bytes = png_get_rowbytes(reader.png, reader.info);
  require_memory(
      static_cast<double>(image.height) * static_cast<double>(row_bytes * (1 + sizeof(double))),
      path.string());
  std::vector<unsigned char> pixels(row_bytes * static_cast<std::size_t>(image.height));
  std::vector<png_bytep> rows = rows_in(pixels, row_bytes, image);
  if (!read_rows(reader, rows.data())) throw unreadable(path, message);
  const bool wide = png_get_bit_depth(reader.png, reader.info) == 16;
  image.values = levels_of(rows, static_cast<std::size_t>(image.width * image.channels), wide);
  return image;
}

std::string png_bytes(const Image& image, int bits) {
  const double top = bits == 16 ? 65535 : 255;
  const auto per_row = static_cast<std::size_t>(image.width * image.channels);
  const std::size_t row_bytes = per_row * static_cast<std::size_t>(bits / 8);
  std::vector<unsigned char> pixels(row_bytes * static_cast<std::size_t>(image.height));
  for (std::size_t k = 0; k < image.values.size(); ++k) {
    const double value = image.values[k];
    const auto level =
        static_cast<unsigned>(value > 0 ? std::lround(std::min(value, 1.0) * top) : 0);
    if (bits == 16) {
      pixels[2 * k] = static_cast<unsigned char>(level >> 8);
      pixels[2 * k + 1] = static_cast<unsigned char>(level & 255);
    } else {
      pixels[k] = static_cast<unsigned char>(level);
    }
  }
  std::vector<png_bytep> rows = rows_in(pixels, row_bytes, image);
  std::string message, out;
  Writer writer(message);
  if (!write_rows(writer, out, image, bits, rows.data())) {
    throw ResourceError("cannot make a PNG image: " + message);
  }
  return out;
}

}  // namespace projfgd
