#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "bindings.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/text_pattern.hpp"
#include "projfgd/io/utf8.hpp"

namespace projfgd::python {

nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> trace_bytes(std::vector<TraceRow> trace) {
  static_assert(sizeof(TraceRow) == 5 * 8, "projfgd._result describes five fields of eight bytes");
  auto* rows = new std::vector<TraceRow>(std::move(trace));
  nb::capsule owner(rows, [](void* p) noexcept { delete static_cast<std::vector<TraceRow>*>(p); });
  return {reinterpret_cast<std::uint8_t*>(rows->data()), {rows->size() * sizeof(TraceRow)}, owner};
}

namespace {

/// Whether an option of the command line has no value.
bool is_flag(std::string_view name) {
  constexpr std::string_view flags[] = {"amplitudes", "centred", "conjugate_masks", "refine_probe",
                                        "resume"};
  return std::ranges::find(flags, name) != std::end(flags);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// What stands for a file may have the name of what is in it: "readout: readout: found ...".
std::string_view without_doubled_name(std::string_view text) {
  const std::size_t length = std::min(text.find(": "), text.size());
  const std::string_view name = text.substr(0, length);
  const std::string_view rest = text.substr(std::min(length + 2, text.size()));
  const bool doubled = !name.empty() && std::ranges::all_of(name, is_word) &&
                       rest.starts_with(name) && !is_word((std::string(rest) + ' ')[length]);
  return doubled ? rest : text;
}

}  // namespace

std::string in_python(const std::string& said) {
  const std::string_view text = without_doubled_name(said);
  // A value is one of the words of options, or has a sign inside that no word of a sentence has.
  static const TextPattern option(
      R"(--([a-z]+(?:-[a-z]+)?(?:-[a-z]+)?)(:| ([\w.]+[-:][\w.:-]*\w|(?:auto|cpu|full|none|nonnegative|random|real|support|weighted)\b))?)");
  std::string out;
  std::size_t done = 0;
  while (const auto match = option.search(text.substr(done))) {
    const std::string_view whole = (*match)[0], value = (*match)[3];
    const auto begin = static_cast<std::size_t>(whole.data() - text.data());
    out += text.substr(done, begin - done);
    done = begin + whole.size();
    std::string name((*match)[1]);
    std::replace(name.begin(), name.end(), '-', '_');
    if (name == "lit") name = "stars";     // all others are called the same
    const bool head = (*match)[2] == ":";  // "rank: found ..."
    out.append(name).append(head ? ":" : "=");
    if (!value.empty()) out.append("\"").append(value).append("\"");
    if (!head && value.empty() && is_flag(name)) out.append("True");
  }
  return printable(out.append(text.substr(done)));
}

namespace {

std::atomic<bool> ending = false;
std::atomic<int> running = 0;

}  // namespace

Running::Running() {
  ++running;
  if (!ending) return;
  --running;
  throw std::runtime_error("the interpreter is shutting down");
}
Running::~Running() { --running; }
bool Running::must_end() { return ending; }

void end_jobs() {
  ending = true;
  // A job looks at its interrupt in every iteration; a callback of the user may never come back.
  constexpr std::chrono::seconds longest{10};
  const auto end = std::chrono::steady_clock::now() + longest;
  const nb::gil_scoped_release release;
  while (running > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool Watch::operator()(const TraceRow& row) {
  if (Running::must_end()) return false;
  const nb::gil_scoped_acquire gil;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (callback_.is_none()) return true;
    const nb::object answer = callback_(row);
    return answer.is_none() || nb::cast<bool>(nb::bool_(answer));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    interrupted_ = true;
    return false;
  }
}

bool Watch::poll() {
  constexpr double often = 0.05;  // seconds: other threads of Python may be slow to give way
  if (Running::must_end()) return true;
  if (interrupted_ || since_poll_.seconds() < often) return interrupted_;
  since_poll_ = Stopwatch();
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return false;
  const nb::python_error error;  // takes it over
  interrupted_ = error.matches(PyExc_KeyboardInterrupt);
  if (!interrupted_) throw error;
  return true;
}

std::string Watch::message(Status status, std::string reason) const {
  if (status != Status::interrupted || !interrupted_) return reason;
  return "ended by Ctrl-C; the result is the point reached";
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, in_python(error.what()).c_str());
    } catch (const InterruptedError&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const FileError& error) {
      PyErr_SetString(PyExc_OSError, in_python(error.what()).c_str());
    } catch (const std::filesystem::filesystem_error& error) {
      PyErr_SetString(PyExc_OSError, printable(sentence(error)).c_str());
    } catch (const ResourceError& error) {
      PyErr_SetString(PyExc_MemoryError, in_python(error.what()).c_str());
    }
  });
}

}  // namespace projfgd::python
