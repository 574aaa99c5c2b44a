#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "program.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/thread_limit.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"

NB_MODULE(_core, m) {
  using namespace projfgd;
  namespace nb = nanobind;
  m.doc() = "The C++ library behind projfgd; use the functions of the package instead.";

  python::bind_errors(m);
  nb::class_<TraceRow>(m, "Iteration", "A row of the trace; see projfgd.Iteration.")
      .def_ro("iteration", &TraceRow::iteration)
      .def_ro("seconds", &TraceRow::seconds)
      .def_ro("objective", &TraceRow::objective)
      .def_ro("relative_change", &TraceRow::relative_change)
      .def_ro("relative_error", &TraceRow::relative_error);
  m.def("version", &version);
  m.def("end_jobs", &python::end_jobs, "Stops all jobs and waits for them; for the end of Python.");
  m.def("set_threads", &set_threads, nb::arg("count"));
  m.def("threads", &threads);
  m.attr("most_threads") = most_threads;
  m.def("did_you_mean", &did_you_mean, nb::arg("word"), nb::arg("names"),
        "\" (did you mean b?)\" for a word that is close to one of the names, otherwise nothing.");
  m.def(
      "run_program",
      [](std::vector<std::string> words) {
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        return run_program(static_cast<int>(argv.size()), argv.data());
      },
      nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
      "The program of the command line; returns its exit code.");
  python::bind_minimize(m);
  python::bind_tomography(m);
  python::bind_phase(m);
}
