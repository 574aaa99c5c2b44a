// Every contract of the library on one page. A solver knows these and nothing else; a user's own
// objective, set, operator, or kind of memory needs to satisfy them and nothing else.
//
// Throughout, X = U U^H with U an n x r factor over the reals or the complex numbers, and the
// factored gradient is grad f(X) U, without a factor 2. The numbers of a factor or of a measurement
// vector may be anywhere: in the host's memory, on a GPU, on several machines.
#pragma once

#include <concepts>
#include <type_traits>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/phase_elements.hpp"
#include "projfgd/core/values.hpp"

namespace projfgd {

/// n x r numbers anywhere, with the algebra of core/factor.hpp. Small r x r matrices are in the
/// host's memory.
template <class F>
concept Factor = std::semiregular<F> &&
    requires(F u, const F v, RealOf<F> a, const Matrix<typename F::Scalar> small, Index n) {
  typename F::Scalar;
  { v.rows() } -> std::convertible_to<Index>;
  { v.cols() } -> std::convertible_to<Index>;
  { dot(v, v) } -> std::convertible_to<RealOf<F>>;  // Re tr(U^H V)
  { norm(v) } -> std::convertible_to<RealOf<F>>;
  { all_finite(v) } -> std::convertible_to<bool>;
  axpy(a, v, u);                                                      // u += a v
  scale(a, u);                                                        // u *= a
  subtract(v, v, u);                                                  // u = v - v
  { gram(v, v) } -> std::convertible_to<Matrix<typename F::Scalar>>;  // V^H V
  multiply(v, small, u);                                              // u = v small
  set_zero(n, n, u);                                                  // u = 0, n x n
  { copy_to_host(v) } -> std::convertible_to<Matrix<typename F::Scalar>>;
  copy_from_host(small, u);
};

/// m numbers anywhere, with the algebra of core/factor.hpp and core/values.hpp.
template <class V>
concept Values = std::semiregular<V> &&
    requires(V p, const V q, RealOf<V> a, const Vector<typename V::Scalar> host, Index m,
             typename V::Scalar (*function)(typename V::Scalar, typename V::Scalar)) {
  { q.size() } -> std::convertible_to<Index>;
  { dot(q, q) } -> std::convertible_to<RealOf<V>>;
  { norm(q) } -> std::convertible_to<RealOf<V>>;
  axpy(a, q, p);
  scale(a, p);
  subtract(q, q, p);
  map_values(p, function, q, q);                                  // p_i = function(q_i, q_i)
  { sum_values(function, q, q) } -> std::convertible_to<double>;  // their sum
  set_zero(m, p);
  { copy_to_host(q) } -> std::convertible_to<Vector<typename V::Scalar>>;
  copy_from_host(host, p);
};

/// A class with a member type Factor, the factors that it works with.
template <class T>
concept HasFactorType = requires {
  typename T::Factor;
};
template <class T>
concept NamesFactor = HasFactorType<T> && Factor<typename T::Factor>;

/// A class with a member type Values, the measurement vectors that it works with.
template <class T>
concept HasValuesType = requires {
  typename T::Values;
};
template <class T>
concept NamesValues = HasValuesType<T> && Values<typename T::Values>;

/// A Hermitian matrix M known by its products with blocks of vectors.
template <class M>
concept HermitianMap = NamesFactor<M> &&
    requires(const M m, const typename M::Factor v, typename M::Factor g) {
  { m.rows() } -> std::convertible_to<Index>;
  m.times(v, g);  // g = M v
};

/// A linear map X -> y in R^m, y_i = <A_i, X>, with Hermitian A_i that are never stored.
template <class A>
concept MeasurementOperator = NamesFactor<A> && NamesValues<A> &&
    requires(const A& op, const typename A::Factor u, typename A::Factor g,
             const typename A::Values w, typename A::Values y) {
  { op.rows() } -> std::convertible_to<Index>;          // n
  { op.measurements() } -> std::convertible_to<Index>;  // m
  op.forward(u, y);                                     // y_i = <A_i, U U^H>
  op.forward(u, u, y);                                  // y_i = Re <A_i, U D^H>
  op.adjoint_times(w, u, g);                            // g = (sum_i w_i A_i) V
};

/// A linear map z -> A z in C^m, for methods that need A z itself and not only |A z|^2. The
/// operator applies element-wise functions f(v_i, data_i...) to A z where its numbers are. They may
/// change v_i and the data that are not const, and their return values are added up.
/// core/phase_elements.hpp has some. Rows come in blocks A_b, for methods that use one block at a
/// time.
template <class A>
concept LinearMeasurement = MeasurementOperator<A> &&
    requires(const A& op, const typename A::Factor z, typename A::Factor g, Index b,
             const typename A::Values amplitude, typename A::ComplexValues x,
             const element::AmplitudeStep f) {
  { op.blocks() } -> std::convertible_to<Index>;
  { op.apply(z, element::Store{}, x) } -> std::convertible_to<double>;      // f(A z)
  { op.adjoint(element::Load{}, g, x) } -> std::convertible_to<double>;     // g = A^H v, v from f
  { op.pass(z, f, g, amplitude) } -> std::convertible_to<double>;           // g = A^H f(A z)
  { op.pass_block(b, z, f, g, amplitude) } -> std::convertible_to<double>;  // g += A_b^H f(A_b z)
  { op.project_block(b, amplitude, g) } -> std::convertible_to<double>;     // |A_b g| = amplitude
  op.solve_normal(g);                                                       // g = (A^H A)^+ g
};

/// A smooth function of the predicted measurements p = A(X). It may also offer
///   loss.curvature(p, h)   h = loss''(p), for losses that are sums over the measurements.
template <class L>
concept Loss = NamesValues<L> &&
    requires(const L loss, const typename L::Values p, typename L::Values w) {
  { loss.measurements() } -> std::convertible_to<Index>;
  { loss.value(p) } -> std::convertible_to<double>;  // +infinity outside the domain
  loss.gradient(p, w);                               // w = loss'(p)
  loss.start_weights(w);                             // w = -loss'(0), or a finite stand-in for it
};

/// A loss of the form 1/2 <p - y, W (p - y)>: line searches are then exact.
template <class L>
concept QuadraticLoss = Loss<L> && requires(const L loss, const typename L::Values p) {
  { loss.inner(p, p) } -> std::convertible_to<double>;  // <p, W p>
};

/// Whether a loss is quadratic, also where that is known only at run time.
template <Loss L>
bool is_quadratic(const L& loss) {
  if constexpr (requires { loss.quadratic(); }) return loss.quadratic();
  return QuadraticLoss<L>;
}

/// A smooth f of X = U U^H. It remembers the last point it was given. It may also offer
///   f.start_times(v, g)    g = -grad f(0) V, or a finite stand-in for it;
///   f.scale_minimum()      the t > 0 that makes f(t X) smallest, X the remembered point, or 0;
///   f.on_ray(t)            f(t X) without a product.
template <class O>
concept Objective = NamesFactor<O> &&
    requires(O f, const typename O::Factor u, typename O::Factor g) {
  { f.rows() } -> std::convertible_to<Index>;
  { f.at(u) } -> std::convertible_to<double>;  // f(U U^H); the point is now U U^H
  f.gradient_times(u, g);                      // g = grad f(X) V at that point
};

/// Whether f.gradient_times takes any V. An objective that can compute only grad f(X) U, for the
/// last U it was given, declares a member type OnlyTimesItsPoint.
template <class O>
concept KnowsGradientMap = Objective<O> && !requires {
  typename O::OnlyTimesItsPoint;
};

/// An objective that can be minimised exactly along a segment, for one more product.
/// Call order: at(U), at(U + D), line(U, D), line_minimum(longest), move_on_line(t).
template <class O>
concept LineObjective = Objective<O> && requires(O f, const typename O::Factor u, double t) {
  f.line(u, u);                                          // prepares t -> f at U + t D
  { f.line_minimum(t) } -> std::convertible_to<double>;  // argmin over (0, t]
  { f.move_on_line(t) } -> std::convertible_to<double>;  // at(U + t D), free
};

/// A closed set C with an exact Euclidean projection. It changes its argument and returns nothing:
/// a returned result would be lost.
template <class C, class F>
concept Constraint = Factor<F> && requires(const C set, F u) {
  { set.project(u) } -> std::same_as<void>;  // u = P_C(u)
};

/// Optional properties of a set; without them a set is treated more carefully.
template <class C>
bool is_convex(const C& set) {  // segments between members stay inside
  if constexpr (requires { set.convex(); }) return set.convex();
  return false;
}
template <class C>
bool is_rotation_invariant(const C& set) {  // U in C implies U Q in C for unitary Q
  if constexpr (requires { set.rotation_invariant(); }) return set.rotation_invariant();
  return false;
}

/// What an observer may return: continue, end the run because its purpose is reached (`converged`),
/// or end it before that (`interrupted`). The result is the point reached so far.
enum class Decision { go_on, enough, stop };

/// Called after every iteration. It returns a Decision, or a bool where false means `stop`.
template <class O, class Snapshot>
concept Observer = std::predicate<O&, const Snapshot&> ||
    std::same_as<std::invoke_result_t<O&, const Snapshot&>, Decision>;

constexpr Decision decision(Decision answer) { return answer; }
constexpr Decision decision(bool go_on) { return go_on ? Decision::go_on : Decision::stop; }

}  // namespace projfgd
