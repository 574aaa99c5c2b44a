// expects: typename T::Factor
#include "projfgd/constraints/none.hpp"
#include "projfgd/solvers/projfgd.hpp"

struct Nameless {
  projfgd::Index rows() const { return 4; }
  double at(const projfgd::Matrix<double>& u) { return u.norm(); }
  void gradient_times(const projfgd::Matrix<double>& v, projfgd::Matrix<double>& g) { g = v; }
};

int main() {
  Nameless f;
  projfgd::projfgd(f, projfgd::Unconstrained{}, 2);
}
