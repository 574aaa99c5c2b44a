#include "projfgd/jobs/tomography.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

#include "jobs/common/hermitian.hpp"
#include "jobs/common/make_record.hpp"
#include "jobs/common/start_file.hpp"
#include "jobs/tomography/problem.hpp"
#include "jobs/tomography/warnings.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/measures/state.hpp"

namespace projfgd {
namespace {

constexpr const char* density_file = "density_matrix.npy";

std::string reduced_file(const std::vector<int>& qubits) {
  return fmt::format("reduced_{}.npy", fmt::join(qubits, "_"));
}

constexpr double trace_of_files = 1e-2;     // how far from 1 a trace may be
constexpr double size_of_factors = 0.5;     // how far from 1 the norm of a factor may be
constexpr double roughly_hermitian = 1e-3;  // what other programs round

StateFactor read_state(const std::filesystem::path& path, Index n, InputFiles& inputs) {
  return to_state(inputs.npy(path), n, path);
}

StateFactor target_state(const std::string& target, int qubits, InputFiles& inputs) {
  const Index n = Index{1} << qubits;
  const std::filesystem::path path(target);
  if (inputs.in_memory(path) || path.has_extension() || path.has_parent_path()) {
    return read_state(path, n, inputs);
  }
  try {
    return named_state(target, qubits);
  } catch (const InputError& error) {
    throw InputError(fmt::format("option target: {}, or an NPY file", error.what()));
  }
}

Json to_json(const Vector<double>& values) {
  Json list = Json::array();
  for (const double v : values) list.push_back(v);
  return list;
}

/// Everything that is read before the solver starts, so that bad input costs no waiting.
struct Questions {
  std::vector<std::string> labels;
  StateFactor target;
  std::string target_name;
};

Questions read_questions(const TomographyInput& input, int qubits, InputFiles& inputs) {
  Questions ask;
  if (!input.observables.empty()) {
    ask.labels = parse_observables({input.observables, inputs.read(input.observables)}, qubits);
  }
  for (const auto& kept : input.reduced) {
    if (kept.empty() || kept.size() > 12) {
      throw InputError(
          fmt::format("option reduced: found {} qubits, expected 1 to 12", kept.size()));
    }
    validate_qubits(kept, qubits);
  }
  if (!input.target.empty()) {
    ask.target = target_state(input.target, qubits, inputs);
    ask.target_name = input.target_name.empty() ? input.target : input.target_name;
  }
  return ask;
}

void describe_state(const TomographyInput& input, const Questions& ask,
                    const std::shared_ptr<const StateFactor>& state, RunRecord& record) {
  const StateFactor& u = *state;
  Json& summary = record.summary;
  summary["purity"] = purity(u);
  const Vector<double> spectrum = eigenvalues(u);
  summary["entropy"] = entropy(spectrum);
  if (ask.target.size() > 0) {
    summary["target"] = ask.target_name;
    summary["fidelity"] = fidelity(u, ask.target);
    summary["trace_distance"] = trace_distance(u, ask.target);
  }
  summary["eigenvalues"] = to_json(spectrum);
  if (!ask.labels.empty()) {
    std::vector<PauliString> strings;
    for (const std::string& label : ask.labels) {
      // The labels of observables run as those of the data do.
      const bool turned = input.format.label_qubit0_left;
      strings.push_back(parse_pauli(turned ? std::string(label.rbegin(), label.rend()) : label));
    }
    const Vector<double> values = expectations(strings, u);
    for (std::size_t k = 0; k < strings.size(); ++k) {
      summary["expectations"][ask.labels[k]] = values[static_cast<Index>(k)];
    }
  }
  for (const auto& kept : input.reduced) {
    const Matrix<std::complex<double>> rho = reduced_state(u, kept);
    summary["reduced_purity"][fmt::format("{}", fmt::join(kept, "_"))] = rho.squaredNorm();
    record.files.emplace_back(reduced_file(kept), npy_bytes(to_array(rho)));
  }
  if (u.rows() <= largest_density_matrix) {
    const auto write = [state](const std::filesystem::path& path) {
      write_npy(path, state->rows(), state->rows(),
                [&state](Index first, StateFactor& rows) { density_rows(*state, first, rows); });
    };
    record.large_files.emplace_back(density_file, write);
  }
}

/// A likelihood is infinite where something was counted that no state in the set can give.
template <class S>
void refuse_impossible(const RunSettings& settings, const StateProblem<S>& state,
                       const RunRecord& record) {
  if (state.loss != state_loss::poisson || record.status != Status::diverged ||
      settings.constraint.empty() || record.summary["iterations"] > 0) {
    return;
  }
  throw InputError(
      fmt::format("constraint {}: found counts of outcomes that no state in the set has, expected "
                  "a larger set, or --loss least-squares",
                  settings.constraint));
}

template <class S, class Data>
RunRecord run(const TomographyInput& input, const RunSettings& settings, const Data& data,
              InputFiles& inputs, const Stopwatch& watch) {
  StateModel model = read_model(input, settings, data.qubits, inputs);
  Questions ask = read_questions(input, data.qubits, inputs);
  StateProblem<S> state = make_problem<S>(data, model, settings);
  read_start(settings, inputs, state.problem);
  model.set = state.set;  // what is fitted to compare with must be in the same set
  if (ask.target.size() == 0 && state.truth.size() > 0) {
    ask.target = state.truth;
    ask.target_name = "truth";
  }
  if (noise_is_known(data)) {
    state.noise.misfit = [&](const Matrix<S>& u) {
      return goodness(data, predictions(state, u)).ratio();
    };
  }
  const double setup_seconds = watch.seconds();

  StateAnswer<S> out = settings.rank == 0 ? solve_any_rank(state.problem, settings, state.noise)
                                          : solve_state(state.problem, settings, state.noise);
  const Matrix<S> u = out.answer.result.factor;
  RunRecord record =
      make_record(state.problem, settings, std::move(out.answer), setup_seconds, inputs);
  Json& summary = record.summary;
  summary["qubits"] = state.qubits;
  if (state.settings > 0) summary["settings"] = state.settings;
  if (state.shots > 0) summary["shots"] = state.shots;
  summary["loss"] = state.loss;
  summary["constraint"] = state.set->text();
  refuse_impossible(settings, state, record);
  if (!(norm(u) > 0)) {
    throw InputError(
        fmt::format("{}: found data that X = 0 explains best, expected those of a state",
                    fmt::join(inputs.names(), ", ")));
  }
  const auto factor =
      std::make_shared<const StateFactor>(normalised(u.template cast<std::complex<double>>()));
  describe_state(input, ask, factor, record);
  const Vector<double> predicted = predictions(state, u);
  const StateFit<S, Data> fit{
      input, settings, data, model, state, u, predicted, record.status == Status::converged, [&] {
        return watch.seconds() - setup_seconds;
      }};
  std::vector<std::string> warnings = notes_of_files(input, inputs);
  for (std::string& line : judge(fit, summary)) warnings.push_back(std::move(line));
  if (ask.target.size() > 0) {
    if (const auto line = reversed_line(*factor, ask.target, summary["fidelity"])) {
      warnings.push_back(*line);
    }
  }
  if (settings.rank == 0) {
    summary["rank_reason"] = out.note;
  } else if (!out.note.empty()) {
    warnings.push_back(out.note);
  }
  add_warnings(warnings, summary);
  record.report = [summary, factor, shown = fit_of(data, predicted / u.squaredNorm())](
                      Report& page) { add_tomography(page, summary, *factor, shown); };
  return record;
}

}  // namespace

StateFactor to_state(const Array& array, Index n, const std::filesystem::path& path) {
  require_finite(array, path);
  const StateFactor m = to_matrix<std::complex<double>>(array, path);
  if (m.rows() != n || m.cols() < 1) {
    throw InputError(fmt::format("{}: found shape {}, expected a state of dimension {}",
                                 path.string(), shape_text(array.shape), n));
  }
  if (!(m.norm() > 0)) {
    throw InputError(fmt::format("{}: found zeros, expected a state", path.string()));
  }
  if (m.rows() != m.cols()) return normalised(m);
  // A density matrix has trace 1, a factor the norm 1; a pure state has both and is its own factor.
  const double trace = m.trace().real(), size = m.norm();
  const double off_density = std::abs(trace - 1), off_factor = std::abs(size - 1);
  const bool hermitian = is_hermitian(m, roughly_hermitian);
  const bool density = off_density <= trace_of_files;
  // -|psi><psi| may be a factor, but a pure state of the wrong sign is the likelier one.
  const bool negated = std::abs(trace + 1) <= rounding_of_files;
  const bool factor = hermitian
                          ? off_factor < off_density && off_factor <= rounding_of_files && !negated
                          : !density && off_factor <= size_of_factors;
  if (factor) return normalised(m);
  if (hermitian && density) return normalised(factor_of(m, path));
  if (hermitian && trace < 0) {
    throw InputError(
        fmt::format("{}: found a Hermitian matrix of trace {:.6g}, expected a density matrix of "
                    "trace 1",
                    path.string(), trace));
  }
  throw InputError(fmt::format(
      "{}: found a square matrix, {}, of trace {:.6g} and norm {:.6g}, expected a density matrix "
      "of trace 1 or a factor of norm 1",
      path.string(), hermitian ? "Hermitian" : "not Hermitian", trace, size));
}

std::vector<std::string> tomography_files(const TomographyInput& input) {
  std::vector<std::string> files = output_names();
  files.emplace_back(density_file);
  for (const auto& qubits : input.reduced) files.push_back(reduced_file(qubits));
  return files;
}

RunRecord run_tomography(const TomographyInput& input, const RunSettings& asked) {
  const Stopwatch watch;
  InputFiles inputs(asked.in_memory);
  const Measurements measured = read_measurements(input, inputs);
  const RunSettings settings = with_rank(asked, measured);
  return std::visit(
      [&](const auto& data) {
        if (settings.single_precision) {
          return run<std::complex<float>>(input, settings, data, inputs, watch);
        }
        return run<std::complex<double>>(input, settings, data, inputs, watch);
      },
      measured);
}

}  // namespace projfgd
