// What the program says beside its answer, on standard error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace projfgd {

enum class Tone { warning, error };

/// "projfgd: " and the text. On a terminal it is coloured and lines break between words; elsewhere
/// a message is one line, for programs that read it.
void tell(std::string_view text, Tone tone) noexcept;

/// A command for the user to copy: a line of its own that is not wrapped.
void tell_command(const std::string& command);

/// Writes to standard output or standard error, 0 or an error number. Waits for whoever reads; a
/// signal ends that after a second with EINTR.
int write_stream(int descriptor, std::string_view text) noexcept;

/// From here on errors go there, and nothing else is said or printed: for all but one of several
/// processes that do the same.
void speak_into(std::string* complaint);
bool is_silent();

/// Columns of the terminal that a file descriptor is; 0 where it is none.
std::size_t terminal_width(int descriptor);

/// Whether to write colours there: a terminal, and NO_COLOR is not set.
bool takes_colour(int descriptor);

/// The text with line ends at spaces, so that no line is longer than `width` unless a word is; the
/// lines after the first begin with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace projfgd
