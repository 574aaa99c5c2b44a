#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Work space that is lent and comes back, for any number of threads at once: once as many buffers
/// are there as are needed at a time, nothing is allocated any more.
template <class T>
class BufferPool {
  struct Buffer {
    std::unique_ptr<T[]> data;
    std::size_t size = 0;
  };

 public:
  /// A buffer until the end of its scope; its numbers are left over from before.
  class Lent {
   public:
    Lent(BufferPool& pool, Index size)
        : pool_(pool), buffer_(pool.take(static_cast<std::size_t>(size))) {}
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { pool_.give_back(std::move(buffer_)); }
    T* get() const { return buffer_.data.get(); }

   private:
    BufferPool& pool_;
    Buffer buffer_;
  };

  Lent lend(Index size) { return Lent(*this, size); }

 private:
  Buffer take(std::size_t size) {
    Buffer buffer;
    {
      const std::lock_guard lock(mutex_);
      for (Buffer& idle : idle_) {
        if (idle.size < size) continue;
        buffer = std::exchange(idle, std::move(idle_.back()));
        idle_.pop_back();
        return buffer;
      }
      idle_.reserve(++made_);  // so that giving back never allocates
    }
    return {std::make_unique_for_overwrite<T[]>(size), size};
  }

  void give_back(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(buffer));
  }

  std::mutex mutex_;
  std::vector<Buffer> idle_;
  std::size_t made_ = 0;
};

}  // namespace projfgd
