#include "projfgd/io/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"

// The layout, in the byte order of the machine, which is that of the numbers too:
//
//   magic                     one line of text with the number of the layout
//   size                      of the whole file, 8 bytes
//   about, state              strings: their length in 8 bytes, then their bytes
//   number of pieces, pieces  name and bytes, which are strings, and the depth, 8 bytes
//   checksum                  of all before it, 8 bytes

namespace projfgd {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "projfgd checkpoint 1\n";
constexpr std::size_t word = sizeof(std::uint64_t);

/// A sum over words of 8 bytes, the last filled up with zeros. It tells damage, not forgery.
class Checksum {
 public:
  /// Pieces but the last have whole words.
  void add(std::string_view bytes) {
    std::size_t at = 0;
    for (; at + word <= bytes.size(); at += word) mix(bytes.data() + at, word);
    if (at < bytes.size()) mix(bytes.data() + at, bytes.size() - at);
  }
  std::uint64_t value() const { return value_; }

 private:
  void mix(const char* from, std::size_t count) {
    std::uint64_t next = 0;
    std::memcpy(&next, from, count);
    value_ = (value_ ^ next) * odd;
    value_ ^= value_ >> 29;
  }

  static constexpr std::uint64_t odd = 0xd6e8feb86659fd93u;
  std::uint64_t value_ = magic.size();
};

/// Hands bytes on in large pieces, with their checksum.
class Stream {
 public:
  explicit Stream(const Put& put) : put_(put) {}

  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t part = std::min(bytes.size(), most - buffer_.size());
      buffer_.append(bytes.substr(0, part));
      bytes.remove_prefix(part);
      if (buffer_.size() == most) flush();
    }
  }
  void number(std::uint64_t value) { add({reinterpret_cast<const char*>(&value), sizeof value}); }
  void text(std::string_view bytes) {
    number(bytes.size());
    add(bytes);
  }
  void finish() {
    flush();
    const std::uint64_t sum = checksum_.value();
    put_({reinterpret_cast<const char*>(&sum), sizeof sum});
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 20;
  void flush() {
    checksum_.add(buffer_);
    put_(buffer_);
    buffer_.clear();
  }

  const Put& put_;
  std::string buffer_;
  Checksum checksum_;
};

[[noreturn]] void refuse(const fs::path& path, const char* found) {
  throw InputError(
      fmt::format("{}: found {}, expected the checkpoint of a run; without --resume the run starts "
                  "from the beginning",
                  path.string(), found));
}

/// Takes a file apart from its beginning on.
class Parts {
 public:
  Parts(std::string_view bytes, const fs::path& path) : left_(bytes), path_(path) {}

  std::string_view take(std::uint64_t count) {
    if (count > left_.size()) refuse(path_, "a damaged file");
    const std::string_view part = left_.substr(0, static_cast<std::size_t>(count));
    left_.remove_prefix(part.size());
    return part;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(word).data(), word);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  std::size_t left() const { return left_.size(); }

 private:
  std::string_view left_;
  const fs::path& path_;
};

}  // namespace

Checkpoint parse_checkpoint(std::string_view bytes, const fs::path& path) {
  if (!bytes.starts_with(magic)) {
    const bool ours = bytes.starts_with(magic.substr(0, magic.find('1')));
    if (magic.starts_with(bytes)) refuse(path, "a truncated file");
    refuse(path, ours ? "a checkpoint of another version of projfgd" : "another kind of file");
  }
  Parts all(bytes, path);
  all.take(magic.size());
  if (all.left() < 2 * word || all.number() != bytes.size()) refuse(path, "a truncated file");
  Checksum checksum;
  checksum.add(bytes.substr(0, bytes.size() - word));
  Parts end(bytes.substr(bytes.size() - word), path);
  if (end.number() != checksum.value()) refuse(path, "a damaged file");
  Checkpoint found;
  found.about = all.text();
  found.state = all.text();
  const std::uint64_t count = all.number();
  if (count > all.left() / (3 * word)) refuse(path, "a damaged file");
  for (std::uint64_t k = 0; k < count; ++k) {
    CheckpointPiece piece;
    piece.name = all.text();
    piece.depth = all.number();
    piece.bytes = all.text();
    found.pieces.push_back(std::move(piece));
  }
  if (all.left() != word) refuse(path, "a damaged file");
  return found;
}

void write_checkpoint(const fs::path& path, std::string_view about,
                      const std::vector<CheckpointPiece>& pieces, FunctionRef<void(Archive&)> state,
                      bool sync) {
  std::uint64_t state_size = 0;
  Archive measure([&](std::string_view bytes) { state_size += bytes.size(); });
  state(measure);
  std::uint64_t size = magic.size() + 5 * word + about.size() + state_size;
  for (const CheckpointPiece& piece : pieces) {
    size += 3 * word + piece.name.size() + piece.bytes.size();
  }
  write_pieces(
      path,
      [&](const Put& put) {
        Stream out(put);
        out.add(magic);
        out.number(size);
        out.text(about);
        out.number(state_size);
        Archive archive([&](std::string_view bytes) { out.add(bytes); });
        state(archive);
        out.number(pieces.size());
        for (const CheckpointPiece& piece : pieces) {
          out.text(piece.name);
          out.number(piece.depth);
          out.text(piece.bytes);
        }
        out.finish();
      },
      sync);
}

}  // namespace projfgd
