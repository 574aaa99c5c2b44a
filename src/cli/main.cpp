#include <fmt/format.h>

#include "projfgd/core/version.hpp"

int main() { fmt::print("projfgd {}\n", projfgd::version()); }
