#include "mpi/mpi_ranks.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace projfgd {
namespace {

/// Up to so many numbers a rank are given to all, and each adds them up: one exchange instead of
/// two, in which the time that a message takes counts and not its size.
constexpr Index few_numbers = 512;

/// The most bytes that one call of MPI takes, whose counts are ints.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

template <class R>
MPI_Datatype type_of();
template <>
MPI_Datatype type_of<float>() {
  return MPI_FLOAT;
}
template <>
MPI_Datatype type_of<double>() {
  return MPI_DOUBLE;
}

/// Adds up the numbers of `ranks` ranks, which are one after the other in `all`, in their order.
template <class R>
void add_in_order(const R* all, Index count, int ranks, R* sum) {
  std::copy_n(all, count, sum);
  for (int k = 1; k < ranks; ++k) {
    const R* from = all + k * count;
    for (Index i = 0; i < count; ++i) sum[i] += from[i];
  }
}

/// Room for `count` numbers in what was taken for doubles.
template <class R>
R* room(std::vector<double>& numbers, Index count) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(R);
  numbers.resize(std::max(numbers.size(), (bytes + sizeof(double) - 1) / sizeof(double)));
  return reinterpret_cast<R*>(numbers.data());
}

}  // namespace

MpiRanks::MpiRanks(int& argc, char**& argv) {
  // A rank that waits leaves its core to others: where there are more ranks than cores it would
  // keep the core from those that it waits for, and elsewhere nobody takes it.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  if (size_ > 1) look_around();
}

/// Finds this rank's place on its machine, and the cores that it may run on, shared evenly with the
/// ranks of the machine that have the same.
void MpiRanks::look_around() {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
  int count = 1;
  MPI_Comm_size(here, &count);
  MPI_Comm_rank(here, &before_on_machine_);
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(count));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, here);
  MPI_Comm_free(&here);
  const auto sharing =
      std::ranges::count_if(all, [&](const cpu_set_t& set) { return CPU_EQUAL(&set, &own) != 0; });
  cores_ = std::max(1, CPU_COUNT(&own) / static_cast<int>(sharing));
}

MpiRanks::~MpiRanks() { MPI_Finalize(); }

/// The sums do not depend on how MPI goes about it: rank k gets the k-th slice of every rank, adds
/// these up in the order of the ranks, and gives the result to all.
template <class R>
void MpiRanks::sum_slices(R* numbers, Index count) const {
  auto& [slices, own, counts, first, counts_of_mine, places] = exchange_;
  for (std::vector<int>* numbers_of_ranks : {&counts, &first, &counts_of_mine, &places}) {
    numbers_of_ranks->resize(static_cast<std::size_t>(size_));
  }
  const auto begin_of = [&](int k) { return static_cast<int>(count * k / size_); };
  const int mine = begin_of(rank_ + 1) - begin_of(rank_);
  for (int k = 0; k < size_; ++k) {
    const auto at = static_cast<std::size_t>(k);
    first[at] = begin_of(k);
    counts[at] = begin_of(k + 1) - begin_of(k);
    counts_of_mine[at] = mine;
    places[at] = k * mine;
  }
  R* const received = room<R>(slices, static_cast<Index>(mine) * size_);
  R* const added = room<R>(own, mine);
  MPI_Alltoallv(numbers, counts.data(), first.data(), type_of<R>(), received, counts_of_mine.data(),
                places.data(), type_of<R>(), MPI_COMM_WORLD);
  add_in_order(received, mine, size_, added);
  MPI_Allgatherv(added, mine, type_of<R>(), numbers, counts.data(), first.data(), type_of<R>(),
                 MPI_COMM_WORLD);
}

template <class R>
void MpiRanks::sum_over(R* numbers, Index count) const {
  if (size_ == 1 || count == 0) return;
  if (count <= few_numbers) {
    R* const all = room<R>(exchange_.slices, count * size_);
    MPI_Allgather(numbers, static_cast<int>(count), type_of<R>(), all, static_cast<int>(count),
                  type_of<R>(), MPI_COMM_WORLD);
    return add_in_order(all, count, size_, numbers);
  }
  constexpr Index at_once = static_cast<Index>(most_bytes / sizeof(R));
  for (Index done = 0; done < count; done += at_once) {
    sum_slices(numbers + done, std::min(at_once, count - done));
  }
}

void MpiRanks::sum(float* numbers, Index count) const { sum_over(numbers, count); }
void MpiRanks::sum(double* numbers, Index count) const { sum_over(numbers, count); }

void MpiRanks::broadcast(void* bytes, std::size_t count) const {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    const std::size_t now = std::min(count, most_bytes);
    MPI_Bcast(at, static_cast<int>(now), MPI_BYTE, 0, MPI_COMM_WORLD);
    at += now;
    count -= now;
  }
}

void MpiRanks::gather(const void* mine, const std::vector<std::size_t>& counts, void* all) const {
  std::size_t total = 0;
  for (const std::size_t count : counts) total += count;
  if (total <= most_bytes) {
    std::vector<int> bytes, first;
    for (const std::size_t count : counts) {
      first.push_back(first.empty() ? 0 : first.back() + bytes.back());
      bytes.push_back(static_cast<int>(count));
    }
    const int own = bytes[static_cast<std::size_t>(rank_)];
    MPI_Allgatherv(mine, own, MPI_BYTE, all, bytes.data(), first.data(), MPI_BYTE, MPI_COMM_WORLD);
    return;
  }
  auto* at = static_cast<char*>(all);
  for (int root = 0; root < size_; ++root) {
    std::size_t left = counts[static_cast<std::size_t>(root)];
    if (root == rank_ && left > 0) std::memcpy(at, mine, left);
    while (left > 0) {
      const std::size_t now = std::min(left, most_bytes);
      MPI_Bcast(at, static_cast<int>(now), MPI_BYTE, root, MPI_COMM_WORLD);
      at += now;
      left -= now;
    }
  }
}

int MpiRanks::end(int code, const std::string& complaint) const {
  // What the slowest of equal ranks may come later than a rank that has failed as all have.
  constexpr std::chrono::seconds patience{5};
  constexpr std::chrono::milliseconds look{2};
  struct Note {
    int code, speaks;
  };
  const Note own{code, complaint.empty() ? 0 : 1};
  std::vector<Note> notes(static_cast<std::size_t>(size_));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&own, 2, MPI_INT, notes.data(), 2, MPI_INT, MPI_COMM_WORLD, &request);
  const auto speak = [&] {
    std::fprintf(stderr, "projfgd: rank %d: %s\n", rank_, complaint.c_str());
  };
  const auto begin = std::chrono::steady_clock::now();
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) break;
    if (code != 0 && std::chrono::steady_clock::now() - begin > patience) {
      if (own.speaks != 0) speak();
      MPI_Abort(MPI_COMM_WORLD, code > 0 ? code : 1);
    }
    std::this_thread::sleep_for(look);
  }
  const auto first = std::ranges::find_if(notes, [](const Note& note) { return note.code > 0; });
  if (first == notes.end()) return 0;
  if (first->speaks != 0 && first - notes.begin() == rank_) speak();
  return first->code;
}

}  // namespace projfgd
