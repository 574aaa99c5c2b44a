#include "projfgd/jobs/tomography.hpp"

#include <fmt/format.h>

#include <memory>

#include "common_options.hpp"
#include "data_options.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/text.hpp"
#include "projfgd/jobs/place.hpp"

namespace projfgd {
namespace {

constexpr const char* examples =
    "  projfgd tomography counts.json --rank auto --target ghz --out result\n"
    "  projfgd tomography pauli.csv --rank 1 --truth truth.npy --json\n"
    "  projfgd tomography result.json --basis-pattern 'tomo_([XYZ]+)' --readout cal.json";

constexpr const char* layouts =
    "DATA is one or more files, or folders made by projfgd simulate, read as one data set:\n"
    "  counts.json           {\"XX\": {\"00\": 450, \"01\": 38, ...}, ...}, or a file of Qiskit, "
    "Cirq,\n"
    "                        Braket, IonQ or PennyLane; or CSV with basis,outcome,count,\n"
    "                        or a spreadsheet's CSV with basis,00,01,10,11\n"
    "  pauli.csv             the columns pauli,expectation and optionally stderr; or JSON {\"XX\": "
    "0.9}\n\n";

constexpr const char *qubit0_at_right = "qubit0-right", *qubit0_at_left = "qubit0-left";

std::vector<std::string> orders() { return {qubit0_at_right, qubit0_at_left}; }

bool qubit0_left(const std::string& option, const std::string& text) {
  if (text == qubit0_at_left) return true;
  if (text == qubit0_at_right) return false;
  throw InputError(unknown_name("--" + option, text, orders()));
}

/// "0,2,3"
std::vector<int> parse_qubits(const std::string& text) {
  std::vector<int> qubits;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const double value = parse_number(std::string_view(text).substr(from, comma - from));
    if (!(value >= 0 && value < 64) || value != static_cast<int>(value)) {
      throw InputError(fmt::format("--reduced: found \"{}\", expected qubits as in 0,2", text));
    }
    qubits.push_back(static_cast<int>(value));
    from = comma + 1;
  }
  return qubits;
}

}  // namespace

void add_measurement_options(CLI::App& verb, Cli& cli, TomographyInput& input) {
  const char* group = "Data";
  MeasurementFormat& format = input.format;
  offer(cli, measurement_formats(),
        verb.add_option("--format", format.format, one_of(measurement_formats())))
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  const auto add_order = [&](const std::string& name, bool& left, const char* help) {
    CLI::Option* option = verb.add_option_function<std::string>(
        "--" + name, [name, &left](const std::string& text) { left = qubit0_left(name, text); },
        fmt::format("{}: {} [{}]", help, either(orders()), qubit0_at_right));
    offer(cli, orders(), option)->type_name("ORDER")->group(group);
  };
  add_order("bit-order", format.bits_qubit0_left, "Position of qubit 0 in a bit string");
  add_order("label-order", format.label_qubit0_left, "Position of qubit 0 in a label");
  verb.add_option("--basis-pattern", format.basis_pattern,
                  "Regular expression that finds the basis in the name of a circuit or file; its "
                  "groups are concatenated")
      ->type_name("REGEX")
      ->group(group);
  verb.add_option("--bases", input.bases, "JSON file with single-qubit bases other than X, Y and Z")
      ->type_name("FILE")
      ->group(group);
  verb.add_option("--shots", format.shots, "Shots per setting, for files with frequencies")
      ->type_name("N")
      ->group(group)
      ->check(number_check([](double n) { return n > 0; }, "a number above 0"));
  verb.add_option("--readout", input.readout,
                  "Readout calibration (JSON): counts of prepared states, a 2 x 2 matrix for each "
                  "qubit, or one matrix for all qubits")
      ->type_name("FILE")
      ->group(group);
}

namespace {

void add_question_options(CLI::App& verb, Cli& cli, TomographyInput& input) {
  const char* group = "Questions";
  offer(cli, state_names(),
        verb.add_option("--target", input.target,
                        "State to compare with: " +
                            either(state_names(), "a file of amplitudes (NPY or JSON)") +
                            "; or the folder of another run"))
      ->type_name("STATE")
      ->group(group);
  verb.add_option("--observables", input.observables, "Pauli strings to estimate, one per line")
      ->type_name("FILE")
      ->group(group);
  verb.add_option_function<std::vector<std::string>>(
          "--reduced",
          [&input](const std::vector<std::string>& lists) {
            for (const std::string& list : lists) input.reduced.push_back(parse_qubits(list));
          },
          "Qubits of a reduced state to write; may be repeated: --reduced 0,2 --reduced 1")
      ->type_name("QUBITS")
      ->allow_extra_args(false)
      ->group(group);
}

}  // namespace

void add_tomography(CLI::App& app, Cli& cli) {
  CLI::App* verb = add_verb(app, "tomography",
                            "Estimate a quantum state from counts or Pauli expectations", examples);
  const auto input = std::make_shared<TomographyInput>();
  verb->add_option("DATA", input->data, "Counts or Pauli expectations")->required();
  add_measurement_options(*verb, cli, *input);
  offer(cli, state_loss_names(),
        verb->add_option("--loss", input->loss, either(state_loss_names())))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Data");
  const std::vector<std::string> noises = white_noise_names(), errors = errors_names();
  offer(
      cli, noises,
      verb->add_option("--white-noise", input->white_noise,
                       "Include white noise in the model when the rank is chosen automatically: " +
                           either(noises)))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Data");
  add_question_options(*verb, cli, *input);
  offer(
      cli, errors,
      verb->add_option("--errors", input->errors,
                       "95% intervals: " + either(errors) + "; bootstrap:N uses N resamples [200]"))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Questions");
  add_run_options(*verb, cli, true);
  add_device_option(*verb, cli, input->device)->group("Solver");
  offer(cli, state_constraint_names(), verb->get_option("--constraint"))
      ->description(constraint_help(state_constraint_names(), default_state_constraint));
  verb->footer(layouts + verb->get_footer());
  verb->callback([&cli, input] {
    cli.files = tomography_files(*input);
    cli.is_shared = true;
    cli.action = [&cli, input] { return finish_run(cli, run_tomography(*input, cli.settings)); };
  });
}

}  // namespace projfgd
