// What the device could do were nothing but multiply-adds to be done.
#include "device/fma_loop.hpp"
#include "device/launch.hpp"
#include "projfgd/device/memory.hpp"

namespace projfgd::device {
namespace {

constexpr int chains = 8;                         // of a thread: more than the latency of one
constexpr Index threads_in_all = Index{1} << 18;  // more than any device holds at once

struct MultiplyAdd {
  Index rounds;
  double* sums;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    double sum[chains];
    for (int k = 0; k < chains; ++k) sum[k] = double(i + k);
    for (Index round = 0; round < rounds; ++round) {
      PROJFGD_UNROLL
      for (int k = 0; k < chains; ++k) sum[k] = sum[k] * 0.5 + 1;
    }
    double all = 0;
    for (int k = 0; k < chains; ++k) all += sum[k];
    sums[i] = all;
  }
};

}  // namespace

double multiply_add(Index rounds) {
  Array<double> sums;
  sums.resize(threads_in_all);
  for_each(threads_in_all, MultiplyAdd{rounds, sums.data()});
  wait();
  return 2.0 * chains * double(rounds) * double(threads_in_all);
}

}  // namespace projfgd::device
