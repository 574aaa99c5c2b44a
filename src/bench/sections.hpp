// The parts of the benchmark. Each emits its rows; one that is told to stop returns early.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "bench/timing.hpp"
#include "projfgd/bench/bench.hpp"
#include "projfgd/operators/pauli.hpp"
#include "projfgd/operators/product_basis.hpp"

namespace projfgd::bench {

/// A row's target, or another of its numbers, where there is none.
inline constexpr double unset = std::numeric_limits<double>::quiet_NaN();

struct Context {
  const Options& options;
  const Progress& emit;  ///< false: stop
  Repeats repeats;
};

struct Section {
  std::string_view name;
  bool (*run)(const Context&);  ///< false when told to stop
  bool is_of_ranks = false;     ///< measured by several processes together, or by one
};

bool run_pauli_rates(const Context& context);
bool run_pauli_rivals(const Context& context);
bool run_scaling(const Context& context);
bool run_growth(const Context& context);
bool run_counts(const Context& context);
bool run_solves(const Context& context);
bool run_diffraction(const Context& context);
bool run_gpu(const Context& context);
bool run_ranks(const Context& context);

/// Strings drawn independently and uniformly.
std::vector<PauliString> random_paulis(int qubits, Index count, std::uint64_t seed);

/// All 3^q settings over X, Y and Z.
std::vector<Setting> all_settings(int qubits);

/// A Pauli problem ready to be timed: m = C r 2^q strings, a random factor, random weights.
template <class T>
class PauliCase {
 public:
  PauliCase(int qubits, Index rank, double samples, std::uint64_t seed);
  /// The same with a given number of strings.
  PauliCase(int qubits, Index rank, Index strings, std::uint64_t seed);

  void forward() { op_.forward(u_, y_); }
  void adjoint() { op_.adjoint_times(w_, u_, g_); }
  const PauliOperator<std::complex<T>>& op() const { return op_; }
  const std::vector<PauliString>& strings() const { return strings_; }
  const Matrix<std::complex<T>>& factor() const { return u_; }
  const Vector<T>& weights() const { return w_; }

 private:
  std::vector<PauliString> strings_;
  PauliOperator<std::complex<T>> op_;
  Matrix<std::complex<T>> u_, g_;
  Vector<T> y_, w_;
};

/// Floating-point operations that forward and adjoint need, see operation_formula.
struct Operations {
  double forward = 0, adjoint = 0;
};
Operations operations(const PauliGroups& groups, int qubits, Index rank);
extern const char* const operation_formula;

}  // namespace projfgd::bench
