#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "jobs/common/make_record.hpp"
#include "jobs/common/start_file.hpp"
#include "jobs/matrix/description.hpp"
#include "jobs/tomography/state_solver.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/matrix_problem.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/logistic.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/dense.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/operators/identity.hpp"
#include "projfgd/operators/rank_one.hpp"

namespace projfgd {
namespace {

/// Operator and data y.
template <class S>
struct Measured {
  AnyOperator<S> op;
  Vector<RealOf<S>> y;
  Index numbers_per_place = 1;  ///< of y for each weight a user gives
};

template <class S>
Measured<S> measured_entries(const MatrixDescription& d) {
  using Real = RealOf<S>;
  constexpr Index parts = is_complex<S> ? 2 : 1;
  std::vector<typename EntriesOperator<S>::Place> places;
  const auto count = static_cast<Index>(d.known.entries.size());
  places.reserve(d.known.entries.size());
  Vector<Real> y(parts * count);
  for (const KnownEntry& entry : d.known.entries) {
    const Index k = parts * static_cast<Index>(places.size());
    y[k] = static_cast<Real>(entry.real);
    if constexpr (is_complex<S>) y[k + 1] = static_cast<Real>(entry.imaginary);
    places.push_back({entry.row, entry.column});
  }
  return {EntriesOperator<S>(d.dimension, std::move(places)), std::move(y), parts};
}

template <class S>
Measured<S> measured_dense(const MatrixDescription& d, InputFiles& inputs) {
  const std::filesystem::path path =
      d.beside(require_file_name(d.operator_keys, "matrices", d.path));
  Array array = inputs.npy(path);
  const Index n = d.dimension;
  if (array.shape.size() != 3 || array.shape[0] < 1) {
    throw InputError(fmt::format("{}: found shape {}, expected m x {} x {} with m >= 1",
                                 path.string(), shape_text(array.shape), n, n));
  }
  require_shape(array, {array.shape[0], n, n}, path);
  require_memory(3.0 * static_cast<double>(array.size()) * sizeof(S), path.string());
  // All matrices stacked are one tall one, in the row-major order of the file.
  const Index count = array.shape[0];
  array.shape = {count * n, n};
  const auto tall = to_matrix<S>(array, path);
  std::vector<Matrix<S>> matrices;
  for (Index i = 0; i < count; ++i) matrices.push_back(tall.middleRows(i * n, n));
  const std::filesystem::path data = d.beside(d.data);
  return {named(path, [&] { return DenseOperator<S>(matrices); }),
          to_vector<RealOf<S>>(inputs.npy(data), data)};
}

template <class S>
Measured<S> measured_rank_one(const MatrixDescription& d, InputFiles& inputs) {
  const std::filesystem::path path =
      d.beside(require_file_name(d.operator_keys, "vectors", d.path));
  const Array array = inputs.npy(path);
  if (array.shape.size() != 2 || array.shape[1] != d.dimension) {
    throw InputError(fmt::format("{}: found shape {}, expected m x {}: one vector a row",
                                 path.string(), shape_text(array.shape), d.dimension));
  }
  const std::filesystem::path data = d.beside(d.data);
  Matrix<S> rows = to_matrix<S>(array, path).conjugate();  // the operator takes a_i^H
  return {RankOneOperator<S>(std::move(rows)), to_vector<RealOf<S>>(inputs.npy(data), data)};
}

template <class S>
Measured<S> measured_identity(const MatrixDescription& d, InputFiles& inputs) {
  using Real = RealOf<S>;
  const std::filesystem::path path = d.beside(d.data);
  const Array array = inputs.npy(path);
  require_shape(array, {d.dimension, d.dimension}, path);
  const Matrix<S> x = to_matrix<S>(array, path);
  const Real asymmetry = (x - x.adjoint()).cwiseAbs().maxCoeff();
  if (asymmetry > 16 * Eigen::NumTraits<Real>::epsilon() * x.cwiseAbs().maxCoeff()) {
    throw InputError(
        fmt::format("{}: found a matrix that differs from its adjoint by {:.3g}, expected a "
                    "Hermitian one",
                    path.string(), asymmetry));
  }
  const IdentityOperator<S> op(d.dimension);
  return {op, op.coordinates(x)};
}

template <class S>
Measured<S> measure(const MatrixDescription& d, InputFiles& inputs) {
  const std::string type = require_string(d.operator_keys, "type", d.path);
  const auto allow = [&d](std::initializer_list<std::string_view> keys) {
    allow_keys(d.operator_keys, keys, d.path);
  };
  if (type == "entries") {
    allow({"type", "file", "places"});
    return measured_entries<S>(d);
  }
  if (type == "dense") {
    allow({"type", "matrices"});
    return measured_dense<S>(d, inputs);
  }
  if (type == "rank-one") {
    allow({"type", "vectors"});
    return measured_rank_one<S>(d, inputs);
  }
  if (type == "identity") {
    allow({"type"});
    return measured_identity<S>(d, inputs);
  }
  fail(d, fmt::format("\"operator\": found the type \"{}\", expected entries, dense, rank-one or "
                      "identity",
                      type));
}

/// A vector with one number >= 0 (or > 0) for each place of the data.
template <class R>
Vector<R> read_weights(const MatrixDescription& d, const char* key, Index count, Index repeat,
                       bool positive, InputFiles& inputs) {
  const std::filesystem::path path = d.beside(require_file_name(d.loss, key, d.path));
  const Array array = inputs.npy(path);
  require_shape(array, {count / repeat}, path);
  const Vector<R> given = to_vector<R>(array, path);
  Vector<R> out(count);
  for (Index i = 0; i < count; ++i) {
    out[i] = given[i / repeat];
    if (out[i] < 0 || (positive && out[i] == 0)) {
      throw InputError(fmt::format("{}: entry [{}] is {}, expected a number {} 0", path.string(),
                                   i / repeat, out[i], positive ? ">" : ">="));
    }
  }
  if (out.isZero(0)) {
    throw InputError(fmt::format("{}: found zeros alone, expected some above 0", path.string()));
  }
  return out;
}

template <class S>
AnyLoss<RealOf<S>> make_loss(const MatrixDescription& d, const Measured<S>& measured,
                             InputFiles& inputs) {
  using R = RealOf<S>;
  const Vector<R>& y = measured.y;
  const std::string type = require_string(d.loss, "type", d.path);
  const char* key = type == "weighted-least-squares" ? "weights"
                    : type == "poisson"              ? "exposures"
                    : type == "logistic"             ? "noise_scale"
                                                     : "";
  const bool known = *key != 0 || type == "least-squares";
  for (const auto& item : d.loss.items()) {
    if (!known || item.key() == "type" || item.key() == key) continue;
    fail(d, fmt::format("\"loss\": found the key \"{}\", expected \"type\"{}", item.key(),
                        *key == 0 ? " alone" : fmt::format(" or \"{}\"", key)));
  }
  if (type == "least-squares") return LeastSquares<R>(y);
  if (require_string(d.operator_keys, "type", d.path) == "identity") {
    fail(d, fmt::format("\"loss\": found \"{}\" with the operator identity, expected least-squares",
                        type));
  }
  if (type == "weighted-least-squares") {
    return WeightedLeastSquares<R>(
        y, read_weights<R>(d, "weights", y.size(), measured.numbers_per_place, false, inputs));
  }
  if (measured.numbers_per_place != 1) {
    fail(d, fmt::format("\"loss\": found \"{}\" for complex entries, expected least-squares or "
                        "weighted-least-squares",
                        type));
  }
  const auto require_each = [&](auto good, const char* expected) {
    for (Index i = 0; i < y.size(); ++i) {
      if (!good(y[i])) {
        fail(d, fmt::format("data{}: number {} is {}, expected {}",
                            d.data.empty() ? "" : " in " + d.data, i, y[i], expected));
      }
    }
  };
  if (type == "poisson") {
    require_each([](R k) { return k >= 0; }, "a count >= 0");
    Vector<R> exposures = Vector<R>::Ones(y.size());
    if (d.loss.contains("exposures")) {
      exposures = read_weights<R>(d, "exposures", y.size(), 1, true, inputs);
    }
    return Poisson<R>(y, std::move(exposures));
  }
  if (type == "logistic") {
    require_each([](R b) { return b == 1 || b == -1; }, "-1 or 1");
    const double scale =
        d.loss.contains("noise_scale") ? require_number(d.loss, "noise_scale", d.path) : 1;
    if (!(scale > 0)) fail(d, fmt::format("\"noise_scale\": found {}, expected > 0", scale));
    return Logistic<R>(y, static_cast<R>(scale));
  }
  fail(d, fmt::format("\"loss\": found the type \"{}\", expected least-squares, "
                      "weighted-least-squares, poisson or logistic",
                      type));
}

/// The set; where the description names it, so does what is wrong with it.
template <class S>
AnyConstraint<S> make_set(const MatrixDescription& d, const RunSettings& settings,
                          InputFiles& inputs) {
  const auto make = [&] {
    return make_constraint<S>(with_mask(d.constraint, inputs), d.dimension);
  };
  return settings.constraint.empty() ? named(d.path, make) : make();
}

/// Rows and columns of X of which no entry is known; none for other operators.
Index rows_without_entries(const MatrixDescription& d) {
  if (d.known.entries.empty()) return 0;
  std::vector<bool> seen(static_cast<std::size_t>(d.dimension));
  for (const KnownEntry& entry : d.known.entries) {
    seen[static_cast<std::size_t>(entry.row)] = seen[static_cast<std::size_t>(entry.column)] = true;
  }
  return std::ranges::count(seen, false);
}

/// How many times larger the misfit of counts is than their noise makes it: the deviance, twice the
/// objective, is about one for each of them.
double counts_misfit(Index counts, double objective) {
  return std::sqrt(2 * objective / static_cast<double>(counts));
}

/// Whether noise alone does not leave that much: the deviance is more than five of its standard
/// deviations above its mean, which is up to 1.2 for each count where they are small.
bool exceeds_counting_noise(Index counts, double objective) {
  const auto m = static_cast<double>(counts);
  return !(2 * objective <= 1.2 * m + 5 * std::sqrt(2 * m));
}

/// A likelihood is infinite between the signs of a prediction's root, so that a poor start stays
/// poor; what is far above noise is left through a larger rank.
template <class S>
StateAnswer<S> solve_counts(const Problem<S>& problem, const RunSettings& settings) {
  Noise<S> noise;
  noise.data = noise.determined = static_cast<double>(problem.op.measurements());
  noise.likelihood = true;
  Composite f(problem.op, problem.loss);
  noise.misfit = [&](const Matrix<S>& u) {
    return counts_misfit(problem.op.measurements(), f.at(u));
  };
  return solve_state(problem, settings, noise);
}

template <class S>
RunRecord solve_description(const MatrixDescription& d, const RunSettings& settings,
                            InputFiles& inputs, const Stopwatch& watch) {
  Measured<S> measured = measure<S>(d, inputs);
  const Index m = measured.op.measurements();
  if (measured.y.size() != m || m == 0) {
    fail(d, fmt::format("{}found {} data for {} measurements, expected as many, and at least one",
                        d.data.empty() ? "" : d.data + ": ", measured.y.size(), m));
  }
  if (settings.single_precision && measured.y.cwiseAbs().maxCoeff() > RealOf<S>(1e15)) {
    fail(d, fmt::format("found data up to {:.3g}, expected at most 1e15 in single precision",
                        measured.y.cwiseAbs().maxCoeff()));
  }
  bool truth_is_matrix = false;
  Problem<S> problem{measured.op,
                     make_loss(d, measured, inputs),
                     make_set<S>(d, settings, inputs),
                     settings.rank,
                     d.constraint.trace_bound(),
                     truth_error<S>(settings, d.dimension, &truth_is_matrix),
                     d.constraint.only_trace()};
  read_start(settings, inputs, problem);
  const double setup_seconds = watch.seconds();
  const std::string loss = require_string(d.loss, "type", d.path);
  StateAnswer<S> out = loss == "poisson" ? solve_counts(problem, settings)
                                         : StateAnswer<S>{solve_problem(problem, settings), ""};
  std::vector<std::string> warnings;
  if (!out.note.empty()) warnings.push_back(out.note);
  RunSettings asked = settings;
  if (d.constraint.name != "none") asked.constraint = d.constraint.text();
  RunRecord record = make_record(problem, asked, std::move(out.answer), setup_seconds, inputs);
  const double objective = record.summary["objective"];
  if (problem.loss.quadratic()) {  // half a square: its root is ||A(X) - y||, weighted or not
    const double nothing = problem.loss.value(Vector<RealOf<S>>::Zero(m));
    if (nothing > 0) record.summary["relative_misfit"] = std::sqrt(objective / nothing);
  } else if (loss == "poisson") {
    const bool poor = exceeds_counting_noise(m, objective);
    record.summary["fits_data"] = !poor;
    if (poor && std::isfinite(objective)) {
      warnings.push_back(fmt::format(
          "the fit is {:.1f} times worse than counting noise: --init=random, another --seed or a "
          "larger --rank may help, or the model is not that of the data",
          counts_misfit(m, objective)));
    }
  } else if (loss == "logistic" && d.constraint.name == "none" && objective < 1e-3 * m) {
    warnings.emplace_back(
        "X explains every bit, and a larger multiple of it explains them better still: the data do "
        "not tell its size, and --constraint frobenius-ball:RADIUS gives it one");
  }
  if (problem.error) record.summary["truth_is"] = truth_is_matrix ? "matrix" : "factor";
  if (const Index open = rows_without_entries(d); open > 0) {
    warnings.push_back(fmt::format(
        "{} of {} rows have no known entry: the data do not determine X there", open, d.dimension));
  }
  add_warnings(warnings, record.summary);
  return record;
}

}  // namespace

RunRecord run_matrix_problem(const std::filesystem::path& path, const RunSettings& settings) {
  const Stopwatch watch;
  InputFiles inputs(settings.in_memory);
  MatrixDescription d = read_description(path, inputs);
  RunSettings chosen = settings;
  if (chosen.rank == 0) chosen.rank = d.rank;
  if (chosen.rank == 0) {
    fail(d, fmt::format("found no rank, expected --rank R{}",
                        d.only_entries ? "" : " or the key \"rank\""));
  }
  if (chosen.truth.empty()) chosen.truth = d.truth;
  if (!chosen.constraint.empty()) d.constraint = parse_constraint(chosen.constraint);
  require_solver_memory(d.dimension, 0, chosen.rank, d.complex, chosen);
  read_known_entries(d, inputs);
  return with_scalar(d.complex, settings.single_precision,
                     [&]<class S>() { return solve_description<S>(d, chosen, inputs, watch); });
}

}  // namespace projfgd
