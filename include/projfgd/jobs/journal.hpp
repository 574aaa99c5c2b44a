// Checkpoints: what a run has done so far, so that it can be resumed.
//
// A job is a fixed sequence of pieces of work, possibly nested, whose results depend only on its
// settings and data. The journal holds the results of the finished pieces, in order. A resumed run
// takes the same path again: finished pieces are read from the journal, the solver that was running
// continues from its last variables, and the rest runs as usual. The run therefore ends with the
// same bits as one that was never stopped.
//
//   piece(settings.journal, "stage", [&] { found = solve(); }, found, counts);
//
// names a piece and everything that it changes. A loop that replaces one state by the next keeps
// only that state, with a JournalLoop.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/core/archive.hpp"
#include "projfgd/core/interrupt.hpp"
#include "projfgd/core/ranks.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/io/checkpoint.hpp"
#include "projfgd/io/json_fwd.hpp"

namespace projfgd {

/// Seconds between two checkpoints where none are given.
inline constexpr double usual_checkpoint_seconds = 60;

/// The options of a run, by name, as the user wrote them. Only the same options resume it.
using NamedSettings = std::map<std::string, std::string>;

/// With numbers that are not finite, which text does not have.
void keep(Archive& archive, Json& value);

class Journal {
 public:
  /// Of a run with these settings and its results in this folder. A checkpoint is written there
  /// after so many seconds, and when a limit or the user ends the run; with 0 seconds, never.
  /// Of several ranks the first reads and writes it, when all agree that it is time.
  Journal(std::filesystem::path folder, double every, NamedSettings settings,
          const Ranks& ranks = alone());
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  /// Saves what is not saved yet, unless finish() was called.
  ~Journal();

  /// Reads the checkpoint in the folder; false if there is none. Throws InputError if it is damaged
  /// or belongs to a run with other settings.
  bool resume();

  /// Whether the folder has a checkpoint, and whether it is one of this run.
  bool has_file() const;
  bool is_saved() const { return is_saved_ && has_file(); }

  /// After the results were written: a run that is complete needs no checkpoint.
  void finish(bool complete);

  /// The same interrupt. Work that it ended is not taken for done.
  Interrupt watched(Interrupt interrupt);

  /// Whether the user wants the end, for somebody who does not end work by that alone: the step
  /// that was just made may be the last in any case, and is then done and not ended.
  static bool asks(Journal* journal, const Interrupt& interrupt);

  /// Enters a file that was read, with the hash of all so far. Throws InputError where the run that
  /// is resumed had read another.
  void note_input(const std::string& name, const std::string& hash);

  /// For options of work that is not kept by itself: only notes that it was ended.
  Keeper* observer() { return &observer_; }

  /// Whether a limit or the user has ended something.
  bool has_ended() const { return end_ != End::none; }

  /// Whether the solver that was at work is yet to get its variables back: what it does until then
  /// is not worth looking at.
  bool is_resuming() const { return !state_.empty() && !is_cut_off(); }

 private:
  friend class JournalLoop;
  friend class StageKeeper;
  template <class Body, class... Results>
  friend bool piece(Journal*, const char*, const Body&, Results&&...);
  template <class Body, class... Results>
  friend bool limited_piece(Journal*, const char*, const Body&, Results&&...);

  enum class End { none, by_limit, by_user };
  using Variables = Keeper::Variables;

  /// Notes the end of work that keeps nothing.
  class Observer : public Keeper {
   public:
    explicit Observer(Journal& journal) : journal_(journal) {}
    bool restore(Variables) override { return false; }
    bool is_due() const override { return false; }
    void save(Variables) override {}
    void note_end() override { journal_.note(End::by_limit); }
    void note_iteration_limit() override {}
    bool has_ended() const override { return journal_.has_ended(); }

   private:
    Journal& journal_;
  };

  /// The user has ended some work, so that what follows may not be what the checkpoint knows.
  bool is_cut_off() const { return end_ == End::by_user; }
  void note(End end) {
    if (end > end_) end_ = end;
  }
  bool is_due() const;
  /// Where the next piece is known, its results are read and it is skipped.
  bool recall(const char* name, Variables results);
  /// Enters a piece that is done in place of those inside it, which began at `first`.
  void enter(const char* name, std::size_t first, Variables results);
  bool restore(Variables variables);
  void save(Variables state, bool sync);
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;
  Json about() const;
  std::filesystem::path file() const { return folder_ / checkpoint_file; }

