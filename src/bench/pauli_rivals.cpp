#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <bit>

#include "bench/sections.hpp"
#include "projfgd/operators/reference_pauli.hpp"

namespace projfgd::bench {
namespace {

using C = std::complex<double>;
using Sparse = Eigen::SparseMatrix<C>;

/// The textbook way: one sparse matrix a string.
class SparsePaulis {
 public:
  SparsePaulis(int qubits, const std::vector<PauliString>& strings) {
    const Index n = Index{1} << qubits;
    static const C powers_of_i[] = {1, C(0, 1), -1, C(0, -1)};
    for (const PauliString& p : strings) {
      Sparse m(n, n);
      m.reserve(Eigen::VectorXi::Constant(n, 1));
      for (Index j = 0; j < n; ++j) {
        const auto bits = static_cast<std::uint32_t>(j);
        const int power = std::popcount(p.x & p.z) + 2 * std::popcount(p.z & bits);
        m.insert(j ^ p.x, j) = powers_of_i[power % 4];
      }
      m.makeCompressed();
      matrices_.push_back(std::move(m));
    }
  }

  void forward(const Matrix<C>& u, Vector<double>& y) const {
    y.resize(static_cast<Index>(matrices_.size()));
    for (Index i = 0; i < y.size(); ++i) {
      y[i] = std::real(u.conjugate().cwiseProduct(matrix(i) * u).sum());
    }
  }
  void adjoint_times(const Vector<double>& w, const Matrix<C>& v, Matrix<C>& g) const {
    g.setZero(v.rows(), v.cols());
    for (Index i = 0; i < w.size(); ++i) g += w[i] * (matrix(i) * v);
  }
  double bytes() const {
    double sum = 0;
    for (const Sparse& m : matrices_) {
      sum += static_cast<double>(m.nonZeros()) * (sizeof(C) + sizeof(int)) +
             static_cast<double>(m.outerSize() + 1) * sizeof(int);
    }
    return sum;
  }

 private:
  const Sparse& matrix(Index i) const { return matrices_[static_cast<std::size_t>(i)]; }
  std::vector<Sparse> matrices_;
};

/// What the operator holds and what a product needs besides: split factors and partial sums.
double operator_bytes(const PauliGroups& groups, Index rows, Index rank) {
  const double strings = static_cast<double>(groups.z.size());
  return strings * 2 * sizeof(std::uint32_t) +
         static_cast<double>(groups.groups.size()) * sizeof(PauliGroups::Group) +
         strings * sizeof(double) + 3 * static_cast<double>(rows * rank) * sizeof(C);
}

template <class Rival>
bool against(const Context& context, const char* name, const Rival& rival,
             PauliCase<double>& problem, int qubits, double target) {
  Vector<double> y;
  Matrix<C> g;
  const auto emit = [&](const char* what, const Comparison& c) {
    Row row{"rivals",       fmt::format("{} {} q={}", name, what, qubits),
            c.ratio.median, "times slower",
            c.ratio.spread, c.best,
            target};
    row.details = {{"milliseconds", 1e3 * c.first.median},
                   {"rival_milliseconds", 1e3 * c.second.median}};
    return context.emit(row);
  };
  return emit("forward",
              compare_times([&] { problem.forward(); }, [&] { rival.forward(problem.factor(), y); },
                            context.repeats)) &&
         emit("adjoint",
              compare_times([&] { problem.adjoint(); },
                            [&] { rival.adjoint_times(problem.weights(), problem.factor(), g); },
                            context.repeats));
}

}  // namespace

bool run_pauli_rivals(const Context& context) {
  for (const int qubits : {8, 10}) {
    PauliCase<double> problem(qubits, 1, 3.0, context.options.seed);
    const SparsePaulis sparse(qubits, problem.strings());
    const double target = qubits == 10 ? 30 : unset;
    if (!against(context, "one sparse matrix a string,", sparse, problem, qubits, target)) {
      return false;
    }
    const double ours = operator_bytes(problem.op().groups(), problem.op().rows(), 1);
    Row memory{"rivals",
               fmt::format("one sparse matrix a string, memory q={}", qubits),
               sparse.bytes() / ours,
               "times more",
               0,
               unset,
               qubits == 10 ? 100 : unset};
    memory.details = {{"bytes", ours}, {"rival_bytes", sparse.bytes()}};
    if (!context.emit(memory)) return false;
    const ReferencePauliOperator<C> reference(qubits, problem.strings(), 1);
    if (!against(context, "scalar reference,", reference, problem, qubits, unset)) return false;
  }
  return true;
}

}  // namespace projfgd::bench
