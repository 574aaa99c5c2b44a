// From keyword arguments to a job and from its record to Python objects.
#pragma once

#include <functional>

#include "bindings.hpp"
#include "projfgd/jobs/run.hpp"

namespace projfgd::python {

/// The options of every iterative method.
Options make_options(const nb::dict& keywords);

/// The settings of every job. `in_memory` maps names to pairs (bytes, array of bytes) that stand
/// for files, and must outlive the settings: nothing is copied.
RunSettings make_settings(const nb::dict& keywords, const nb::dict& options,
                          const nb::dict& in_memory);

/// A copy of a NumPy array, and an array of NumPy's around this memory, without a copy.
Array from_python(const nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>& array);
nb::object to_python(Array array);

using Job = std::function<RunRecord(const RunSettings&)>;

/// Runs the job without the GIL. The dict has what projfgd._result.Result takes.
nb::dict run_job(const Job& job, RunSettings settings, nb::object callback);

}  // namespace projfgd::python
