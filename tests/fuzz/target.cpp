// The target of libFuzzer: PROJFGD_READER names the reader that gets the bytes. See scripts/fuzz.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const char* const reader = std::getenv("PROJFGD_READER");
  if (reader == nullptr) {
    std::fputs("set PROJFGD_READER to one of the folders in tests/fuzz/corpus\n", stderr);
    std::abort();
  }
  projfgd::test::read_as(reader, {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
