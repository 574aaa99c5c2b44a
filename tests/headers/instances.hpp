// Included after one public header, HEADER_<its path>: instantiates what that header offers with
// types of a user's own. Nothing is run, so they are only declared.
#ifdef KNOWS_NO_FILES
#if defined(NLOHMANN_JSON_VERSION_MAJOR) || defined(H5_VERS_MAJOR) || defined(PNG_LIBPNG_VER)
#error "a header of the solvers includes what only the jobs may know: JSON, HDF5 or PNG"
#endif
#endif

#include <Eigen/Core>
#include <complex>
#include <string_view>

namespace user {

template <class S>
using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
using Complex = std::complex<double>;

/// A MeasurementOperator, and for complex S a LinearMeasurement.
template <class S>
struct Operator {
  using Factor = Matrix<S>;
  using Values = Vector<double>;
  using ComplexValues = Vector<S>;
  Eigen::Index rows() const;
  Eigen::Index measurements() const;
  Eigen::Index blocks() const;
  void forward(const Factor&, Values&) const;
  void forward(const Factor&, const Factor&, Values&) const;
  void adjoint_times(const Values&, const Factor&, Factor&) const;
  template <class Function, class... Data>
  double apply(const Factor&, const Function&, Data&...) const;
  template <class Function, class... Data>
  double adjoint(const Function&, Factor&, Data&...) const;
  template <class Function, class... Data>
  double pass(const Factor&, const Function&, Factor&, Data&...) const;
  template <class Function, class... Data>
  double pass_block(Eigen::Index, const Factor&, const Function&, Factor&, Data&...) const;
  double project_block(Eigen::Index, const Values&, Factor&) const;
  void solve_normal(Factor&) const;
  void solve_root(Factor&) const;
  void solve_root_adjoint(Factor&) const;
};

struct Objective {
  using Factor = Matrix<double>;
  Eigen::Index rows() const;
  double at(const Factor&);
  void gradient_times(const Factor&, Factor&) const;
};

struct Set {
  template <class F>
  void project(F&) const;
};

struct Loss {
  using Real = double;
  using Values = Vector<double>;
  Eigen::Index measurements() const;
  double value(const Vector<double>&) const;
  void gradient(const Vector<double>&, Vector<double>&) const;
  void start_weights(Vector<double>&) const;
};

struct Map {
  using Factor = Matrix<double>;
  Eigen::Index rows() const;
  void times(const Factor&, Factor&) const;
};

inline Objective objective;
inline const Operator<double> linear;
inline const Operator<Complex> phased;
inline const Set set;
inline const Loss loss;
inline const Vector<double> y;
inline Matrix<double> u;
inline Matrix<Complex> z;

inline void instantiate() {
#if defined(HEADER_solvers_projfgd)
  projfgd::projfgd(objective, set, 1);
#elif defined(HEADER_solvers_svp)
  svp(projfgd::TraceProblem<Operator<double>>{linear, y, 1}, u);
#elif defined(HEADER_solvers_rsvp)
  rsvp(projfgd::TraceProblem<Operator<double>>{linear, y, 1}, u);
#elif defined(HEADER_solvers_sparse_approx_sdp)
  sparse_approx_sdp(projfgd::TraceProblem<Operator<double>>{linear, y, 1}, u);
#elif defined(HEADER_solvers_nuclear_norm)
  nuclear_norm(projfgd::TraceProblem<Operator<double>>{linear, y, 1}, u);
#elif defined(HEADER_solvers_acc_uni_pd_grad)
  acc_uni_pd_grad(projfgd::TraceProblem<Operator<double>>{linear, y, 1}, u);
#elif defined(HEADER_solvers_phaselift)
  projfgd::phaselift(phased, y);
#elif defined(HEADER_solvers_wirtinger_flow)
  projfgd::wirtinger_flow(phased, y, set, z);
#elif defined(HEADER_solvers_amplitude_flow)
  projfgd::amplitude_flow(phased, y, z);
#elif defined(HEADER_solvers_alternating_projections)
  projfgd::alternating_projections(phased, y, set, z, 0);
#elif defined(HEADER_solvers_douglas_rachford)
  projfgd::douglas_rachford(phased, y, set, z);
#elif defined(HEADER_solvers_block_kaczmarz)
  projfgd::block_kaczmarz(phased, y, set, set, z);
#elif defined(HEADER_solvers_lbfgs_memory)
  projfgd::LbfgsMemory<Matrix<double>> memory(1);
  Matrix<double> step = u, change = u;
  memory.push(step, 1, change);
  memory.direction(u, &u, u);
#elif defined(HEADER_solvers_checks)
  projfgd::project_start(set, u);
#elif defined(HEADER_solvers_atom_sum)
  (void)sizeof(projfgd::AtomSum<double>);
#elif defined(HEADER_starts_spectral)
  projfgd::spectral_start(objective, 1);
#elif defined(HEADER_starts_random)
  projfgd::random_start(objective, 1, 1);
#elif defined(HEADER_starts_phase)
  projfgd::power_phase_start(phased, y, 1, 1);
  projfgd::lanczos_phase_start(phased, y, 1, 1);
#elif defined(HEADER_measures_distance)
  projfgd::dist(u, u);
  projfgd::difference_norm(u, u);
#elif defined(HEADER_measures_image)
  projfgd::psnr(z, z);
  projfgd::amplitude_objective(phased, y, z);
#elif defined(HEADER_measures_ring_correlation)
  projfgd::ring_correlation(z, z, 1, z.rows());
#elif defined(HEADER_measures_optimality)
  projfgd::optimality_gap(linear, loss, y, 1);
  projfgd::optimality_gap(linear, loss, y, projfgd::level_of_counts<double>(y, 1, 1));
  optimality_gap(projfgd::TraceProblem<Operator<double>>{linear, y, 1}, u);
#elif defined(HEADER_measures_fitting_loss)
  projfgd::fitting_loss(phased, y, z);
#elif defined(HEADER_core_composite)
  projfgd::Composite f(linear, loss);
  f.at(u);
  f.gradient_times(u, u);
  f.line(u, u);
  f.line_minimum(1);
  f.move_on_line(1);
#elif defined(HEADER_core_eigenpairs)
  projfgd::largest_eigenpairs(Map{}, 1);
  projfgd::spectral_norm(Map{});
#elif defined(HEADER_core_gradient_check)
  projfgd::gradient_mismatch(objective, u);
#elif defined(HEADER_core_any)
  projfgd::AnyOperator<double> any_operator(linear);
  projfgd::AnyLoss<double> any_loss(loss);
  projfgd::AnyConstraint<double> any_set(set);
#elif defined(HEADER_core_line_search)
  projfgd::first_zero([](double t) { return t; }, 1, 1);
#elif defined(HEADER_core_chunks)
  projfgd::for_each_chunk(1, 1, 1, [](auto, auto, auto) {});
#elif defined(HEADER_core_buffer_pool)
  projfgd::BufferPool<double>().lend(1);
#elif defined(HEADER_operators_counting)
  (void)projfgd::CountingOperator<Operator<double>>(linear);
#elif defined(HEADER_operators_whitened)
  projfgd::WhitenedOperator<Operator<double>>(linear, y).adjoint_times(y, u, u);
#elif defined(HEADER_constraints_within)
  projfgd::Within(set, set).project(u);
#elif defined(HEADER_constraints_entrywise)
  projfgd::Nonnegative().project(u);
#elif defined(HEADER_constraints_frobenius)
  projfgd::FrobeniusBall(1).project(u);
#endif
}

}  // namespace user
