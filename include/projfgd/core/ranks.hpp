// The processes that share one run, on one machine or several.
//
// Every rank goes through the whole program with the same settings; what is worth sharing is split
// (operators/split.hpp), and every number that a decision hangs on has the same bits on all ranks.
// All ranks call the functions below equally often and in the same order.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Thrown where another rank has failed and tells the user why.
class OtherRankFailed : public std::runtime_error {
 public:
  OtherRankFailed() : std::runtime_error("another process of the run failed") {}
};

class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  virtual int size() const = 0;
  virtual int rank() const = 0;
  bool is_root() const { return rank() == 0; }
  bool is_alone() const { return size() == 1; }

  /// Replaces each number by its sum over the ranks, added up in their order: the same bits on all
  /// ranks, and in every run with so many of them.
  virtual void sum(float* numbers, Index count) const = 0;
  virtual void sum(double* numbers, Index count) const = 0;
  double sum(double number) const {
    sum(&number, 1);
    return number;
  }
  template <class R>
  void sum(std::complex<R>* numbers, Index count) const {
    sum(reinterpret_cast<R*>(numbers), 2 * count);
  }
  template <class S>
  void sum(Matrix<S>& u) const {
    sum(u.data(), u.size());
  }

  /// Gives the bytes of rank 0 to all others.
  virtual void broadcast(void* bytes, std::size_t count) const = 0;
  void broadcast(std::string& text) const {
    std::size_t length = text.size();
    broadcast(&length, sizeof length);
    text.resize(length);
    broadcast(text.data(), length);
  }

  /// all = what the ranks have, one after the other; counts[k] bytes are from rank k.
  virtual void gather(const void* mine, const std::vector<std::size_t>& counts,
                      void* all) const = 0;

  /// Whether it is so on all ranks, or on any.
  bool all(bool here) const { return is_alone() ? here : sum(here ? 0.0 : 1.0) == 0; }
  bool any(bool here) const { return !all(!here); }

  /// all() for Options::agree, where there is something to agree on.
  const std::function<bool(bool)>* agreement() const { return is_alone() ? nullptr : &agree_; }

  /// What rank 0 alone does. Where it throws there, the others throw OtherRankFailed.
  template <class Body>
  void at_root(const Body& body) const {
    if (is_alone()) return body();
    bool done = false;
    if (is_root()) {
      try {
        body();
      } catch (...) {
        broadcast(&done, sizeof done);
        throw;
      }
      done = true;
    }
    broadcast(&done, sizeof done);
    if (!done) throw OtherRankFailed();
  }

  /// The cores that this rank has for itself, 0 where nothing but the system says so.
  virtual int cores() const { return 0; }
  /// How many ranks of lower number are on the same machine.
  virtual int before_on_machine() const { return 0; }

 private:
  std::function<bool(bool)> agree_ = [this](bool here) { return all(here); };
};

/// One process, which shares nothing.
class Alone final : public Ranks {
 public:
  using Ranks::broadcast;
  using Ranks::sum;
  int size() const override { return 1; }
  int rank() const override { return 0; }
  void sum(float*, Index) const override {}
  void sum(double*, Index) const override {}
  void broadcast(void*, std::size_t) const override {}
  void gather(const void* mine, const std::vector<std::size_t>& counts, void* all) const override;
};

/// The ranks of a program that runs as one process.
const Ranks& alone();

}  // namespace projfgd
