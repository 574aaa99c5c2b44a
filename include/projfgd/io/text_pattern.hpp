// A search for a regular expression that no text and no expression can exhaust.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace projfgd {

/// A regular expression in the syntax of RE2, whose time is proportional to the text and whose
/// memory is bounded. std::regex recurses once for every character, so that long texts end the
/// program. Characters are bytes: a text need not be valid UTF-8.
class TextPattern {
 public:
  /// Throws std::invalid_argument saying what is wrong with the expression.
  explicit TextPattern(std::string_view expression);

  /// What the whole expression and then each of its groups matches, the leftmost match; a group
  /// without a part in it is empty. The views are into the text.
  std::optional<std::vector<std::string_view>> search(std::string_view text) const;

 private:
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace projfgd
