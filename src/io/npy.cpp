#include "projfgd/io/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "npy_elements.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/io/file_kind.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_dimensions = 32;  // NumPy's own limit
constexpr double most_entries = 0x1.0p53;

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<Index> shape;
};

/// Reads the Python dictionary of the header: exactly the keys descr, fortran_order and shape.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::filesystem::path& path)
      : rest_(text), path_(path) {}

  Header parse() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !std::exchange(descr, true)) {
        header.descr = string();
      } else if (key == "fortran_order" && !std::exchange(order, true)) {
        header.fortran_order = boolean();
      } else if (key == "shape" && !std::exchange(shape, true)) {
        header.shape = tuple();
      } else {
        fail(fmt::format("found the key {}, expected descr, fortran_order and shape, once each",
                         quote(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!descr || !order || !shape) {
      fail(fmt::format("found no {}, expected the keys descr, fortran_order and shape",
                       !descr   ? "descr"
                       : !order ? "fortran_order"
                                : "shape"));
    }
    skip_space();
    if (!rest_.empty()) fail_here("nothing after the dictionary");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: NPY header: {}", path_.string(), what));
  }
  [[noreturn]] void fail_here(std::string_view expected) const {
    fail(fmt::format("found {}, expected {}", rest_.empty() ? "its end" : quote(rest_), expected));
  }
  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
  }
  bool accept(char c) {
    skip_space();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_here(fmt::format("'{}'", c));
  }
  std::string string() {
    skip_space();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) {
      fail_here("a string (structured and object types are not supported)");
    }
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) fail_here("a string that ends");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail_here("True or False for fortran_order");
  }
  std::vector<Index> tuple() {
    std::vector<Index> shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      Index size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) fail_here("integers >= 0 for shape");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // written by Python 2
      shape.push_back(size);
      if (shape.size() > most_dimensions) {
        fail(fmt::format("found more than {0} dimensions, expected at most {0}", most_dimensions));
      }
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view rest_;
  const std::filesystem::path& path_;
};

/// Column-major to row-major order, for any number of dimensions; `parts` doubles an entry.
std::vector<double> row_major(const std::vector<double>& values, const std::vector<Index>& shape,
                              Index parts) {
  std::vector<double> out(values.size());
  std::vector<Index> at(shape.size(), 0);
  const Index entries = static_cast<Index>(values.size()) / parts;
  for (Index from = 0; from < entries; ++from) {
    Index to = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) to = to * shape[d] + at[d];
    std::copy_n(values.begin() + from * parts, parts, out.begin() + to * parts);
    for (std::size_t d = 0; d < shape.size() && ++at[d] == shape[d]; ++d) at[d] = 0;
  }
  return out;
}

/// A header of version 1, all that stands before the data.
std::string header_bytes(std::string_view type, const std::vector<Index>& shape) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   type, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t before = magic.size() + 4;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes(magic);
  bytes +=
      {'\1', '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  return bytes + header;
}

std::string file_bytes(std::string_view type, const std::vector<Index>& shape, const void* data,
                       std::size_t size) {
  std::string bytes = header_bytes(type, shape);
  bytes.append(static_cast<const char*>(data), size);
  return bytes;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw InputError(fmt::format("{}: {}", path.string(), what));
}

[[noreturn]] void fail_cut(std::string_view bytes, const char* wanted,
                           const std::filesystem::path& path) {
  fail(path, fmt::format("found {} bytes, expected {} of an NPY header (was the file truncated?)",
                         bytes.size(), wanted));
}

