#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Work space that is lent and comes back, for any number of threads at once: once as many buffers
/// are there as are needed at a time, and large enough, nothing is allocated any more. A buffer
/// that became too small makes room for a larger one. A copy has buffers of its own.
template <class T>
class BufferPool {
  static_assert(std::is_trivially_destructible_v<T>);
  static constexpr std::align_val_t alignment{64};  // of the longest vectors

  /// Buffers begin at different places of their pages: where one is read and another written at
  /// equal places, the processor takes each load for one of what was just stored.
  static constexpr std::size_t places = 8, between_places = 576;

  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };
  struct Buffer {
    std::unique_ptr<std::byte, Free> memory;
    T* data = nullptr;
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
    T* get() const { return buffer_.data; }

   private:
    BufferPool& pool_;
    Buffer buffer_;
  };

  BufferPool() = default;
  BufferPool(const BufferPool&) : BufferPool() {}
  BufferPool& operator=(const BufferPool&) { return *this; }

  Lent lend(Index size) { return Lent(*this, size); }

 private:
  /// The smallest buffer that is large enough, or one in the place of the largest.
  Buffer take(std::size_t size) {
    Buffer buffer;
    std::size_t place = 0;
    {
      const std::lock_guard lock(mutex_);
      place = next_place_++ % places;
      if (idle_.empty()) {
        idle_.reserve(++made_);  // so that giving back never allocates
      } else {
        const auto too_small = [size](const Buffer& b) { return b.size < size; };
        const auto best = std::ranges::min_element(idle_, [&](const Buffer& a, const Buffer& b) {
          if (too_small(a) != too_small(b)) return too_small(b);
          return too_small(a) ? a.size > b.size : a.size < b.size;
        });
        std::swap(*best, idle_.back());
        buffer = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (buffer.size < size || buffer.data == nullptr) {
      buffer.memory.reset();
      const std::size_t offset = place * between_places, bytes = size * sizeof(T) + offset;
      buffer.memory.reset(static_cast<std::byte*>(::operator new(bytes, alignment)));
      buffer.data = reinterpret_cast<T*>(buffer.memory.get() + offset);
      buffer.size = size;
      std::uninitialized_default_construct_n(buffer.data, size);
    }
    return buffer;
  }

  void give_back(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(buffer));
  }

  std::mutex mutex_;
  std::vector<Buffer> idle_;
  std::size_t made_ = 0, next_place_ = 0;
};

}  // namespace projfgd