  std::filesystem::path folder_;
  double every_;
  const Ranks* ranks_;
  NamedSettings settings_;
  std::vector<std::pair<std::string, std::string>> inputs_, inputs_before_;
  std::vector<CheckpointPiece> pieces_;
  std::size_t next_ = 0;  ///< the piece that is recalled next, or made
  std::size_t depth_ = 0;
  std::string state_;  ///< of the piece in progress, until it is restored
  Stopwatch since_saved_;
  End end_ = End::none;
  Interrupt interrupt_;  ///< of the user
  bool is_saved_ = false;
  bool only_asks_ = false;
  bool changed_ = false;  ///< pieces were added since the last save
  Observer observer_{*this};
};

inline bool is_resuming(const Journal* journal) {
  return journal != nullptr && journal->is_resuming();
}

/// Runs body(), which changes the results and nothing else that matters later, unless it is known
/// what it finds; whether it ran. Without a journal it does.
template <class Body, class... Results>
bool piece(Journal* journal, const char* name, const Body& body, Results&&... results) {
  if (journal == nullptr) {
    body();
    return true;
  }
  const auto all = [&](Archive& archive) { archive(results...); };
  if (journal->recall(name, all)) return false;
  struct Depth {
    std::size_t& value;
    explicit Depth(std::size_t& depth) : value(depth) { ++value; }
    ~Depth() { --value; }
  };
  const std::size_t first = journal->next_;
  {
    const Depth inside(journal->depth_);
    body();
  }
  journal->enter(name, first, all);
  return true;
}

/// The same for work with limits of its own, which is done when they end it.
template <class Body, class... Results>
bool limited_piece(Journal* journal, const char* name, const Body& body, Results&&... results) {
  const auto run = [&] {
    body();
    if (journal != nullptr && journal->end_ == Journal::End::by_limit &&
        !is_interrupted(journal->interrupt_)) {
      journal->end_ = Journal::End::none;
    }
  };
  return piece(journal, name, run, results...);
}

/// A loop whose rounds replace one state by the next.
///
///   JournalLoop loop(settings.journal, "rounds");
///   while (...) {
///     loop.keep(variables...);  // all that the rounds from here on depend on
class JournalLoop {
 public:
  JournalLoop(Journal* journal, const char* name);
  JournalLoop(const JournalLoop&) = delete;
  JournalLoop& operator=(const JournalLoop&) = delete;
  ~JournalLoop();

  /// True where the state is that of a run that is resumed.
  template <class... State>
  bool keep(State&&... state) {
    return journal_ != nullptr && turn([&](Archive& archive) { archive(state...); });
  }

 private:
  bool turn(Keeper::Variables state);

  Journal* journal_;
  const char* name_;
  std::size_t at_ = 0;
  bool begun_ = false;
};

/// What a solver's run that is a piece of its own gets as Options::keeper.
class StageKeeper : public Keeper {
 public:
  using Books = std::function<void(Archive&)>;

  /// `books` names what the job keeps of the stage while it runs. `limit_ends_run`: the limit on
  /// its iterations is that of the run and not only of the stage.
  StageKeeper(Journal& journal, Books books, bool limit_ends_run)
      : journal_(journal),
        books_(std::move(books)),
        limit_ends_run_(limit_ends_run),
        is_known_(!journal.is_cut_off()) {}

  bool restore(Variables variables) override;
  bool is_due() const override { return journal_.is_due(); }
  void save(Variables variables) override;
  void note_end() override { journal_.note(Journal::End::by_limit); }
  void note_iteration_limit() override {
    if (limit_ends_run_) note_end();
  }
  bool has_ended() const override { return journal_.has_ended(); }

 private:
  Journal& journal_;
  Books books_;
  bool limit_ends_run_;
  bool is_known_;  ///< the run came here as the one that is resumed did
};

}  // namespace projfgd
