#include "messages.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "projfgd/io/text.hpp"
#include "projfgd/io/utf8.hpp"
#include "signals.hpp"

namespace projfgd {
namespace {

constexpr std::string_view speaker = "projfgd: ";
std::string* complaints = nullptr;

void write(std::string_view text) noexcept {
  write_stream(STDERR_FILENO, text);  // nobody is left to tell where this fails
}

/// Waits until something can be written; false where a signal came and nobody reads.
bool wait_for_reader(int descriptor) noexcept {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds patience{1};  // of whoever sent the signal
  constexpr int look_milliseconds = 50;
  static Clock::time_point signal_seen;  // by the thread that writes
  while (true) {
    pollfd there{descriptor, POLLOUT, 0};
    if (::poll(&there, 1, look_milliseconds) > 0) return true;
    if (!is_signalled()) continue;
    if (signal_seen == Clock::time_point{}) signal_seen = Clock::now();
    if (Clock::now() - signal_seen > patience) return false;
  }
}

std::string for_terminal(std::string_view text, Tone tone) {
  constexpr int red = 31, yellow = 33;
  const std::string whole =
      wrapped(fmt::format("{}{}", speaker, text), terminal_width(STDERR_FILENO), speaker.size());
  if (!takes_colour(STDERR_FILENO)) return whole;
  return fmt::format("\x1b[{}m{}\x1b[0m", tone == Tone::error ? red : yellow, whole);
}

}  // namespace

int write_stream(int descriptor, std::string_view text) noexcept {
  constexpr std::size_t most_at_once = 4096;  // a pipe that can be written to has place for it
  while (!text.empty()) {
    if (!wait_for_reader(descriptor)) return EINTR;
    const ssize_t count =
        ::write(descriptor, text.data(), std::min<std::size_t>(text.size(), most_at_once));
    if (count < 0 && errno != EINTR && errno != EAGAIN) return errno;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

std::size_t terminal_width(int descriptor) {
  winsize terminal{};
  return ::ioctl(descriptor, TIOCGWINSZ, &terminal) == 0 ? terminal.ws_col : 0;
}

bool takes_colour(int descriptor) {
  return ::isatty(descriptor) != 0 && std::getenv("NO_COLOR") == nullptr;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t length = character_count(word);
    if (column > 0 && column + 1 + length > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
  }
  return out;
}

void speak_into(std::string* complaint) { complaints = complaint; }

bool is_silent() { return complaints != nullptr; }

void tell(std::string_view text, Tone tone) noexcept {
  std::string shown;
  try {
    text = shown = printable(text);
    if (is_silent()) {
      if (tone == Tone::error) *complaints = shown;
      return;
    }
    if (terminal_width(STDERR_FILENO) > 0) {
      write(for_terminal(text, tone));
      write("\n");
      return;
    }
  } catch (const std::bad_alloc&) {  // then as it is
  }
  for (const std::string_view part : {speaker, text, std::string_view("\n")}) write(part);
}

void tell_command(const std::string& command) {
  if (!is_silent()) write("  " + printable(command) + "\n");
}

}  // namespace projfgd
