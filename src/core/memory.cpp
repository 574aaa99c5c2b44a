#include "projfgd/core/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "projfgd/core/error.hpp"

namespace projfgd {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// The first number after `key` in a file of the system, or unknown.
double system_number(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    double number = 0;
    if (key.empty()) return word == "max" ? unknown : std::stod(word);
    if (word == key && file >> number) return number;
  }
  return unknown;
}

}  // namespace

double available_memory() {
  const double free = 1024 * system_number("/proc/meminfo", "MemAvailable:");
  const double limit = system_number("/sys/fs/cgroup/memory.max", "");
  const double used = system_number("/sys/fs/cgroup/memory.current", "");
  const double group = limit == unknown || used == unknown ? unknown : std::max(limit - used, 0.0);
  const double least = std::min(free, group);
  if (least != unknown) return least;
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void require_memory(double bytes, std::string_view what) {
  const double available = available_memory();
  if (bytes <= available) return;
  constexpr double gib = 1024.0 * 1024 * 1024;
  throw ResourceError(
      fmt::format("{} would take {:.3g} GiB of memory, but only {:.3g} GiB are available", what,
                  bytes / gib, available / gib));
}

}  // namespace projfgd
