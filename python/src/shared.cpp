#include <algorithm>
#include <regex>

#include "bindings.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"

namespace projfgd::python {

nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> trace_bytes(std::vector<TraceRow> trace) {
  static_assert(sizeof(TraceRow) == 5 * 8, "projfgd._result describes five fields of eight bytes");
  auto* rows = new std::vector<TraceRow>(std::move(trace));
  nb::capsule owner(rows, [](void* p) noexcept { delete static_cast<std::vector<TraceRow>*>(p); });
  return {reinterpret_cast<std::uint8_t*>(rows->data()), {rows->size() * sizeof(TraceRow)}, owner};
}

std::string in_python(const std::string& said) {
  // What stands for a file may have the name of what is in it: "readout: readout: found ...".
  static const std::regex doubled(R"(^(\w+): \1\b)");
  const std::string text = std::regex_replace(said, doubled, "$1");
  // A value is known by its "=", or by a sign inside it that no word of a sentence has.
  static const std::regex option(
      R"((--|option )([a-z]+)(-[a-z]+)?(-[a-z]+)?([ =]([\w.]+[-:][\w.:-]*\w)|=(\w+))?)");
  std::string out;
  auto rest = text.begin();
  for (std::sregex_iterator it(text.begin(), text.end(), option), end; it != end; ++it) {
    const std::smatch& match = *it;
    out.append(rest, match[0].first);
    rest = match[0].second;
    std::string name = match[2].str() + match[3].str() + match[4].str();
    std::replace(name.begin(), name.end(), '-', '_');
    if (name == "lit") name = "stars";  // all others are called the same
    const bool flag = match[1] == "--";
    out += (flag ? "" : "option ") + name + (flag ? "=" : "");
    const std::string value = match[6].str() + match[7].str();
    out += flag && !value.empty() ? "\"" + value + "\"" : match[5].str();
  }
  return out.append(rest, text.end());
}

bool Watch::operator()(const TraceRow& row) {
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
  if (interrupted_ || since_poll_.seconds() < often) return interrupted_;
  since_poll_ = {};
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return false;
  const nb::python_error error;  // takes it over
  interrupted_ = error.matches(PyExc_KeyboardInterrupt);
  if (!interrupted_) throw error;
  return true;
}

std::string Watch::message(Status status, std::string reason) const {
  if (status != Status::interrupted || !interrupted_) return reason;
  return "ended by Ctrl-C: the result is the point reached";
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
      PyErr_SetString(PyExc_OSError, sentence(error).c_str());
    } catch (const ResourceError& error) {
      PyErr_SetString(PyExc_MemoryError, in_python(error.what()).c_str());
    }
  });
}

}  // namespace projfgd::python
