// The ranks of an MPI job. The one part of the project that knows MPI, in a program of its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "projfgd/core/ranks.hpp"

namespace projfgd {

/// All processes of the job. One at a time, for as long as MPI is needed.
class MpiRanks final : public Ranks {
 public:
  using Ranks::broadcast;
  using Ranks::sum;

  /// Begins MPI.
  MpiRanks(int& argc, char**& argv);
  ~MpiRanks() override;

  int size() const override { return size_; }
  int rank() const override { return rank_; }
  void sum(float* numbers, Index count) const override;
  void sum(double* numbers, Index count) const override;
  void broadcast(void* bytes, std::size_t count) const override;
  void gather(const void* mine, const std::vector<std::size_t>& counts, void* all) const override;
  int cores() const override { return cores_; }
  int before_on_machine() const override { return before_on_machine_; }

  /// Waits for all ranks at the end of the program, where this one would return the code; the code
  /// of the lowest rank that has one other than 0. `complaint` is what a rank that does not speak
  /// would say; it does where rank 0 has nothing to say. A rank that has failed while others wait
  /// for it elsewhere ends them all.
  int end(int code, const std::string& complaint) const;

 private:
  /// What sums need beside their numbers, kept from one to the next.
  struct Exchange {
    std::vector<double> slices, own;
    std::vector<int> counts, first, counts_of_mine, places;
  };

  void look_around();

  template <class R>
  void sum_over(R* numbers, Index count) const;
  template <class R>
  void sum_slices(R* numbers, Index count) const;

  int size_ = 1, rank_ = 0, cores_ = 0, before_on_machine_ = 0;
  mutable Exchange exchange_;
};

}  // namespace projfgd
