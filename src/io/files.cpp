#include "projfgd/io/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* action, int error = errno) {
  throw FileError(fmt::format("{}: cannot {}: {}", path.string(), action,
                              std::generic_category().message(error)));
}

/// An open file that closes itself.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : value_(::open(path.c_str(), flags, 0666)) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool good() const { return value_ >= 0; }
  int get() const { return value_; }
  bool close() {
    const int old = std::exchange(value_, -1);
    return old < 0 || ::close(old) == 0;
  }

 private:
  int value_;
};

/// Writes every piece and brings them to the disk. Throws FileError naming `path`.
void write_all(Descriptor& file, const std::function<void(const Put&)>& produce,
               const fs::path& path) {
  produce([&](std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path, "write");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  });
  // EINVAL: a pipe or a terminal
  if (::fsync(file.get()) != 0 && errno != EINVAL) fail(path, "write");
  if (!file.close()) fail(path, "write");
}

}  // namespace

std::string read_file(const fs::path& path) {
  Descriptor file(path, O_RDONLY | O_CLOEXEC);
  if (!file.good()) fail(path, "open");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail(path, "read");
  std::string bytes;
  if (S_ISREG(info.st_mode)) {
    require_memory(static_cast<double>(info.st_size), path.string());
    bytes.reserve(static_cast<std::size_t>(info.st_size) + 1);
  }
  std::size_t used = 0;
  while (true) {
    if (used == bytes.size()) {
      bytes.resize(std::max(bytes.capacity(), bytes.size() + (std::size_t{1} << 16)));
    }
    const ssize_t count = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "read");
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
  }
  bytes.resize(used);
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  write_pieces(path, [bytes](const Put& put) { put(bytes); });
}

void write_pieces(const fs::path& path, const std::function<void(const Put&)>& produce) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    // A device or a pipe: there is no old content to keep, and renaming would replace the device.
    Descriptor file(path, O_WRONLY | O_CLOEXEC);
    if (!file.good()) fail(path, "write");
    write_all(file, produce, path);
    return;
  }
  static std::atomic<unsigned> counter = 0;
  const fs::path target = fs::exists(status) ? fs::canonical(path) : path;
  const fs::path temporary =
      target.string() + fmt::format(".{}-{}.tmp", ::getpid(), counter.fetch_add(1));
  Descriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
  if (!file.good()) fail(path, "write");
  try {
    write_all(file, produce, path);
    if (::rename(temporary.c_str(), target.c_str()) != 0) fail(path, "write");
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  Descriptor folder(target.has_parent_path() ? target.parent_path() : fs::path("."),
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder.good()) ::fsync(folder.get());
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) fail(path, "make the folder", error.value());
}

void Sha256::block(const unsigned char* bytes) {
  static constexpr std::array<std::uint32_t, 64> k = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
      0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
      0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
      0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
      0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
      0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
      0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
      0xc67178f2};
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    const unsigned char* b = bytes + 4 * t;
    w[t] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
  }
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t x = w[t - 15], y = w[t - 2];
    w[t] = w[t - 16] + w[t - 7] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3)) +
           (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int t = 0; t < 64; ++t) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + k[t] + w[t];
    const std::uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[i] += added[i];
}

void Sha256::update(std::string_view bytes) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size(), filled = length_ % 64;
  length_ += left;
  if (filled > 0) {
    const std::size_t taken = std::min(left, 64 - filled);
    std::memcpy(pending_.data() + filled, data, taken);
    data += taken, left -= taken, filled += taken;
    if (filled < 64) return;
    block(pending_.data());
  }
  for (; left >= 64; data += 64, left -= 64) block(data);
  if (left > 0) std::memcpy(pending_.data(), data, left);
}

std::string Sha256::hex() const {
  Sha256 last = *this;
  const std::uint64_t bits = length_ * 8;
  std::string padding(1 + (119 - length_ % 64) % 64, '\0');
  padding[0] = '\x80';
  for (int shift = 56; shift >= 0; shift -= 8) padding += static_cast<char>(bits >> shift);
  last.update(padding);
  std::string text;
  for (const std::uint32_t word : last.state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace projfgd