/// The text of the header of a file; what follows it are the numbers.
std::string_view header_text(std::string_view bytes, const std::filesystem::path& path) {
  if (!bytes.starts_with(magic)) {
    fail(path, fmt::format("found {}, expected an NPY file", describe_file(bytes)));
  }
  if (bytes.size() < magic.size() + 4) fail_cut(bytes, "the 10 bytes", path);
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(bytes[k]); };
  const int version = byte(6);
  if (version < 1 || version > 3) {
    fail(path, fmt::format("found NPY version {}, expected 1 to 3", version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4, start = 8 + length_bytes;
  if (bytes.size() < start) fail_cut(bytes, "the first 12 bytes", path);
  std::size_t length = 0;
  for (std::size_t k = length_bytes; k-- > 0;) length = length << 8 | byte(8 + k);
  if (length > bytes.size() - start) {
    fail(path,
         fmt::format("found an NPY header of {} bytes, expected at most the {} that follow (was "
                     "the file cut?)",
                     length, bytes.size() - start));
  }
  return bytes.substr(start, length);
}

/// That there are as many bytes as the header says, before anything is allocated.
void require_size(const Header& header, const NpyElements& type, std::size_t size,
                  const std::filesystem::path& path) {
  double entries = 1;
  for (const Index s : header.shape) entries *= static_cast<double>(s);
  const double expected = entries * static_cast<double>((type.complex ? 2 : 1) * type.part_size);
  if (entries < most_entries && expected == static_cast<double>(size)) return;
  fail(path, fmt::format("found {} bytes of data, expected {:.0f} for shape {} of type {}", size,
                         expected, shape_text(header.shape), type.name));
}

}  // namespace

Index Array::size() const {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;  // others may be huge
  Index product = 1;
  for (const Index s : shape) product *= s;
  return product;
}

Array read_npy(const std::filesystem::path& path) { return parse_npy(read_file(path), path); }

Array parse_npy(std::string_view bytes, const std::filesystem::path& path,
                std::string_view numbers) {
  const std::string_view text = header_text(bytes, path);
  Header header = HeaderParser(text, path).parse();
  const NpyElements type = npy_elements(header.descr, path);
  const auto after = static_cast<std::size_t>(text.data() + text.size() - bytes.data());
  const std::string_view rest = bytes.substr(after);
  const std::string_view data = rest.empty() ? numbers : rest;
  require_size(header, type, data.size(), path);

  Array array{std::move(header.shape), type.complex, {}};
  const std::size_t count = data.size() / type.part_size;
  require_memory(8.0 * static_cast<double>(count) * (header.fortran_order ? 2 : 1), path.string());
  array.values.resize(count);
  type.convert(data.data(), count, array.values.data());
  if (header.fortran_order && array.shape.size() > 1) {
    array.values = row_major(array.values, array.shape, type.complex ? 2 : 1);
  }
  return array;
}

void require_finite(const Array& array, const std::filesystem::path& path, std::string_view hint) {
  for (std::size_t k = 0; k < array.values.size(); ++k) {
    if (std::abs(array.values[k]) <= largest_magnitude) continue;
    throw InputError(fmt::format("{}: entry {} is {}, expected a finite number up to 1e100{}",
                                 path.string(), position(array, k), array.values[k], hint));
  }
}

std::string position(const Array& array, std::size_t k) {
  const std::vector<Index>& shape = array.shape;
  std::vector<Index> at(shape.size());
  auto entry = static_cast<Index>(array.complex ? k / 2 : k);
  for (std::size_t d = shape.size(); d-- > 0; entry /= shape[d]) at[d] = entry % shape[d];
  return fmt::format("[{}]", fmt::join(at, ", "));
}

std::string shape_text(const std::vector<Index>& shape) {
  return shape.empty() ? "()" : fmt::format("{}", fmt::join(shape, " x "));
}

void require_shape(const Array& array, const std::vector<Index>& shape,
                   const std::filesystem::path& path) {
  if (array.shape == shape) return;
  throw InputError(fmt::format("{}: found shape {}, expected {}", path.string(),
                               shape_text(array.shape), shape_text(shape)));
}

std::string npy_bytes(const Array& array) {
  return file_bytes(array.complex ? "<c16" : "<f8", array.shape, array.values.data(),
                    array.values.size() * sizeof(double));
}

std::string npy_bytes(const std::vector<Index>& shape, const std::vector<std::uint8_t>& values) {
  return file_bytes("|u1", shape, values.data(), values.size());
}

void write_npy(const std::filesystem::path& path, const Array& array) {
  write_file(path, npy_bytes(array));
}

void write_npy(const std::filesystem::path& path, Index rows, Index columns,
               const std::function<void(Index first, Matrix<std::complex<double>>& block)>& fill) {
  constexpr Index entries_per_block = Index{1} << 17;
  const Index height = std::max<Index>(1, entries_per_block / std::max<Index>(columns, 1));
  write_pieces(path, [&](const Put& put) {
    put(header_bytes("<c16", {rows, columns}));
    Matrix<std::complex<double>> block;
    for (Index first = 0; first < rows; first += height) {
      block.resize(columns, std::min(height, rows - first));
      fill(first, block);
      put({reinterpret_cast<const char*>(block.data()),
           static_cast<std::size_t>(block.size()) * sizeof(std::complex<double>)});
    }
  });
}

template <class S>
Matrix<S> to_matrix(const Array& array, const std::filesystem::path& path) {
  if (array.shape.empty() || array.shape.size() > 2) {
    throw InputError(fmt::format("{}: found shape {}, expected a matrix", path.string(),
                                 shape_text(array.shape)));
  }
  if (array.complex && !is_complex<S>) {
    throw InputError(fmt::format("{}: found complex numbers, expected real ones", path.string()));
  }
  const Index rows = array.shape[0], cols = array.shape.size() == 2 ? array.shape[1] : 1;
  Matrix<S> matrix(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const auto k = static_cast<std::size_t>(i * cols + j);
      using R = RealOf<S>;
      if constexpr (is_complex<S>) {
        matrix(i, j) = array.complex ? S(static_cast<R>(array.values[2 * k]),
                                         static_cast<R>(array.values[2 * k + 1]))
                                     : S(static_cast<R>(array.values[k]));
      } else {
        matrix(i, j) = static_cast<R>(array.values[k]);
      }
    }
  }
  return matrix;
}

template <class R>
Vector<R> to_vector(const Array& array, const std::filesystem::path& path) {
  if (array.complex) {
    throw InputError(fmt::format("{}: found complex numbers, expected real ones", path.string()));
  }
  return Eigen::Map<const Vector<double>>(array.values.data(), array.size()).cast<R>();
}

template <class S>
Array to_array(const Matrix<S>& matrix) {
  Array array{{matrix.rows(), matrix.cols()}, is_complex<S>, {}};
  array.values.reserve(static_cast<std::size_t>(matrix.size()) * (is_complex<S> ? 2 : 1));
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      array.values.push_back(static_cast<double>(std::real(matrix(i, j))));
      if constexpr (is_complex<S>) {
        array.values.push_back(static_cast<double>(std::imag(matrix(i, j))));
      }
    }
  }
  return array;
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                          \
  template Matrix<S> to_matrix<S>(const Array&, const std::filesystem::path&); \
  template Array to_array(const Matrix<S>&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)
template Vector<float> to_vector<float>(const Array&, const std::filesystem::path&);
template Vector<double> to_vector<double>(const Array&, const std::filesystem::path&);
#undef PROJFGD_INSTANTIATE_SCALAR

}  // namespace projfgd
