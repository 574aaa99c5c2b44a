#include "jobs/tomography/read.hpp"

#include <fmt/format.h>

#include <set>
#include <system_error>

#include "jobs/common/listening.hpp"
#include "jobs/common/magnitudes.hpp"
#include "jobs/common/start_file.hpp"
#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/report.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/state_file.hpp"
#include "projfgd/jobs/record.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"

namespace projfgd {
namespace {

constexpr std::size_t most_reduced_qubits = 12;  // a joint state of 4096 x 4096 numbers

/// The file itself, or of a folder the measurements that a simulation wrote there.
std::filesystem::path data_file(const std::filesystem::path& path, const InputFiles& inputs) {
  std::error_code ignored;
  if (inputs.in_memory(path) || !std::filesystem::is_directory(path, ignored)) return path;
  const bool counts = std::filesystem::exists(path / counts_file);
  const bool paulis = std::filesystem::exists(path / pauli_file);
  if (counts != paulis) return path / (counts ? counts_file : pauli_file);
  throw InputError(fmt::format(
      "{}: found a folder with {} {} {} {}, expected one of them, or the files themselves",
      path.string(), counts ? "both" : "neither", counts_file, counts ? "and" : "nor", pauli_file));
}

/// The state in a folder of results; any other path as it is.
std::filesystem::path state_in(const std::filesystem::path& path) {
  for (const char* name : {density_file, factor_file}) {
    std::error_code ignored;
    if (std::filesystem::exists(path / name, ignored)) return path / name;
  }
  return path;
}

Measurements read_measurements(const TomographyInput& input, InputFiles& inputs) {
  std::vector<NamedBytes> files;
  for (const auto& path : input.data) {
    const std::filesystem::path file = data_file(path, inputs);
    files.push_back({file, inputs.read(file)});
  }
  MeasurementFormat format = input.format;
  if (!input.bases.empty()) format.bases = {input.bases, inputs.read(input.bases)};
  return parse_measurements(files, format);
}

/// Counts have their size by nature, and readers look at it.
void require_magnitudes(const Measurements& measured, bool single, const std::string& where) {
  const auto* const paulis = std::get_if<PauliData>(&measured);
  if (paulis == nullptr) return;
  const MagnitudeRange range = data_magnitudes(single);
  require_magnitude(paulis->values.cwiseAbs().maxCoeff(), range, where, "largest expectation");
  if (paulis->errors.size() == 0) return;
  require_magnitude(paulis->errors.minCoeff(), range, where, "smallest standard error");
}

std::vector<std::string> notes_of_files(const TomographyInput& input, const InputFiles& inputs) {
  std::vector<std::string> notes;
  std::set<std::filesystem::path> seen;
  for (const auto& given : input.data) {
    const std::filesystem::path path = data_file(given, inputs);
    std::error_code ignored;
    if (!seen.insert(std::filesystem::weakly_canonical(path, ignored)).second) {
      notes.push_back(path.string() +
                      " was given more than once, so its data are counted more than once");
    }
  }
  return notes;
}

ModelChoice read_choice(const TomographyInput& input, const RunSettings& settings, int qubits,
                        InputFiles& inputs) {
  require_name("--white-noise", input.white_noise, white_noise_names());
  bootstrap_refits(input.errors);  // throws for what is no such option
  ModelChoice choice{input.loss};
  if (!input.readout.empty()) {
    choice.readout = parse_readout({input.readout, inputs.read(input.readout)}, qubits,
                                   input.format.bits_qubit0_left);
  }
  if (!settings.constraint.empty()) {
    choice.set = with_mask(parse_constraint(settings.constraint), inputs);
  }
  return choice;
}

/// From NPY, or amplitudes in JSON.
StateFactor read_state(const std::filesystem::path& path, int qubits, InputFiles& inputs) {
  const bool json = !inputs.in_memory(path) && path.extension() == ".json";
  return to_state(json ? parse_state({path, inputs.read(path)}, qubits) : inputs.npy(path),
                  Index{1} << qubits, path);
}

StateFactor target_state(const std::string& target, int qubits, InputFiles& inputs) {
  const std::filesystem::path path = state_in(target);
  if (inputs.in_memory(path) || path.has_extension() || path.has_parent_path()) {
    return read_state(path, qubits, inputs);
  }
  const std::vector<std::string> names = state_names();
  if (std::ranges::find(names, target) == names.end()) {
    throw InputError(unknown_name("--target", target, names, "a file of amplitudes (NPY or JSON)"));
  }
  return named_state(target, qubits);
}

StateQuestions read_questions(const TomographyInput& input, int qubits, InputFiles& inputs) {
  StateQuestions ask;
  if (!input.observables.empty()) {
    ask.labels = parse_observables({input.observables, inputs.read(input.observables)}, qubits);
  }
  for (const std::string& label : ask.labels) {
    // The labels of observables run as those of the data do.
    const bool turned = input.format.label_qubit0_left;
    ask.paulis.push_back(parse_pauli(turned ? std::string(label.rbegin(), label.rend()) : label));
  }
  for (const auto& kept : input.reduced) {
    if (kept.empty() || kept.size() > most_reduced_qubits) {
      throw InputError(fmt::format("--reduced: found {} qubits, expected 1 to {}", kept.size(),
                                   most_reduced_qubits));
    }
    validate_qubits(kept, qubits);
  }
  ask.reduced = input.reduced;
  if (!input.target.empty()) {
    ask.target = target_state(input.target, qubits, inputs);
    ask.target_name = input.target_name.empty() ? input.target : input.target_name;
  }
  return ask;
}

/// It may be a factor or a density matrix and is no part of the input: the answer does not depend
/// on it.
StateFactor read_truth(const RunSettings& settings, int qubits) {
  if (settings.truth.empty()) return {};
  InputFiles apart = settings.inputs();
  return read_state(settings.truth, qubits, apart);
}

}  // namespace

bool has_measurements(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / counts_file) ||
         std::filesystem::exists(folder / pauli_file);
}

TomographyData read_tomography(const TomographyInput& input, const RunSettings& settings) {
  const Listening listening = listen_to_user(settings);
  InputFiles inputs = settings.inputs();
  TomographyData data{read_measurements(input, inputs)};
  require_magnitudes(data.measured, settings.single_precision, input.data[0].string());
  const int qubits = qubits_of(data.measured);
  data.choice = read_choice(input, settings, qubits, inputs);
  data.questions = read_questions(input, qubits, inputs);
  data.truth = read_truth(settings, qubits);
  data.start = read_start<std::complex<double>>(settings, Index{1} << qubits, inputs);
  data.notes = notes_of_files(input, inputs);
  data.inputs = std::move(inputs);
  if (data.questions.target.size() == 0 && data.truth.size() > 0) {
    data.questions.target = data.truth;
    data.questions.target_name = "truth";
  }
  return data;
}

}  // namespace projfgd
