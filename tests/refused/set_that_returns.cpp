// expects: set.project(u)
#include "projfgd/core/composite.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/operators/identity.hpp"
#include "projfgd/solvers/projfgd.hpp"

struct Returns {
  projfgd::Matrix<double> project(const projfgd::Matrix<double>& u) const { return u; }
};

int main() {
  const projfgd::IdentityOperator<double> op(4);
  projfgd::Composite f(op, projfgd::LeastSquares<double>(projfgd::Vector<double>::Zero(10)));
  projfgd::projfgd(f, Returns{}, 2);
}
