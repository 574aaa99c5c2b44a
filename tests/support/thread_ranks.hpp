// Ranks that are threads of this process, to test what is split over ranks without MPI.
#pragma once

#include <barrier>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "projfgd/core/ranks.hpp"

namespace projfgd::test {

/// Where the ranks meet: each leaves a pointer, waits, reads those of the others, and waits again.
struct Meeting {
  explicit Meeting(int ranks) : barrier(ranks), left(static_cast<std::size_t>(ranks)) {}
  std::barrier<> barrier;
  std::vector<const void*> left;
};

class ThreadRanks final : public Ranks {
 public:
  using Ranks::broadcast;
  using Ranks::sum;

  ThreadRanks(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int size() const override { return static_cast<int>(meeting_.left.size()); }
  int rank() const override { return rank_; }
  void sum(float* numbers, Index count) const override { add_up(numbers, count); }
  void sum(double* numbers, Index count) const override { add_up(numbers, count); }
  void broadcast(void* bytes, std::size_t count) const override {
    meet(bytes, [&](const std::vector<const void*>& left) {
      if (rank_ != 0 && count > 0) std::memcpy(bytes, left[0], count);
    });
  }
  void gather(const void* mine, const std::vector<std::size_t>& counts, void* all) const override {
    meet(mine, [&](const std::vector<const void*>& left) {
      auto* to = static_cast<std::uint8_t*>(all);
      for (std::size_t k = 0; k < counts.size(); to += counts[k++]) {
        if (counts[k] > 0) std::memcpy(to, left[k], counts[k]);
      }
    });
  }

 private:
  template <class Use>
  void meet(const void* mine, const Use& use) const {
    meeting_.left[static_cast<std::size_t>(rank_)] = mine;
    meeting_.barrier.arrive_and_wait();
    use(meeting_.left);
    meeting_.barrier.arrive_and_wait();
  }
  template <class R>
  void add_up(R* numbers, Index count) const {
    std::vector<R> sums(static_cast<std::size_t>(count), R(0));
    meet(numbers, [&](const std::vector<const void*>& left) {
      for (const void* of_rank : left) {
        for (Index i = 0; i < count; ++i) {
          sums[static_cast<std::size_t>(i)] += static_cast<const R*>(of_rank)[i];
        }
      }
    });
    std::copy(sums.begin(), sums.end(), numbers);
  }

  Meeting& meeting_;
  int rank_;
};

/// Runs body(ranks) once for each of `count` ranks, at the same time.
template <class Body>
void on_ranks(int count, const Body& body) {
  Meeting meeting(count);
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k) {
    threads.emplace_back([&, k] { body(ThreadRanks(meeting, k)); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace projfgd::test
