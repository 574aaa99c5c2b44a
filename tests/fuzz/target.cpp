// The target of libFuzzer: PROJFGD_READER names the reader that gets the bytes. See scripts/fuzz.
#include <sys/time.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/readers.hpp"

namespace {

/// What an input may take of the processor; the clock on the wall would find busy machines.
constexpr itimerval most_time{.it_interval = {}, .it_value = {.tv_sec = 10, .tv_usec = 0}};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // An abort, unlike the end that this signal brings, leaves the input as a finding.
  std::signal(SIGPROF, [](int) { std::abort(); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const char* const reader = std::getenv("PROJFGD_READER");
  if (reader == nullptr) {
    std::fputs("set PROJFGD_READER to one of the folders in tests/fuzz/corpus\n", stderr);
    std::abort();
  }
  ::setitimer(ITIMER_PROF, &most_time, nullptr);
  projfgd::test::read_as(reader, {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
