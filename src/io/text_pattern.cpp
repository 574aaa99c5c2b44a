#include "projfgd/io/text_pattern.hpp"

#include <cctype>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace projfgd {
namespace {

/// A search takes at most so many steps for each character of the text.
constexpr std::size_t longest_program = 10'000;
constexpr std::size_t unlimited = static_cast<std::size_t>(-1);
constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

/// The characters of \d, \w, \s and of their opposites in capitals, or of the letter alone.
std::bitset<256> escaped(char letter) {
  std::bitset<256> set;
  const auto add = [&](auto good) {
    for (std::size_t c = 0; c < 128; ++c) set[c] = good(static_cast<char>(c));
  };
  switch (letter) {
    case 'd':
    case 'D':
      add([](char c) { return c >= '0' && c <= '9'; });
      break;
    case 'w':
    case 'W':
      add(is_word);
      break;
    case 's':
    case 'S':
      add([](char c) { return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos; });
      break;
    default:
      const auto at = std::string_view("nrtfv").find(letter);
      const char plain = at == std::string_view::npos ? letter : "\n\r\t\f\v"[at];
      if (is_word(letter) && at == std::string_view::npos) {
        refuse(std::string("\\") + letter + " is not known");
      }
      set.set(static_cast<unsigned char>(plain));
      return set;
  }
  return std::isupper(static_cast<unsigned char>(letter)) != 0 ? ~set : set;
}

}  // namespace

/// From the expression to the program. Open groups are kept in a list, so that no depth of
/// parentheses is too deep.
class TextPattern::Compiler {
 public:
  Compiler(std::string_view rest, TextPattern& out) : rest_(rest), out_(out) {}

  void compile() {
    save(0);
    groups_.push_back({0, size(), size(), {}});
    while (!rest_.empty()) take_one();
    if (groups_.size() > 1) refuse("a ( is not closed");
    close_alternatives();
    save(1);
    program().push_back({Act::match});
    require_size(size());
  }

 private:
  struct Group {
    std::size_t save;                 ///< of its end; 0: none
    std::size_t begin;                ///< of the group itself
    std::size_t branch;               ///< of the alternative that is open
    std::vector<std::size_t> leaves;  ///< jumps from the ends of alternatives
  };

  Program& program() { return out_.program_; }
  std::size_t size() { return program().size(); }
  void save(std::size_t index) { program().push_back({Act::save, 0, 0, index}); }

  static void require_size(std::size_t size) {
    if (size > longest_program) refuse("it is too long");
  }

  char take() {
    if (rest_.empty()) refuse("it ends too early");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void take_one() {
    require_size(size());
    const char c = take();
    if (c == '(') return open_group();
    if (c == ')') return close_group();
    if (c == '|') return next_alternative();
    if (const auto range = repetition(c)) return repeat(range->first, range->second);
    atom_ = nowhere;  // nothing to repeat, unless what follows says so
    if (c == '^') return program().push_back({Act::begin});
    if (c == '$') return program().push_back({Act::end});
    if (c == '\\' && accept("b")) return program().push_back({Act::border});
    atom_ = size();
    Class set;
    if (c == '.') {
      set = ~escaped('n');
    } else if (c == '[') {
      set = bracket();
    } else if (c == '\\') {
      set = escaped(take());
    } else {
      set.set(static_cast<unsigned char>(c));
    }
    program().push_back({Act::character, 0, 0, out_.classes_.size()});
    out_.classes_.push_back(set);
  }

  void open_group() {
    std::size_t end = 0;
    const std::size_t begin = size();
    if (!accept("?:")) {
      if (rest_.starts_with('?')) refuse("of groups (?... only (?:...) is known");
      end = out_.saved_ + 1;
      save(out_.saved_);
      out_.saved_ += 2;
    }
    groups_.push_back({end, begin, size(), {}});
    atom_ = nowhere;
  }

  void close_group() {
    if (groups_.size() == 1) refuse("a ) is not opened");
    close_alternatives();
    if (groups_.back().save > 0) save(groups_.back().save);
    atom_ = groups_.back().begin;
    groups_.pop_back();
  }

  void next_alternative() {
    Group& group = groups_.back();
    const auto length = static_cast<std::ptrdiff_t>(size() - group.branch);
    insert(group.branch, {Act::split, 1, length + 2});
    group.leaves.push_back(size());
    program().push_back({Act::jump});
    group.branch = size();
    atom_ = nowhere;
  }

  void close_alternatives() {
    for (const std::size_t leaf : groups_.back().leaves) {
      program()[leaf].first = static_cast<std::ptrdiff_t>(size() - leaf);
    }
  }

  void insert(std::size_t at, Instruction what) {
    program().insert(program().begin() + static_cast<std::ptrdiff_t>(at), what);
  }

  /// The least and the largest number of times, where the character begins a repetition.
  std::optional<std::pair<std::size_t, std::size_t>> repetition(char c) {
    if (c == '*') return std::pair{std::size_t{0}, unlimited};
    if (c == '+') return std::pair{std::size_t{1}, unlimited};
    if (c == '?') return std::pair{std::size_t{0}, std::size_t{1}};
    if (c != '{') return std::nullopt;
    const std::size_t least = number();
    std::size_t most = least;
    if (accept(",")) most = rest_.starts_with('}') ? unlimited : number();
    if (!accept("}") || most < least) refuse("{ is followed by no repetition such as {2,5}");
    return std::pair{least, most};
  }

  std::size_t number() {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value > longest_program) refuse("{ is followed by no small number");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  void repeat(std::size_t least, std::size_t most) {
    if (atom_ == nowhere) refuse("there is nothing to repeat");
    const bool lazy = accept("?");
    const auto begin = program().begin() + static_cast<std::ptrdiff_t>(atom_);
    const Program body(begin, program().end());
    program().erase(begin, program().end());
    const auto length = static_cast<std::ptrdiff_t>(body.size());
    const auto split = [&](std::ptrdiff_t go_on, std::ptrdiff_t leave) {
      program().push_back({Act::split, lazy ? leave : go_on, lazy ? go_on : leave});
    };
    const auto add_body = [&] {
      program().insert(program().end(), body.begin(), body.end());
      require_size(size());
    };
    for (std::size_t k = 0; k < least; ++k) add_body();
    if (most == unlimited) {
      split(1, length + 2);
      add_body();
      program().push_back({Act::jump, -(length + 1)});
    } else {
      const std::size_t optional = most - least;
      require_size(optional * (body.size() + 1));
      for (std::size_t k = optional; k > 0; --k) {
        split(1, static_cast<std::ptrdiff_t>(k * (body.size() + 1)));
        add_body();
      }
    }
    atom_ = nowhere;
  }

  Class bracket() {
    Class set;
    const bool inverted = accept("^");
    while (!accept("]")) {
      Class one;
      const char c = take();
      if (c == '\\') {
        one = escaped(take());
      } else {
        one.set(static_cast<unsigned char>(c));
      }
      if (one.count() == 1 && rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        take();
        char last = take();
        if (last == '\\') last = take();
        std::size_t from = 0;
        while (!one[from]) ++from;
        if (from > static_cast<unsigned char>(last)) refuse("a range of characters runs backwards");
        for (std::size_t k = from; k <= static_cast<unsigned char>(last); ++k) one.set(k);
      }
      set |= one;
    }
    return inverted ? ~set : set;
  }

  std::string_view rest_;
  TextPattern& out_;
  std::vector<Group> groups_;
  std::size_t atom_ = nowhere;  ///< where what a repetition repeats begins
};

/// All states that the program can be in at one place of the text, best first.
class TextPattern::Search {
 public:
  Search(const TextPattern& pattern, std::string_view text)
      : pattern_(pattern), text_(text), seen_(pattern.program_.size(), nowhere) {}

