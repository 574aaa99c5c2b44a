#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bindings.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"

NB_MODULE(_core, m) {
  using namespace projfgd;
  namespace nb = nanobind;
  m.doc() = "The C++ library behind projfgd; use the functions of the package instead.";

  python::bind_errors(m);
  nb::class_<TraceRow>(m, "Iteration", "What a callback sees after every iteration.")
      .def_ro("iteration", &TraceRow::iteration)
      .def_ro("seconds", &TraceRow::seconds)
      .def_ro("objective", &TraceRow::objective)
      .def_ro("relative_change", &TraceRow::relative_change, "||X_t - X_{t-1}||_F / ||X_t||_F")
      .def_ro("relative_error", &TraceRow::relative_error,
              "Not a number when the truth is unknown.")
      .def("__repr__", [](const TraceRow& row) {
        return fmt::format(
            "Iteration(iteration={}, seconds={:.3g}, objective={:.6g}, relative_change={:.3g}, "
            "relative_error={:.3g})",
            row.iteration, row.seconds, row.objective, row.relative_change, row.relative_error);
      });
  m.def("version", &version);
  m.def("set_threads", &set_threads, nb::arg("count"));
  m.def("threads", &threads);
  python::bind_minimize(m);
  python::bind_tomography(m);
  python::bind_phase(m);
}
