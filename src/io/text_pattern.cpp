#include "projfgd/io/text_pattern.hpp"

#include <re2/re2.h>

#include <stdexcept>
#include <string>

namespace projfgd {
namespace {

/// Of characters, and of the steps that they stand for, of which a search may take each at every
/// character of the text. No basis needs a tenth of them.
constexpr int longest_expression = 1000;

/// Bytes for the states that a search remembers; beyond it forgets them and computes them again.
constexpr std::int64_t most_memory = std::int64_t{1} << 20;

re2::RE2::Options options() {
  re2::RE2::Options out(re2::RE2::Latin1);
  out.set_log_errors(false);
  out.set_max_mem(most_memory);
  return out;
}

}  // namespace

TextPattern::TextPattern(std::string_view expression) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  if (expression.size() > longest_expression) refuse("it is too long");
  compiled_ =
      std::make_shared<re2::RE2>(re2::StringPiece(expression.data(), expression.size()), options());
  if (!compiled_->ok()) refuse(compiled_->error());
  if (compiled_->ProgramSize() > longest_expression) refuse("it repeats too much");
}

std::optional<std::vector<std::string_view>> TextPattern::search(std::string_view text) const {
  std::vector<re2::StringPiece> found(
      static_cast<std::size_t>(compiled_->NumberOfCapturingGroups()) + 1);
  if (!compiled_->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(),
                        re2::RE2::UNANCHORED, found.data(), static_cast<int>(found.size()))) {
    return std::nullopt;
  }
  std::vector<std::string_view> parts;
  for (const re2::StringPiece& part : found) parts.emplace_back(part.data(), part.size());
  return parts;
}

}  // namespace projfgd