  std::optional<std::vector<std::string_view>> run(std::size_t from) {
    std::vector<State> next;
    std::optional<Saved> found;
    for (std::size_t at = from; at <= text_.size(); ++at) {
      if (!found) enter(0, Saved(pattern_.saved_, nowhere), at, states_);
      if (states_.empty() && found) break;
      next.clear();
      for (State& state : states_) {
        const Instruction& now = pattern_.program_[state.at];
        if (now.act == Act::match) {  // the states behind it are worse
          found = std::move(state.saved);
          break;
        }
        const bool fits = at < text_.size() &&
                          pattern_.classes_[now.index][static_cast<unsigned char>(text_[at])];
        if (fits) enter(state.at + 1, std::move(state.saved), at + 1, next);
      }
      std::swap(states_, next);
    }
    if (!found) return std::nullopt;
    std::vector<std::string_view> parts;
    for (std::size_t k = 0; k + 1 < found->size(); k += 2) {
      const std::size_t begin = (*found)[k], end = (*found)[k + 1];
      const bool took_part = begin != nowhere && end != nowhere && begin <= end;
      parts.push_back(took_part ? text_.substr(begin, end - begin) : std::string_view{});
    }
    return parts;
  }

 private:
  using Saved = std::vector<std::size_t>;
  struct State {
    std::size_t at;  ///< in the program
    Saved saved;
  };

  /// Adds what can be reached from here without another character, in the order of preference.
  void enter(std::size_t start, Saved saved, std::size_t at, std::vector<State>& states) {
    open_.push_back({start, std::move(saved)});
    while (!open_.empty()) {
      State state = std::move(open_.back());
      open_.pop_back();
      if (std::exchange(seen_[state.at], at) == at) continue;
      const Instruction& now = pattern_.program_[state.at];
      const auto leads = [&](std::ptrdiff_t by) {
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(state.at) + by);
      };
      switch (now.act) {
        case Act::character:
        case Act::match:
          states.push_back(std::move(state));
          break;
        case Act::split:
          open_.push_back({leads(now.second), state.saved});
          open_.push_back({leads(now.first), std::move(state.saved)});
          break;
        case Act::jump:
          open_.push_back({leads(now.first), std::move(state.saved)});
          break;
        case Act::save:
          state.saved[now.index] = at;
          open_.push_back({leads(1), std::move(state.saved)});
          break;
        default:
          if (holds(now.act, at)) open_.push_back({leads(1), std::move(state.saved)});
      }
    }
  }

  bool holds(Act act, std::size_t at) const {
    if (act == Act::begin) return at == 0;
    if (act == Act::end) return at == text_.size();
    const bool before = at > 0 && is_word(text_[at - 1]);
    return before != (at < text_.size() && is_word(text_[at]));
  }

  const TextPattern& pattern_;
  std::string_view text_;
  std::vector<State> states_, open_;
  std::vector<std::size_t> seen_;  ///< the place of the text where a state was last entered
};

TextPattern::TextPattern(std::string_view expression) { Compiler(expression, *this).compile(); }

std::optional<std::vector<std::string_view>> TextPattern::search(std::string_view text,
                                                                 std::size_t from) const {
  return Search(*this, text).run(from);
}

}  // namespace projfgd
