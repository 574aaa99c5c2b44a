// Memory of a device, through the few functions in which one device differs from another. They are
// implemented twice: by the CUDA runtime, and by the host's memory where the same kernels run as
// plain loops (src/device/launch.hpp), which is how they are tested on machines without a GPU.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "projfgd/core/factor.hpp"

namespace projfgd::device {

/// Throws ResourceError where the device has no room.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
/// Copies wait until everything before them is done, and throw ResourceError for what failed there.
void copy_in(void* to, const void* from, std::size_t bytes);
void copy_out(void* to, const void* from, std::size_t bytes);
/// From one place of the device to another; does not wait.
void copy_within(void* to, const void* from, std::size_t bytes);

/// An array on the device. It grows when it has to and never shrinks, so that a loop over arrays of
/// the same sizes allocates nothing.
template <class T>
class Array {
 public:
  Array() = default;
  Array(const Array& other) { *this = other; }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(const Array& other) {
    if (this == &other) return *this;
    resize(other.size_);
    if (size_ > 0) copy_within(data_, other.data_, bytes());
    return *this;
  }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() { release(data_); }

  Index size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }

  /// What was there is lost when it grows.
  void resize(Index size) {
    if (size > capacity_) {
      release(std::exchange(data_, nullptr));
      capacity_ = 0;
      data_ = static_cast<T*>(allocate(sizeof(T) * static_cast<std::size_t>(size)));
      capacity_ = size;
    }
    size_ = size;
  }
  void from_host(const T* host, Index size) {
    resize(size);
    if (size > 0) copy_in(data_, host, bytes());
  }
  void to_host(T* host) const {
    if (size_ > 0) copy_out(host, data_, bytes());
  }

 private:
  std::size_t bytes() const { return sizeof(T) * static_cast<std::size_t>(size_); }
  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* data_ = nullptr;
  Index size_ = 0, capacity_ = 0;
};

}  // namespace projfgd::device
