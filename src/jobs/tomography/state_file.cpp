// States in files: amplitudes, factors and density matrices.
#include <fmt/format.h>

#include <cmath>

#include "jobs/common/hermitian.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/jobs/tomography.hpp"

namespace projfgd {
namespace {

constexpr double trace_of_files = 1e-2;     // how far from 1 a trace may be
constexpr double size_of_factors = 0.5;     // how far from 1 the norm of a factor may be
constexpr double roughly_hermitian = 1e-3;  // what other programs round

/// A density matrix has trace 1, a factor the norm 1; a pure state has both and is its own factor.
bool is_square_factor(const StateFactor& m, bool hermitian) {
  const double trace = m.trace().real();
  const double off_density = std::abs(trace - 1), off_factor = std::abs(m.norm() - 1);
  if (!hermitian) return off_density > trace_of_files && off_factor <= size_of_factors;
  // -|psi><psi| may be a factor, but a pure state of the wrong sign is the likelier one.
  const bool negated = std::abs(trace + 1) <= rounding_of_files;
  return off_factor < off_density && off_factor <= rounding_of_files && !negated;
}

[[noreturn]] void refuse_square(const StateFactor& m, bool hermitian,
                                const std::filesystem::path& path) {
  const double trace = m.trace().real();
  if (hermitian && trace < 0) {
    throw InputError(
        fmt::format("{}: found a Hermitian matrix of trace {:.6g}, expected a density matrix of "
                    "trace 1",
                    path.string(), trace));
  }
  throw InputError(fmt::format(
      "{}: found a square matrix, {}, of trace {:.6g} and norm {:.6g}, expected a density matrix "
      "of trace 1 or a factor of norm 1",
      path.string(), hermitian ? "Hermitian" : "not Hermitian", trace, m.norm()));
}

}  // namespace

StateFactor to_state(const Array& array, Index n, const std::filesystem::path& path) {
  require_finite(array, path);
  const StateFactor m = to_matrix<std::complex<double>>(array, path);
  if (m.rows() != n || m.cols() < 1) {
    throw InputError(fmt::format("{}: found shape {}, expected a state of dimension {}",
                                 path.string(), shape_text(array.shape), n));
  }
  if (!(m.norm() > 0)) {
    throw InputError(fmt::format("{}: found only zeros, expected a state", path.string()));
  }
  if (m.rows() != m.cols()) return normalised(m);
  const bool hermitian = is_hermitian(m, roughly_hermitian);
  if (is_square_factor(m, hermitian)) return normalised(m);
  const bool density = std::abs(m.trace().real() - 1) <= trace_of_files;
  if (hermitian && density) return normalised(factor_of(m, path));
  refuse_square(m, hermitian, path);
}

}  // namespace projfgd
