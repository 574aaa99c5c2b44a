#include "projfgd/core/archive.hpp"

#include <cstring>

#include "projfgd/core/error.hpp"

namespace projfgd {

void Archive::bytes(void* data, std::size_t count) {
  if (!reads()) {
    put_({static_cast<const char*>(data), count});
    return;
  }
  if (count > left_.size()) refuse();
  if (count > 0) std::memcpy(data, left_.data(), count);
  left_.remove_prefix(count);
}

Index Archive::count(Index now, std::size_t size) {
  bytes(&now, sizeof now);
  if (!reads()) return now;
  if (now < 0 || (size > 0 && static_cast<std::size_t>(now) > left_.size() / size)) refuse();
  return now;
}

void Archive::refuse() const {
  throw InputError(name_ +
                   ": found a checkpoint that does not match this run, expected its own; without "
                   "--resume it starts from the beginning");
}

}  // namespace projfgd
