#include <nanobind/stl/string.h>

#include <new>
#include <string>

#include "bindings.hpp"
#include "projfgd/core/error.hpp"

namespace projfgd::python {
namespace {

/// One option: its name in Python and how it is set.
struct Setter {
  const char* name;
  void (*set)(Options&, nb::handle);
};

template <auto Field>
void set_field(Options& options, nb::handle value) {
  using Type = std::remove_reference_t<decltype(options.*Field)>;
  options.*Field = nb::cast<Type>(value);
}

constexpr Setter setters[] = {
    {"step", [](Options& o, nb::handle v) { set_step(nb::cast<std::string>(nb::str(v)), o); }},
    {"step_constant", set_field<&Options::step_constant>},
    {"smoothness", set_field<&Options::smoothness>},
    {"max_iterations", set_field<&Options::max_iterations>},
    {"tolerance", set_field<&Options::tolerance>},
    {"gradient_tolerance", set_field<&Options::gradient_tolerance>},
    {"time_limit", set_field<&Options::time_limit>},
    {"memory", set_field<&Options::memory>},
    {"seed", set_field<&Options::seed>},
};

void set_option(Options& options, const std::string& name, nb::handle value) {
  for (const Setter& setter : setters) {
    if (name != setter.name) continue;
    try {
      return setter.set(options, value);
    } catch (const nb::cast_error&) {
      const std::string found = nb::cast<std::string>(nb::repr(value));
      throw InputError("option " + name + ": found " + found + ", expected a number");
    }
  }
  std::string known;
  for (const Setter& setter : setters)
    known += std::string(known.empty() ? "" : ", ") + setter.name;
  throw nb::type_error(("no option \"" + name + "\"; there are " + known).c_str());
}

}  // namespace

Options make_options(const nb::dict& keywords) {
  Options options;
  for (const auto& [name, value] : keywords) {
    set_option(options, nb::cast<std::string>(name), value);
  }
  return options;
}

nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> trace_bytes(std::vector<TraceRow> trace) {
  static_assert(sizeof(TraceRow) == 5 * 8,
                "the structured type of projfgd._result has five fields");
  auto* rows = new std::vector<TraceRow>(std::move(trace));
  nb::capsule owner(rows, [](void* p) noexcept { delete static_cast<std::vector<TraceRow>*>(p); });
  return {reinterpret_cast<std::uint8_t*>(rows->data()), {rows->size() * sizeof(TraceRow)}, owner};
}

bool Watch::operator()(const TraceRow& row) {
  nb::gil_scoped_acquire gil;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (callback_.is_none()) return true;
    const nb::object answer = callback_(row);
    return answer.is_none() || nb::cast<bool>(nb::bool_(answer));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    return false;
  }
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const FileError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    } catch (const ResourceError& error) {
      PyErr_SetString(PyExc_MemoryError, error.what());
    }
  });
}

}  // namespace projfgd::python
