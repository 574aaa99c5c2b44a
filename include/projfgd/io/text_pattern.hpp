// A search for a regular expression that no text and no expression can exhaust.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace projfgd {

/// A regular expression of characters, ., classes such as [a-z_], \d \w \s, \b, the ends ^ and $,
/// groups ( ) and (?: ), alternatives |, and the repetitions * + ? {2} {2,} {2,5}, lazy with a
/// further ?. Characters are bytes. All states that the expression can be in advance together, as
/// in R. Cox, "Regular expression matching: the virtual machine approach" (2009): the time is
/// proportional to the text, and nothing recurses. std::regex recurses once for every character, so
/// that long texts end the program; what it knows besides (looking ahead, repeating what a group
/// found) cannot be had in this way and is refused.
class TextPattern {
 public:
  /// Throws std::invalid_argument saying what is wrong with the expression.
  explicit TextPattern(std::string_view expression);

  /// What the whole expression and then each of its groups matches, the leftmost match; a group
  /// without a part in it is empty. The views are into the text, whose part before `from` is only
  /// looked at by ^ and \b.
  std::optional<std::vector<std::string_view>> search(std::string_view text,
                                                      std::size_t from = 0) const;

 private:
  enum class Act { character, save, split, jump, begin, end, border, match };

  /// Where a split or a jump leads is counted from the instruction itself.
  struct Instruction {
    Act act;
    std::ptrdiff_t first = 0, second = 0;  ///< of a split, the first is tried first
    std::size_t index = 0;                 ///< of the class of a character, or of what is saved
  };
  using Program = std::vector<Instruction>;
  using Class = std::bitset<256>;
  class Compiler;
  class Search;

  Program program_;
  std::vector<Class> classes_;
  std::size_t saved_ = 2;
};

}  // namespace projfgd
