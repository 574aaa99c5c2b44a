#include "jobs/tomography/trust.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <utility>

#include "jobs/tomography/measured.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/information.hpp"
#include "projfgd/measures/optimality.hpp"
#include "projfgd/operators/pauli.hpp"

namespace projfgd {
namespace {

constexpr int most_qubits = 8;          // linear estimates have 4^q coordinates
constexpr double contradiction = 1e-6;  // of settings, as a probability by chance
constexpr int probes_of_state = 3;      // random projectors that look for unseen directions

/// The estimate that the data allow without a model, with what it refers to.
struct DataEstimate {
  std::unique_ptr<OutcomeMap> map;
  std::unique_ptr<StateEstimate> estimate;
};

DataEstimate estimate_of(const CountsData& data, const Readout& readout,
                         const Vector<double>& predictions) {
  if (!data.shots_known || data.counts.minCoeff() < 0) return {};
  auto map = std::make_unique<OutcomeMap>(data.settings, data.bases, readout);
  auto estimate = std::make_unique<CountsEstimate>(*map, data.counts, data.shots, predictions);
  return {std::move(map), std::move(estimate)};
}

DataEstimate estimate_of(const PauliData& data, const Readout&, const Vector<double>&) {
  if (data.errors.size() == 0) return {};
  return {{}, std::make_unique<PauliEstimate>(data.qubits, data.strings, data.values, data.errors)};
}

/// The second derivative of the loss at predictions p of the operator, in nats, and the slope that
/// outcomes have which are not expected.
template <class S>
std::pair<Vector<RealOf<S>>, Vector<RealOf<S>>> derivatives(const TomographyData& data,
                                                            const StateModel<S>& model,
                                                            const Vector<RealOf<S>>& p,
                                                            double objective) {
  using Real = RealOf<S>;
  const Vector<Real> none = Vector<Real>::Zero(p.size());
  if (model.facts.loss == state_loss::poisson) {
    const auto& counts = std::get<CountsData>(data.measured);
    const Index outcomes = Index{1} << counts.qubits;
    Vector<Real> exposures(p.size());
    for (Index s = 0; s < counts.shots.size(); ++s) {
      exposures.segment(s * outcomes, outcomes).setConstant(static_cast<Real>(counts.shots[s]));
    }
    return expected_derivatives<Real>(exposures, p);
  }
  Vector<Real> curvature;
  model.problem.loss.curvature(p, curvature);
  if (!model.facts.noise.likelihood) {
    // The residual tells the noise, as far as it goes; an exact fit has next to none.
    constexpr double least_noise = 1e-6;
    const auto count = static_cast<double>(p.size());
    const double variance =
        std::max(2 * objective / count,
                 std::pow(least_noise, 2) * static_cast<double>(p.squaredNorm()) / count);
    curvature /= static_cast<Real>(variance);
  }
  return {std::move(curvature), none};
}

/// Whether the data determine a quantity of this derivative in the state and this range.
template <class S>
bool is_seen(const Information<AnyOperator<S>>& information, const Matrix<S>& derivative,
             double range) {
  const double ignorance = variance_of_ignorance(range);
  return information.variance(derivative, ignorance) <= ignorance;
}

/// 2 O V for an O that acts on the state: the row of white noise, where there is one, takes tr O/n.
template <class S>
Matrix<S> derivative(const StateFactor& times_low_rank, double mean, const Matrix<S>& factor) {
  const Index n = times_low_rank.rows();
  Matrix<S> g(factor.rows(), factor.cols());
  g.topRows(n) = (2 * times_low_rank).template cast<S>();
  if (factor.rows() > n) g.row(n) = static_cast<RealOf<S>>(2 * mean) * factor.row(n);
  return g;
}

template <class S>
Matrix<S> derivative_of_projector(const StateFactor& psi, const StateFactor& low_rank,
                                  const Matrix<S>& factor) {
  return derivative<S>(psi * (psi.adjoint() * low_rank), 1.0 / static_cast<double>(psi.rows()),
                       factor);
}

/// Which of the quantities the data do not see, at the rank of the fit.
template <class S>
class Unseen {
 public:
  Unseen(const TomographyData& data, const StateModel<S>& model, const FittedModelView<S>& fitted,
         double objective)
      : factor_(fitted.factor),
        low_rank_(
            fitted.factor.topRows(model.problem.op.rows()).template cast<std::complex<double>>()),
        information_(make(data, model, fitted, objective)) {}

  bool projector(const StateFactor& psi) const {
    return !is_seen<S>(information_, derivative_of_projector<S>(psi, low_rank_, factor_), 1);
  }
  bool pauli(const PauliString& string) const {
    const int qubits = qubits_of(low_rank_.rows());
    StateFactor product;
    PauliOperator<std::complex<double>>(qubits, {string}, 1)
        .adjoint_times(Vector<double>::Ones(1), low_rank_, product);
    return !is_seen<S>(information_, derivative<S>(product, 0, factor_), 2);
  }
  /// Any direction that is not seen has a part in a random projector.
  bool any() const {
    for (int probe = 0; probe < probes_of_state; ++probe) {
      StateFactor psi(low_rank_.rows(), 1);
      fill_normal(RandomStream(static_cast<std::uint64_t>(probe), 0x5EE), psi);
      if (projector(normalised(psi))) return true;
    }
    return false;
  }

