// projfgd.minimize: an f and a C written in Python, the solver in C++.
#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>

#include <complex>

#include "jobs.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/gradient_check.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/solvers/checks.hpp"
#include "projfgd/solvers/projfgd.hpp"

namespace projfgd::python {
namespace {

/// KeyboardInterrupt inside a callback: the run ends with what it has.
struct Interrupted {};

[[noreturn]] void raise_interrupt() {
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

/// Calls Python from the solver's thread, which does not hold the GIL.
template <class Body>
void with_python(Body&& body) {
  if (Running::must_end()) throw Interrupted();
  nb::gil_scoped_acquire gil;
  try {
    body();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    throw Interrupted();
  }
}

/// What Python sees of U: its own copy, which it may change and keep.
template <class S>
nb::object to_python(const Matrix<S>& u) {
  return nb::cast(Matrix<S>(u), nb::rv_policy::move);
}

/// f from a function U -> (f(U U^H), grad f(U U^H) U).
template <class S>
class PythonObjective {
 public:
  using Factor = Matrix<S>;
  using OnlyTimesItsPoint = void;

  PythonObjective(nb::object f, Index rows) : f_(std::move(f)), rows_(rows) {}

  Index rows() const { return rows_; }

  double at(const Factor& u) {
    double value = 0;
    with_python([&] {
      const nb::tuple pair = nb::cast<nb::tuple>(f_(to_python(u)));
      value = nb::cast<double>(pair[0]);
      gradient_ = nb::cast<Gradient>(pair[1]);
    });
    ++calls_;
    return value;
  }

  void gradient_times(const Factor&, Factor& g) {
    using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    g = Eigen::Map<const Factor, 0, Stride>(gradient_.data(), rows_,
                                            static_cast<Index>(gradient_.shape(1)),
                                            Stride(gradient_.stride(1), gradient_.stride(0)));
  }

  Index calls() const { return calls_; }

 private:
  /// The user's array, read where it lies.
  using Gradient = nb::ndarray<const S, nb::ndim<2>, nb::device::cpu>;

  nb::object f_;
  Index rows_;
  Index calls_ = 0;
  Gradient gradient_;
};

/// C from a function that returns P_C(U).
template <class S>
class PythonSet {
 public:
  PythonSet(nb::object project, bool convex) : project_(std::move(project)), convex_(convex) {}

  void project(Matrix<S>& u) const {
    with_python([&] { u = nb::cast<Matrix<S>>(project_(to_python(u))); });
  }
  bool convex() const { return convex_; }

 private:
  nb::object project_;
  bool convex_;
};

/// Passes iterations on to Python and keeps what is needed to end in the middle of one.
template <class S>
struct Keeper {
  Watch& watch;
  Matrix<S>& latest;
  std::vector<TraceRow>& trace;

  bool operator()(const Snapshot<Matrix<S>>& now) {
    latest = now.factor;
    trace.push_back(now.row);
    return watch(now.row);
  }
};

/// No set, one of the library by name, or one written in Python.
template <class S>
AnyConstraint<S> make_set(const nb::object& project, bool convex, Index rows) {
  if (project.is_none()) return Unconstrained{};
  if (nb::isinstance<nb::str>(project)) {
    InputFiles files;
    const ConstraintSpec spec = parse_constraint(nb::cast<std::string>(project));
    return make_constraint<S>(with_mask(spec, files), rows);
  }
  return PythonSet<S>(project, convex);
}

template <class S>
nb::dict run(PythonObjective<S>& f, const AnyConstraint<S>& set, Matrix<S> start, Options options,
             Watch& watch) {
  Matrix<S> latest;
  std::vector<TraceRow> trace;
  Result<Matrix<S>> result;
  options.keep_trace = false;
  try {
    const nb::gil_scoped_release release;
    result = projfgd(f, set, Start<Matrix<S>>{std::move(start), options.smoothness}, options,
                     Keeper<S>{watch, latest, trace});
  } catch (const Interrupted&) {
    if (trace.empty()) raise_interrupt();
    watch.interrupt();
    const TraceRow& row = trace.back();
    result = {std::move(latest),
              Status::interrupted,
              {},
              row.iteration,
              row.objective,
              std::numeric_limits<double>::quiet_NaN(),
              row.seconds,
              {}};
  }
  double moved = 0;
  try {
    if (all_finite(result.factor)) moved = moved_by_projection(set, result.factor);
  } catch (const Interrupted&) {  // the answer stands without it
  }
  nb::dict summary;
  summary["status"] = std::string(to_string(result.status));
  summary["message"] = watch.message(result.status, result.message);
  summary["method"] = "projfgd";
  summary["iterations"] = result.iterations;
  summary["seconds"] = result.seconds;
  summary["objective"] = result.objective;
  summary["projected_gradient"] = result.projected_gradient;
  summary["rank"] = result.factor.cols();
  summary["dimension"] = result.factor.rows();
  summary["function_calls"] = f.calls();
  if (moved > most_moved) {
    nb::list warnings;
    warnings.append(fmt::format(
        "project: found that it moves the result by {:.1e} of its size, expected a member of the "
        "set to stay where it is{}",
        moved, set.convex() ? "; is the set convex?" : ""));
    summary["warnings"] = warnings;
  }
  nb::dict out;
  out["summary"] = summary;
  out["factor"] = nb::cast(std::move(result.factor), nb::rv_policy::move);
  out["trace"] = trace_bytes(std::move(trace));
  return out;
}

template <class S>
nb::dict minimize(nb::object f_and_gradient, const nb::object& project, Matrix<S> start,
                  bool convex, const nb::dict& options, nb::object callback) {
  const Running here;
  PythonObjective<S> f(std::move(f_and_gradient), start.rows());
  Watch watch(std::move(callback));
  const AnyConstraint<S> set = make_set<S>(project, convex, start.rows());
  return run(f, set, std::move(start), make_options(options), watch);
}

template <class S>
double mismatch(nb::object f_and_gradient, const Matrix<S>& u, std::uint64_t seed) {
  const Running here;
  PythonObjective<S> f(std::move(f_and_gradient), u.rows());
  try {
    return gradient_mismatch(f, u, seed);
  } catch (const Interrupted&) {
    raise_interrupt();
  }
}

template <class S>
void bind(nb::module_& m, const char* field) {
  m.def(fmt::format("mismatch_{}", field).c_str(), &mismatch<S>, nb::arg("f_and_gradient"),
        nb::arg("u"), nb::arg("seed"), "See gradient_mismatch() in the library.");
  m.def(fmt::format("minimize_{}", field).c_str(), &minimize<S>, nb::arg("f_and_gradient"),
        nb::arg("project").none(), nb::arg("start"), nb::arg("convex"), nb::arg("options"),
        nb::arg("callback").none(),
        "Runs ProjFGD on an objective and a set given as Python functions.");
}

}  // namespace

void bind_minimize(nb::module_& m) {
  bind<double>(m, "real");
  bind<std::complex<double>>(m, "complex");
}

}  // namespace projfgd::python
