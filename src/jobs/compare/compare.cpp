#include "projfgd/jobs/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "jobs/common/make_record.hpp"
#include "jobs/common/start_file.hpp"
#include "jobs/common/trace_methods.hpp"
#include "jobs/compare/methods.hpp"
#include "jobs/phase/prepared.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/table.hpp"

namespace projfgd {
namespace {

constexpr const char *table_file = "compare.csv", *report_file = "report.html",
                     *summary_file = "compare.json";
std::string trace_file(const std::string& method) { return "trace-" + method + ".csv"; }

std::vector<std::string> methods_of(const CompareInput& input, bool phase) {
  return input.methods.empty() ? default_methods(phase) : input.methods;
}

/// Eigenvalues of X that are more than rounding or the tail of an average.
template <class S>
Index numerical_rank(const Matrix<S>& u) {
  const Vector<RealOf<S>> values = hermitian_eigenvalues(gram(u, u));
  return (values.array() > values.maxCoeff() * RealOf<S>(1e-6)).count();
}

/// The members of a summary that one line of the comparison shows.
ComparedRun shown(RunRecord record, const std::string& method) {
  ComparedRun run{method, record.status, Json::object(), std::move(record.trace)};
  run.row["method"] = method;
  for (const char* key :
       {"status", "relative_error", "psnr", "misfit", "loss", "objective", "seconds", "iterations",
        "forward_calls", "adjoint_calls", "eigenvector_calls", "transforms", "rank", "gap",
        "certified", "outside_set"}) {
    if (record.summary.contains(key)) run.row[key] = record.summary[key];
  }
  // The error of the last point is known, even where those on the way were spared.
  const auto error = run.row.find("relative_error");
  if (!run.trace.empty() && error != run.row.end() && error->is_number()) {
    run.trace.back().relative_error = error->get<double>();
  }
  for (const Json& line : record.summary.value("warnings", Json::array())) {
    run.warnings.push_back(line.get<std::string>());
  }
  return run;
}

/// What the methods have to say, once where all say it.
Json warnings_of(const std::vector<ComparedRun>& runs) {
  Json lines = Json::array();
  for (const ComparedRun& run : runs) {
    for (const std::string& line : run.warnings) {
      const auto says = [&line](const ComparedRun& other) {
        return std::ranges::find(other.warnings, line) != other.warnings.end();
      };
      const bool all = runs.size() > 1 && std::ranges::all_of(runs, says);
      const Json entry = all ? line : run.method + ": " + line;
      if (std::ranges::find(lines, entry) == lines.end()) lines.push_back(entry);
    }
  }
  return lines;
}

/// One for each method that was asked for, whether it ran or not.
Json rows_of(const std::vector<ComparedRun>& runs, const std::vector<std::string>& methods) {
  Json rows = Json::array();
  for (const ComparedRun& run : runs) rows.push_back(run.row);
  for (std::size_t k = runs.size(); k < methods.size(); ++k) {
    rows.push_back({{"method", methods[k]}, {"status", "not_run"}});
  }
  return rows;
}

std::vector<std::string> chosen(const std::vector<std::string>& methods, const auto& is_one) {
  std::vector<std::string> some;
  std::ranges::copy_if(methods, std::back_inserter(some), is_one);
  return some;
}

/// At which rank a comparison was made for which none was asked.
std::string rank_line(const std::vector<std::string>& methods) {
  const auto others = chosen(methods, [](const auto& method) { return !keeps_rank(method); });
  if (others.empty()) return "all methods were compared at rank 1; --rank asks for another";
  return fmt::format(
      "methods with a fixed rank have rank 1, and {} began there and found the rank of {}; --rank "
      "asks for another",
      fmt::join(others, ", "), others.size() == 1 ? "its answer" : "their answers");
}

/// Methods that are one and the same where there is no set to tell them apart.
std::vector<std::string> same_without_set(const std::vector<std::string>& methods) {
  const std::vector<std::vector<std::string>> families = {
      {"gerchberg-saxton", "error-reduction", "hio"}, {"wirtinger-flow", "paper-projfgd"}};
  std::vector<std::string> lines;
  for (const auto& family : families) {
    const auto same =
        chosen(methods, [&](const auto& method) { return std::ranges::count(family, method) > 0; });
    if (same.size() < 2) continue;
    lines.push_back(
        fmt::format("{} take the same steps: they differ by what they do with a set, and neither "
                    "--constraint nor --support gives one",
                    fmt::join(same, " and ")));
  }
  return lines;
}

Json common_summary(const char* job, const RunSettings& settings) {
  const Options& o = settings.options;
  Json summary = {{"job", job},
                  {"init", settings.init},
                  {"tolerance", o.tolerance},
                  {"max_iterations", o.max_iterations}};
  summary["time_limit"] = o.time_limit;
  summary["seed"] = o.seed;
  return summary;
}

template <class S, class Data>
Comparison compare_state(const CompareInput& input, const RunSettings& settings, const Data& data,
                         InputFiles& inputs) {
  StateModel model = read_model(input.tomography, settings, data.qubits, inputs);
  model.loss = input.loss;
  if (!model.set) model.set = parse_constraint(default_state_constraint);  // which all can have
  std::vector<std::string> lines;
  const auto squares = chosen(input.methods, needs_least_squares);
  const std::string usual = usual_loss(data);
  if (model.loss == state_loss::automatic && !squares.empty() && usual == state_loss::poisson) {
    lines.push_back(
        fmt::format("all methods take least squares, the only loss of {}: without {} it would be "
                    "{}, and --loss decides",
                    fmt::join(squares, ", "), squares.size() == 1 ? "it" : "them", usual));
    model.loss = state_loss::least_squares;
  }
  StateProblem<S> state = make_problem<S>(data, model, settings);
  read_start(settings, inputs, state.problem);
  Comparison out{common_summary("tomography", settings),
                 compare_methods(state, input.methods, settings, true, input.done)};
  out.summary["qubits"] = state.qubits;
  out.summary["rank"] = settings.rank;
  out.summary["dimension"] = state.problem.op.rows();
  out.summary["measurements"] = state.problem.op.measurements();
  out.summary["loss"] = state.loss;
  out.summary["constraint"] = state.set->text();
  add_warnings(lines, out.summary);
  return out;
}

Comparison compare_tomography(const CompareInput& input, RunSettings settings) {
  const bool rank_given = settings.rank != 0;
  if (!rank_given) settings.rank = 1;
  InputFiles inputs(settings.in_memory);
  const Measurements measured = read_measurements(input.tomography, inputs);
  settings = with_rank(std::move(settings), measured);
  Comparison out = std::visit(
      [&](const auto& data) {
        if (settings.single_precision) {
          return compare_state<std::complex<float>>(input, settings, data, inputs);
        }
        return compare_state<std::complex<double>>(input, settings, data, inputs);
      },
      measured);
  if (!rank_given) add_warnings({rank_line(input.methods)}, out.summary);
  out.summary["input"] = inputs.names();
  out.summary["input_sha256"] = inputs.sha256();
  return out;
}

Comparison compare_phase(const CompareInput& input, const RunSettings& settings) {
  Comparison out{common_summary("phase", settings), {}};
  const PreparedPhase run = prepare_phase(input.phase, settings);
  for (const std::string& method : input.methods) {
    RunSettings one = settings;
    one.method = method;
    RunRecord record = run(one);
    for (const char* key :
         {"dimension", "measurements", "patterns", "constraint", "input", "input_sha256"}) {
      out.summary[key] = record.summary[key];
    }
    if (out.runs.empty() && record.summary["constraint"] == "none" &&
        !record.summary.contains("support")) {
      add_warnings(same_without_set(input.methods), out.summary);
    }
    out.runs.push_back(shown(std::move(record), method));
    if (input.done) input.done(out.runs.back());
    if (is_interrupted(settings.interrupt)) break;
  }
  return out;
}

/// Before any file is read.
void require_methods(const std::vector<std::string>& methods,
                     const std::vector<std::string>& known) {
  for (auto it = methods.begin(); it != methods.end(); ++it) {
    if (std::find(known.begin(), known.end(), *it) == known.end()) {
      throw InputError(fmt::format("option methods: found \"{}\", expected some of {}", *it,
                                   fmt::join(known, ", ")));
    }
    if (std::find(methods.begin(), it, *it) != it) {
      throw InputError(fmt::format("option methods: found \"{}\" twice, expected it once", *it));
    }
  }
}

}  // namespace

bool is_phase_data(const CompareInput& input) {
  if (!input.phase.masks.empty() || !input.phase.vectors.empty()) return true;
  if (input.tomography.format.format != MeasurementFormat().format) return false;
  return std::ranges::any_of(input.data, [&](const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    const bool alone = input.data.size() == 1;  // two are the bits and recipes of shadows
    const bool folder = std::filesystem::is_directory(path) && !has_measurements(path);
    return folder || (alone && ending == ".npy") || ending == ".h5" || ending == ".hdf5" ||
           ending == ".cxi";
  });
}

std::vector<std::string> default_methods(bool phase) {
  if (phase) return {"projfgd", "wirtinger-flow", "gerchberg-saxton", "hio"};
  return {"projfgd", "rsvp", "sparse-approx-sdp", "acc-uni-pd-grad"};
}

template <class S>
std::vector<ComparedRun> compare_methods(const StateProblem<S>& state,
                                         const std::vector<std::string>& methods,
                                         const RunSettings& settings, bool certify,
                                         const MethodDone& done) {
  const Problem<S>& problem = state.problem;
  Noise<S> noise = state.noise;
  noise.data = 0;  // so that the change of X alone stops a method, whichever it is
  noise.likelihood = false;
  for (const std::string& method : methods) require_method_for(problem, method, "methods");
  std::vector<ComparedRun> runs;
  for (const std::string& method : methods) {
    RunSettings one = settings;
    one.method = method;
    one.spare_errors = true;
    Answer<S> answer = solve_state(problem, one, noise).answer;
    const Matrix<S> u = answer.result.factor;
    RunRecord record = make_record(problem, one, std::move(answer), 0, InputFiles());
    record.summary["rank"] = numerical_rank(u);
    const double trace = record.summary["trace"].get<double>();
    const double rounding = std::max<double>(1e-6, 100 * std::numeric_limits<RealOf<S>>::epsilon());
    if (trace > (1 + rounding) * problem.trace_bound) {
      record.summary["outside_set"] = true;
      record.summary.erase("gap");
      add_warnings(
          {fmt::format("the answer is outside the set, tr X = {:.5g} where {:.5g} is the "
                       "most: it has no gap, and its figures are not ranked with the others",
                       trace, problem.trace_bound)},
          record.summary);
    } else if (const auto gap = certify ? optimality_gap_of(problem, u) : std::nullopt) {
      record.summary["gap"] = gap->value;
      record.summary["certified"] = gap->certified;
    }
    runs.push_back(shown(std::move(record), method));
    if (done) done(runs.back());
    if (is_interrupted(settings.interrupt)) break;
  }
  return runs;
}

Comparison run_comparison(const CompareInput& input, const RunSettings& asked) {
  validate(asked.options);
  RunSettings settings = asked;
  double& limit = settings.options.time_limit;
  if (!std::isfinite(limit)) limit = compare_time_limit;
  const bool phase = is_phase_data(input);
  CompareInput full = input;
  full.methods = methods_of(input, phase);
  require_methods(full.methods, phase ? phase_method_names() : method_names());
  if (phase && full.data.size() != 1) {
    throw InputError(fmt::format(
        "data: found {} files or folders, expected one data set of intensities", full.data.size()));
  }
  if (phase) {
    full.phase.data = full.data.front();
    full.phase.loss = full.loss;
  } else {
    full.tomography.data = full.data;
  }
  Comparison out = phase ? compare_phase(full, settings) : compare_tomography(full, settings);
  out.summary["precision"] = settings.single_precision ? "single" : "double";
  out.summary["version"] = version();
  out.summary["threads"] = threads();
  out.whole = out.runs.size() == full.methods.size();
  if (!out.whole) {
    const std::vector<std::string> missing(
        full.methods.begin() + static_cast<std::ptrdiff_t>(out.runs.size()), full.methods.end());
    add_warnings({fmt::format("interrupted: {} did not run", fmt::join(missing, ", "))},
                 out.summary);
  }
  for (Json& line : warnings_of(out.runs)) out.summary["warnings"].push_back(std::move(line));
  out.summary["methods_asked"] = full.methods;
  out.summary["methods"] = rows_of(out.runs, full.methods);
  return out;
}

Table comparison_table(const Json& rows) {
  return table_of(rows, {{"method", "method"},
                         {"status", "status"},
                         {"relative_error", "error"},
                         {"psnr", "PSNR"},
                         {"misfit", "misfit"},
                         {"loss", "loss"},
                         {"objective", "objective"},
                         {"seconds", "seconds"},
                         {"iterations", "iterations"},
                         {"forward_calls", "forward"},
                         {"adjoint_calls", "adjoint"},
                         {"eigenvector_calls", "eigenvectors"},
                         {"transforms", "transforms"},
                         {"rank", "rank"},
                         {"gap", "gap"},
                         {"certified", "certified"},
                         {"outside_set", "outside the set"}});
}

std::vector<std::string> comparison_files(const CompareInput& input) {
  std::vector<std::string> files = {table_file, report_file, summary_file};
  for (const std::string& method : methods_of(input, is_phase_data(input))) {
    files.push_back(trace_file(method));
  }
  return files;
}

void write_comparison(const std::filesystem::path& folder, const Comparison& comparison) {
  make_folder(folder);
  for (const ComparedRun& run : comparison.runs) {
    write_file(folder / trace_file(run.method), trace_csv(run.trace));
  }
  write_file(folder / table_file, rows_csv(comparison.summary.at("methods")));
  write_file(folder / report_file, comparison_html(comparison));
  write_file(folder / summary_file, json_text(comparison.summary));  // last: it marks the whole
}

template std::vector<ComparedRun> compare_methods(const StateProblem<std::complex<float>>&,
                                                  const std::vector<std::string>&,
                                                  const RunSettings&, bool, const MethodDone&);
template std::vector<ComparedRun> compare_methods(const StateProblem<std::complex<double>>&,
                                                  const std::vector<std::string>&,
                                                  const RunSettings&, bool, const MethodDone&);

}  // namespace projfgd