 private:
  static Information<AnyOperator<S>> make(const TomographyData& data, const StateModel<S>& model,
                                          const FittedModelView<S>& fitted, double objective) {
    Vector<RealOf<S>> p;
    fitted.op.forward(fitted.factor, p);
    auto [curvature, slope] = derivatives<S>(data, model, p, objective);
    return {fitted.op, std::move(curvature), std::move(slope), fitted.factor};
  }

  const Matrix<S>& factor_;
  StateFactor low_rank_;
  Information<AnyOperator<S>> information_;
};

/// What is asked of the state, as far as the data alone tell it.
struct Asked {
  std::string name;
  std::optional<Interval> found;
  double value, low, high;  ///< of the state, and the range of the quantity
};

/// From the data where they see the quantity; all of its range where the state is not determined.
std::optional<QuantityInterval> interval_of(const Asked& asked, StateTrust& out) {
  if (asked.found) {
    return QuantityInterval{including(clipped(*asked.found, asked.low, asked.high), asked.value)};
  }
  if (out.determined) return std::nullopt;
  out.undetermined.push_back(asked.name);
  return QuantityInterval{{asked.low, asked.high}, true};
}

/// The intervals of everything that is asked for. Data that show all coordinates of the state
/// determine it; others are looked at along the directions in which the fit can move.
template <class S>
void add_intervals(const StateQuestions& ask, const StateFactor& state,
                   const StateEstimate* estimate, const Unseen<S>& unseen, StateTrust& out) {
  const Index n = state.rows();
  const int qubits = qubits_of(n);
  const auto expected = [&](const Vector<double>& observable) {
    return estimate != nullptr ? estimate->expectation(observable) : std::optional<Interval>{};
  };
  const HermitianEigen<std::complex<double>> eigen = hermitian_eigen(gram(state, state));
  const StateFactor leading = normalised(state * eigen.vectors.rightCols(1));
  const Asked purities{"purity", estimate != nullptr ? estimate->purity() : std::nullopt,
                       purity(state), 1 / static_cast<double>(n), 1};
  const Asked largest{"eigenvalues", expected(projector_observable(leading)),
                      eigen.values.tail(1)[0], 0, 1};
  std::optional<Asked> overlap;
  bool all_seen = true;
  if (ask.target.cols() == 1) {
    overlap = {"fidelity", expected(projector_observable(ask.target)), fidelity(state, ask.target),
               0, 1};
    all_seen = overlap->found || !unseen.projector(ask.target);
  }
  std::vector<Asked> observables;
  for (std::size_t k = 0; k < ask.paulis.size(); ++k) {
    const PauliString& pauli = ask.paulis[k];
    observables.push_back({ask.labels[k], expected(pauli_observable(pauli, qubits)),
                           expectation(pauli, state), -1, 1});
    all_seen = all_seen && (observables.back().found || !unseen.pauli(pauli));
  }
  out.determined = purities.found || (all_seen && !unseen.any());
  if (overlap) out.fidelity = interval_of(*overlap, out);
  out.purity = interval_of(purities, out);
  if (out.purity) {
    out.entropy = QuantityInterval{
        including(entropy_interval(out.purity->interval, n), entropy(eigenvalues(state))),
        out.purity->unseen};
    if (out.entropy->unseen) out.undetermined.emplace_back("entropy");
  }
  out.largest = interval_of(largest, out);
  for (const Asked& asked : observables) out.expectations.push_back(interval_of(asked, out));
}

void add_consistency(const CountsData& data, StateTrust& out) {
  if (!data.shots_known) {
    out.labels_seem_reversed = labels_seem_reversed(data.settings, data.counts, data.shots);
    return;
  }
  const Consistency found = consistency(data.settings, data.counts, data.shots);
  if (found.worst.p_value < contradiction) out.conflict = found.worst;
}
void add_consistency(const PauliData&, StateTrust&) {}

}  // namespace

template <class S>
StateTrust trust_of(const TomographyData& data, const StateModel<S>& model,
                    const FittedModelView<S>& fitted, const StateFactor& state,
                    const Vector<double>& predictions, double objective,
                    const std::string& errors) {
  StateTrust out;
  std::visit([&](const auto& measured) { add_consistency(measured, out); }, data.measured);
  const Problem<S>& problem = model.problem;
  if (std::isfinite(problem.trace_bound)) {
    const bool exactly = model.facts.set.name == "frobenius-sphere";
    Vector<RealOf<S>> p;
    fitted.op.forward(fitted.factor, p);
    out.gap = optimality_gap(problem.op, problem.loss, p, problem.trace_bound,
                             exactly ? TraceSet::exactly : TraceSet::at_most);
  }
  if (errors == errors_option::none) return out;
  DataEstimate found;
  if (model.facts.qubits <= most_qubits) {
    found = std::visit(
        [&](const auto& measured) {
          return estimate_of(measured, data.choice.readout, predictions);
        },
        data.measured);
  }
  const Unseen<S> unseen(data, model, fitted, objective);
  add_intervals(data.questions, state, found.estimate.get(), unseen, out);
  return out;
}

#define PROJFGD_INSTANTIATE(S)                                                \
  template StateTrust trust_of(const TomographyData&, const StateModel<S>&,   \
                               const FittedModelView<S>&, const StateFactor&, \
                               const Vector<double>&, double, const std::string&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd
