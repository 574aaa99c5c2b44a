// expects: f.gradient_times(u, g)
#include "projfgd/constraints/none.hpp"
#include "projfgd/solvers/projfgd.hpp"

struct Value {
  using Factor = projfgd::Matrix<double>;
  projfgd::Index rows() const { return 4; }
  double at(const Factor& u) { return u.norm(); }
};

int main() {
  Value f;
  projfgd::projfgd(f, projfgd::Unconstrained{}, 2);
}
