#include "messages.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "projfgd/io/text.hpp"
#include "projfgd/io/utf8.hpp"

namespace projfgd {
namespace {

constexpr std::string_view speaker = "projfgd: ";
std::string* complaints = nullptr;

void write(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);  // nobody is left to tell where this fails
}

std::string for_terminal(std::string_view text, Tone tone) {
  constexpr int red = 31, yellow = 33;
  const std::string whole =
      wrapped(fmt::format("{}{}", speaker, text), terminal_width(STDERR_FILENO), speaker.size());
  if (!takes_colour(STDERR_FILENO)) return whole;
  return fmt::format("\x1b[{}m{}\x1b[0m", tone == Tone::error ? red : yellow, whole);
}

}  // namespace

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

}  // namespace projfgd
