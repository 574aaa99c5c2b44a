// What the files of the extension module share. The bindings translate; they compute nothing.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/options.hpp"
#include "projfgd/core/result.hpp"
#include "projfgd/core/stopwatch.hpp"

namespace projfgd::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_minimize(nb::module_& m);
void bind_tomography(nb::module_& m);
void bind_phase(nb::module_& m);

/// The command line's words in Python's: "--label-order qubit0-left" is label_order="qubit0-left".
std::string in_python(const std::string& text);

/// The rows as bytes that NumPy views as a structured array; no copy.
nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> trace_bytes(std::vector<TraceRow> trace);

/// Around everything that computes without the GIL or calls functions of the user. When the
/// interpreter ends, the threads that it does not wait for (daemons) would be unwound inside the
/// library as soon as they ask for the GIL, which ends the process by abort(). So end_jobs(), which
/// runs before that, asks all of them to stop and waits until they have left.
class Running {
 public:
  /// Throws RuntimeError when the interpreter ends already.
  Running();
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  /// Whether everything has to stop.
  static bool must_end();
};
void end_jobs();

/// Called after every iteration, from a thread without the GIL: handles signals, calls the user's
/// callback. Exceptions other than KeyboardInterrupt go through the solver to the caller.
class Watch {
 public:
  explicit Watch(nb::object callback) : callback_(std::move(callback)) {}

  /// False when the run must end.
  bool operator()(const TraceRow& row);
  /// Whether Ctrl-C was pressed; looks for it now and then.
  bool poll();
  /// Ctrl-C was seen by somebody else.
  void interrupt() { interrupted_ = true; }
  /// Why a run ended: by Ctrl-C, or for the reason it gives.
  std::string message(Status status, std::string reason) const;

 private:
  nb::object callback_;
  bool interrupted_ = false;
  Stopwatch since_poll_;
};

}  // namespace projfgd::python
