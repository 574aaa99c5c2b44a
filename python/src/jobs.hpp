// From keyword arguments to a job and from its record to Python objects.
#pragma once

#include <functional>

#include "bindings.hpp"
#include "keywords.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/result_folder.hpp"
#include "projfgd/jobs/record.hpp"

namespace projfgd::python {

/// The options of every iterative method.
Options make_options(const nb::dict& keywords);

/// The settings of every job; `standard` has what is not given. `in_memory` maps names to pairs
/// (bytes, array of bytes) that stand for files, and must outlive the settings: nothing is copied.
RunSettings make_settings(RunSettings standard, const nb::dict& keywords, const nb::dict& options,
                          const nb::dict& in_memory);

/// A copy of a NumPy array, and an array of NumPy's around this memory, without a copy.
Array from_python(const nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>& array);
nb::object to_python(Array array);

using Job = std::function<RunRecord(const RunSettings&)>;

/// Runs the job without the GIL and writes its outputs, these files, to `out`, where that is not
/// empty, with the call of Python as their command. `checkpoint` has "every", "resume" and
/// "settings", as a Journal takes them. The dict has what projfgd._result.Result takes.
nb::dict run_job(const Job& job, RunSettings settings, const std::filesystem::path& out,
                 const nb::dict& checkpoint, const std::vector<std::string>& files,
                 nb::object callback, const std::string& command);

/// The function of that name runs a job, with the settings of `standard` where none are given.
/// `keywords` must outlive the module.
template <class Input, std::size_t N>
void bind_job(nb::module_& m, const char* name, const Keyword<Input> (&keywords)[N],
              RunRecord (*run)(const Input&, const RunSettings&),
              std::vector<std::string> (*files)(const Input&), const RunSettings& standard = {}) {
  m.def(
      name,
      [&keywords, run, files, standard](
          const nb::dict& input, const nb::dict& settings, const nb::dict& options,
          const nb::dict& in_memory, const std::filesystem::path& out, const nb::dict& checkpoint,
          nb::object callback, const std::string& command) {
        Input what;
        assign(keywords, input, what);
        const auto job = [&](const RunSettings& s) { return run(what, s); };
        return run_job(job, make_settings(standard, settings, options, in_memory), out, checkpoint,
                       files(what), std::move(callback), command);
      },
      nb::arg("input"), nb::arg("settings"), nb::arg("options"), nb::arg("in_memory"),
      nb::arg("out"), nb::arg("checkpoint"), nb::arg("callback").none(), nb::arg("command"));
}

/// The function of that name writes the files of a simulation and returns the text of the JSON that
/// describes it.
template <class Simulation, std::size_t N>
void bind_simulation(nb::module_& m, const char* name, const Keyword<Simulation> (&keywords)[N],
                     Json (*simulate)(const Simulation&, const std::filesystem::path&)) {
  m.def(
      name,
      [&keywords, simulate](const nb::dict& given, const std::filesystem::path& folder,
                            const std::string& command) {
        Simulation simulation;
        assign(keywords, given, simulation);
        const Running here;
        Watch watch((nb::none()));
        simulation.interrupt = [&watch] { return watch.poll(); };
        simulation.command = command;
        const nb::gil_scoped_release release;
        return json_text(simulate(simulation, folder));
      },
      nb::arg("keywords"), nb::arg("folder"), nb::arg("command"));
}

}  // namespace projfgd::python
