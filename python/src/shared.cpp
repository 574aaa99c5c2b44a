#include "bindings.hpp"
#include "projfgd/core/error.hpp"

namespace projfgd::python {

nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> trace_bytes(std::vector<TraceRow> trace) {
  static_assert(sizeof(TraceRow) == 5 * 8, "projfgd._result describes five fields of eight bytes");
  auto* rows = new std::vector<TraceRow>(std::move(trace));
  nb::capsule owner(rows, [](void* p) noexcept { delete static_cast<std::vector<TraceRow>*>(p); });
  return {reinterpret_cast<std::uint8_t*>(rows->data()), {rows->size() * sizeof(TraceRow)}, owner};
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
