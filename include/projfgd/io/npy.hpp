// NumPy's .npy format, versions 1 to 3.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// An array of any shape in row-major order. Complex entries are (real, imaginary) pairs.
struct Array {
  std::vector<Index> shape;
  bool complex = false;
  std::vector<double> values;  ///< product(shape) numbers, twice as many when complex

  Index size() const;  ///< product(shape)
  std::complex<double> entry(std::size_t k) const {
    return complex ? std::complex(values[2 * k], values[2 * k + 1]) : std::complex(values[k], 0.0);
  }
};

/// Reads booleans, integers, floats of 16 to 64 bits and complex numbers, in either byte order, C
/// or Fortran order; checks the header against the bytes that are there before it allocates. Throws
/// InputError, FileError.
Array read_npy(const std::filesystem::path& path);

/// The same from the bytes of a file; `path` is what errors name. The numbers may be elsewhere than
/// the header, in `numbers`.
Array parse_npy(std::string_view bytes, const std::filesystem::path& path,
                std::string_view numbers = {});

/// Throws InputError naming the first entry that is infinite, not a number, or beyond 1e100, with
/// the hint behind it.
void require_finite(const Array& array, const std::filesystem::path& path,
                    std::string_view hint = "");

/// Throws InputError unless the array has exactly this shape.
void require_shape(const Array& array, const std::vector<Index>& shape,
                   const std::filesystem::path& path);

/// Where values[k] stands, as in NumPy: "[0, 2]".
std::string position(const Array& array, std::size_t k);

/// "3 x 4", as people write it.
std::string shape_text(const std::vector<Index>& shape);

/// The bytes of a file of float64 or complex128, and of one of uint8, in row-major order.
std::string npy_bytes(const Array& array);
std::string npy_bytes(const std::vector<Index>& shape, const std::vector<std::uint8_t>& values);

/// Writes float64 or complex128 in row-major order, atomically. Throws FileError.
void write_npy(const std::filesystem::path& path, const Array& array);

/// The same for a matrix that is never whole in memory: fill(first, block) puts the rows from
/// `first` on into the columns of the block.
void write_npy(const std::filesystem::path& path, Index rows, Index columns,
               const std::function<void(Index first, Matrix<std::complex<double>>& block)>& fill);

/// A two-dimensional array (or one-dimensional, as one column) as a matrix. Throws InputError
/// naming `path` when the shape is another or a complex array is asked for as a real matrix.
template <class S>
Matrix<S> to_matrix(const Array& array, const std::filesystem::path& path);

/// The same as one column of real numbers, whatever the shape.
template <class R>
Vector<R> to_vector(const Array& array, const std::filesystem::path& path);

template <class S>
Array to_array(const Matrix<S>& matrix);

}  // namespace projfgd
