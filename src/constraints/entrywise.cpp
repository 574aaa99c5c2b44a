#include "projfgd/constraints/entrywise.hpp"

#include <fmt/format.h>

#include "projfgd/core/error.hpp"

namespace projfgd {

template <class S>
void keep_rows(const std::vector<bool>& inside, Matrix<S>& u) {
  if (u.rows() != static_cast<Index>(inside.size())) {
    throw InputError(fmt::format("support: found {} entries, expected {}, one a row of the factor",
                                 inside.size(), u.rows()));
  }
  for (Index i = 0; i < u.rows(); ++i) {
    if (!inside[static_cast<std::size_t>(i)]) u.row(i).setZero();
  }
}

template void keep_rows(const std::vector<bool>&, Matrix<float>&);
template void keep_rows(const std::vector<bool>&, Matrix<double>&);
template void keep_rows(const std::vector<bool>&, Matrix<std::complex<float>>&);
template void keep_rows(const std::vector<bool>&, Matrix<std::complex<double>>&);

}  // namespace projfgd
