#include "projfgd/jobs/journal.hpp"

#include <fmt/format.h>

#include <system_error>

#include "projfgd/core/error.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/result_folder.hpp"

namespace projfgd {
namespace {

std::string bytes_of(Keeper::Variables variables) {
  std::string bytes;
  Archive archive([&](std::string_view part) { bytes.append(part); });
  variables(archive);
  return bytes;
}

/// What JSON can hold of a text that the user wrote.
std::string as_json_has_it(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string shown(const std::string& name, const std::string* value) {
  return value == nullptr ? fmt::format("no {}", name) : fmt::format("{} {}", name, *value);
}

}  // namespace

void keep(Archive& archive, Json& value) {
  std::vector<std::uint8_t> bytes;
  if (!archive.reads()) bytes = Json::to_cbor(value);
  archive(bytes);
  if (!archive.reads()) return;
  value = Json::from_cbor(bytes, true, false);
  if (value.is_discarded()) archive.refuse();
}

Journal::Journal(std::filesystem::path folder, double every, NamedSettings settings,
                 const Ranks& ranks)
    : folder_(std::move(folder)), every_(every), ranks_(&ranks), settings_(std::move(settings)) {
  for (auto& [name, value] : settings_) value = as_json_has_it(value);
}

Journal::~Journal() {
  if (!changed_ || every_ == 0) return;
  try {
    finish(false);
  } catch (...) {  // the run ends by another error, and the checkpoint before this one stays
  }
}

void Journal::refuse(const std::string& found, const std::string& expected) const {
  throw InputError(
      fmt::format("{}: found the checkpoint of a run with {}, expected {}; without --resume the "
                  "run starts from the beginning",
                  file().string(), found, expected));
}

bool Journal::has_file() const {
  std::error_code error;
  bool found = ranks_->is_root() && std::filesystem::is_regular_file(file(), error);
  ranks_->broadcast(&found, sizeof found);
  return found;
}

bool Journal::resume() {
  if (!has_file()) return false;
  std::string bytes;
  ranks_->at_root([&] { bytes = read_file(file()); });
  ranks_->broadcast(bytes);
  Checkpoint found = parse_checkpoint(bytes, file());
  const Json about = parse_json(found.about, file());
  const std::string writer = require_string(about, "version", file());
  if (writer != version()) {
    refuse(fmt::format("projfgd {}", writer), fmt::format("one of this version, {}", version()));
  }
  NamedSettings before;
  for (const auto& [name, value] : require_key(about, "settings", file()).items()) {
    before[name] = value.get<std::string>();
  }
  const auto value_in = [](const NamedSettings& all, const std::string& name) {
    const auto at = all.find(name);
    return at == all.end() ? nullptr : &at->second;
  };
  NamedSettings both = before;
  both.insert(settings_.begin(), settings_.end());
  for (const auto& [name, ignored] : both) {
    const std::string *then = value_in(before, name), *now = value_in(settings_, name);
    if (then != nullptr && now != nullptr && *then == *now) continue;
    refuse(shown(name, then), shown(name, now));
  }
  for (const Json& input : require_key(about, "inputs", file())) {
    inputs_before_.emplace_back(input.at(0).get<std::string>(), input.at(1).get<std::string>());
  }
  pieces_ = std::move(found.pieces);
  state_ = std::move(found.state);
  is_saved_ = true;
  return true;
}

void Journal::note_input(const std::string& name, const std::string& hash) {
  const std::size_t at = inputs_.size();
  inputs_.emplace_back(as_json_has_it(name), hash);
  if (at >= inputs_before_.size() || inputs_before_[at] == inputs_[at]) return;
  if (inputs_before_[at].first != inputs_[at].first) {
    refuse("the file " + inputs_before_[at].first, name);
  }
  throw InputError(
      fmt::format("{}: found a file that changed after the checkpoint was written, expected the "
                  "same content; without --resume the run starts from the beginning",
                  name));
}

Interrupt Journal::watched(Interrupt interrupt) {
  interrupt_ = std::move(interrupt);
  return [this] {
    if (!is_interrupted(interrupt_)) return false;
    if (!only_asks_) note(End::by_user);
    return true;
  };
}

bool Journal::asks(Journal* journal, const Interrupt& interrupt) {
  if (journal == nullptr) return is_interrupted(interrupt);
  journal->only_asks_ = true;
  const bool wants = is_interrupted(interrupt);
  journal->only_asks_ = false;
  return wants;
}

bool Journal::is_due() const {
  if (!(every_ > 0) || has_ended()) return false;
  return ranks_->any(ranks_->is_root() && since_saved_.seconds() >= every_);
}

bool Journal::recall(const char* name, Variables results) {
  if (next_ == pieces_.size() || is_cut_off()) return false;
  CheckpointPiece& known = pieces_[next_];
  if (known.depth > depth_) return false;  // of this one a part is done
  Archive archive(known.bytes, file().string());
  if (known.depth < depth_ || known.name != name) archive.refuse();
  results(archive);
  if (!archive.is_at_end()) archive.refuse();
  ++next_;
  return true;
}

void Journal::enter(const char* name, std::size_t first, Variables results) {
  if (has_ended()) return;
  if (next_ != pieces_.size()) Archive({}, file().string()).refuse();
  pieces_.resize(first);
  pieces_.push_back({name, depth_, bytes_of(results)});
  next_ = pieces_.size();
  state_.clear();
  changed_ = true;
  if (is_due()) save([](Archive&) {}, true);
}

bool Journal::restore(Variables variables) {
  if (state_.empty() || next_ != pieces_.size()) return false;
  const std::string bytes = std::exchange(state_, {});
  Archive archive(bytes, file().string());
  variables(archive);
  if (!archive.is_at_end()) archive.refuse();
  return true;
}

Json Journal::about() const {
  Json inputs = Json::array();
  for (const auto& [name, hash] : inputs_) inputs.push_back({name, hash});
  return {{"version", version()}, {"settings", settings_}, {"inputs", inputs}};
}

void Journal::save(Variables state, bool sync) {
  if (every_ == 0) return;
  const auto write = [&](Variables of_rank) {
    put_beside_results(folder_, checkpoint_file, [&](const std::filesystem::path& path) {
      write_checkpoint(path, about().dump(), pieces_, of_rank, sync);
    });
  };
  if (ranks_->is_alone()) {
    write(state);
  } else {  // what is split over the ranks is gathered by all of them
    std::string bytes = bytes_of(state);
    const auto known = [&](Archive& archive) { archive.bytes(bytes.data(), bytes.size()); };
    ranks_->at_root([&] { write(known); });
  }
  since_saved_.set(0);
  is_saved_ = true;
  changed_ = false;
}

void Journal::finish(bool complete) {
  const bool is_of_another = every_ == 0 && !is_saved_;  // whose results these replace
  if (complete || is_of_another) {
    std::error_code error;
    if (ranks_->is_root()) std::filesystem::remove(file(), error);
    changed_ = false;
  } else if (changed_) {
    changed_ = false;
    save([](Archive&) {}, true);
  }
}

JournalLoop::JournalLoop(Journal* journal, const char* name) : journal_(journal), name_(name) {
  if (journal_ != nullptr) ++journal_->depth_;
}

JournalLoop::~JournalLoop() {
  if (journal_ != nullptr) --journal_->depth_;
}

bool JournalLoop::turn(Keeper::Variables state) {
  Journal& journal = *journal_;
  const bool first = !std::exchange(begun_, true);
  if (first) {
    at_ = journal.next_;
    --journal.depth_;
    const bool known = journal.recall(name_, state);
    ++journal.depth_;
    if (known) return true;
  }
  if (journal.has_ended()) return false;
  if (journal.next_ != journal.pieces_.size()) Archive({}, "checkpoint").refuse();
  journal.pieces_.resize(at_);
  journal.pieces_.push_back({name_, journal.depth_ - 1, bytes_of(state)});
  journal.next_ = journal.pieces_.size();
  journal.changed_ = true;
  if (journal.is_due()) journal.save([](Archive&) {}, true);
  return false;
}

bool StageKeeper::restore(Variables variables) {
  return is_known_ && journal_.restore([&](Archive& archive) {
    books_(archive);
    variables(archive);
  });
}

void StageKeeper::save(Variables variables) {
  // A run that is ending has no time to wait for the disk; whatever becomes of the process, what it
  // wrote stays.
  const bool ending = journal_.has_ended();
  journal_.save(
      [&](Archive& archive) {
        books_(archive);
        variables(archive);
      },
      !ending);
}

}  // namespace projfgd
