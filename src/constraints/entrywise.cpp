#include "projfgd/constraints/entrywise.hpp"

#include <fmt/format.h>

#include "projfgd/core/error.hpp"

namespace projfgd {

void Support::require_rows(Index rows) const {
  if (rows != static_cast<Index>(inside_.size())) {
    throw InputError(fmt::format("support: found {} entries, expected {}, one a row of the factor",
                                 inside_.size(), rows));
  }
}

}  // namespace projfgd
