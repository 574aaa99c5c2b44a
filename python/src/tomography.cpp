#include "projfgd/jobs/tomography.hpp"

#include <nanobind/eigen/dense.h>

#include <complex>

#include "jobs.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/state_file.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/measures/entanglement.hpp"
#include "projfgd/measures/state.hpp"

namespace projfgd::python {
namespace {

/// Where qubit 0 is: "qubit0-right", as in Qiskit, or "qubit0-left".
template <bool MeasurementFormat::*Field>
void set_order(TomographyInput& input, nb::handle value) {
  const auto text = nb::cast<std::string>(value);
  if (text != "qubit0-left" && text != "qubit0-right") throw nb::cast_error();
  input.format.*Field = text == "qubit0-left";
}

template <auto Field>
void set_format(TomographyInput& input, nb::handle value) {
  set_field<Field>(input.format, value);
}

constexpr const char* order = "qubit0-right or qubit0-left";

constexpr Keyword<TomographyInput> input_keywords[] = {
    {"data", "paths", set_field<&TomographyInput::data, TomographyInput>},
    {"format", "a name", set_format<&MeasurementFormat::format>},
    {"label_order", order, set_order<&MeasurementFormat::label_qubit0_left>},
    {"bit_order", order, set_order<&MeasurementFormat::bits_qubit0_left>},
    {"basis_pattern", "a regular expression", set_format<&MeasurementFormat::basis_pattern>},
    {"bases", "a path", set_field<&TomographyInput::bases, TomographyInput>},
    {"shots", "a number", set_format<&MeasurementFormat::shots>},
    {"loss", "a name", set_field<&TomographyInput::loss, TomographyInput>},
    {"white_noise", "a name", set_field<&TomographyInput::white_noise, TomographyInput>},
    {"errors", "a name", set_field<&TomographyInput::errors, TomographyInput>},
    {"observables", "a path", set_field<&TomographyInput::observables, TomographyInput>},
    {"readout", "a path", set_field<&TomographyInput::readout, TomographyInput>},
    {"target", "a name or a path", set_field<&TomographyInput::target, TomographyInput>},
    {"target_name", "a text", set_field<&TomographyInput::target_name, TomographyInput>},
    {"device", "auto, cpu, gpu or gpu:K", set_field<&TomographyInput::device, TomographyInput>},
};

constexpr Keyword<PauliSimulation> pauli_keywords[] = {
    {"qubits", "an integer", set_field<&PauliSimulation::qubits, PauliSimulation>},
    {"rank", "an integer", set_field<&PauliSimulation::rank, PauliSimulation>},
    {"csam", "a number", set_field<&PauliSimulation::csam, PauliSimulation>},
    {"noise_norm", "a number", set_field<&PauliSimulation::noise_norm, PauliSimulation>},
    {"seed", "an integer >= 0", set_field<&PauliSimulation::seed, PauliSimulation>},
    {"samples", "a name", set_field<&PauliSimulation::samples, PauliSimulation>},
    {"device", "auto, cpu, gpu or gpu:K", set_field<&PauliSimulation::device, PauliSimulation>},
};

constexpr Keyword<CountsSimulation> counts_keywords[] = {
    {"qubits", "an integer", set_field<&CountsSimulation::qubits, CountsSimulation>},
    {"state", "a name", set_field<&CountsSimulation::state, CountsSimulation>},
    {"mix", "states and weights", set_field<&CountsSimulation::mix, CountsSimulation>},
    {"shots", "an integer", set_field<&CountsSimulation::shots, CountsSimulation>},
    {"settings", "an integer", set_field<&CountsSimulation::settings, CountsSimulation>},
    {"depolarizing", "a number", set_field<&CountsSimulation::depolarizing, CountsSimulation>},
    {"readout_error", "a number", set_field<&CountsSimulation::readout_error, CountsSimulation>},
    {"drift", "a number", set_field<&CountsSimulation::drift, CountsSimulation>},
    {"projectors", "a name", set_field<&CountsSimulation::projectors, CountsSimulation>},
    {"accidentals", "a number", set_field<&CountsSimulation::accidentals, CountsSimulation>},
    {"seed", "an integer >= 0", set_field<&CountsSimulation::seed, CountsSimulation>},
};

using ArrayArgument = nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>;

/// The factor of the state in `array`, for a state of the rows of u.
StateFactor target_of(const StateFactor& u, const ArrayArgument& array) {
  return to_state(from_python(array), u.rows(), "target");
}

}  // namespace

void bind_tomography(nb::module_& m) {
  m.attr("full_rank") = full_rank;
  m.attr("starts") = nb::cast(start_names());
  bind_job(m, "tomography", input_keywords, run_tomography, tomography_files);
  bind_simulation(m, "simulate_pauli", pauli_keywords, simulate_pauli);
  bind_simulation(m, "simulate_counts", counts_keywords, simulate_counts);
  m.def("normalised", &normalised, nb::arg("factor"), "U / ||U||_F");
  m.def(
      "fidelity",
      [](const StateFactor& u, const ArrayArgument& target) {
        return fidelity(u, target_of(u, target));
      },
      nb::arg("factor"), nb::arg("target"));
  m.def(
      "trace_distance",
      [](const StateFactor& u, const ArrayArgument& target) {
        return trace_distance(u, target_of(u, target));
      },
      nb::arg("factor"), nb::arg("target"));
  m.def(
      "expectations",
      [](const std::vector<std::string>& labels, const StateFactor& u) {
        std::vector<PauliString> strings;
        for (const std::string& label : labels) strings.push_back(parse_pauli(label));
        return expectations(strings, u);
      },
      nb::arg("labels"), nb::arg("factor"));
  m.def("negativity", &negativity, nb::arg("factor"), nb::arg("qubits"));
  m.def("entropy", &entropy, nb::arg("eigenvalues"), "In bits.");
  m.def("reduced_state", &reduced_state, nb::arg("factor"), nb::arg("qubits"));
  m.def(
      "named_state", [](const std::string& name, int qubits) { return named_state(name, qubits); },
      nb::arg("name"), nb::arg("qubits"));
  m.def(
      "read_amplitudes",
      [](const std::string& path, int qubits) {
        return to_state(parse_state({path, read_file(path)}, qubits), Index{1} << qubits, path);
      },
      nb::arg("path"), nb::arg("qubits"), "A pure state in a JSON file.");
  m.def(
      "headline",
      [](const std::string& summary) {
        return start_report("", "", nlohmann::ordered_json::parse(summary)).headline;
      },
      nb::arg("summary"), "The answer in a line, from the text of summary.json.");
}

}  // namespace projfgd::python
