#include <fmt/format.h>

#include <cmath>

#include "bench/sections.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/operators/product_basis.hpp"

namespace projfgd::bench {

std::vector<Setting> all_settings(int qubits) {
  std::vector<Setting> settings(static_cast<std::size_t>(std::lround(std::pow(3, qubits))));
  for (std::size_t s = 0; s < settings.size(); ++s) {
    for (std::size_t rest = s, j = 0; j < static_cast<std::size_t>(qubits); ++j, rest /= 3) {
      settings[s].push_back(static_cast<std::uint8_t>(rest % 3));
    }
  }
  return settings;
}

namespace {

using C = std::complex<double>;
using Operator = ProductBasisOperator<C>;

/// The same measurements with nothing shared between settings.
struct SettingBySetting {
  std::vector<Operator> operators;
  explicit SettingBySetting(const std::vector<Setting>& settings) {
    for (const Setting& setting : settings) operators.emplace_back(std::vector<Setting>{setting});
  }
  void forward(const Matrix<C>& u, Vector<double>& y) const {
    for (const Operator& op : operators) op.forward(u, y);
  }
  void adjoint(const Vector<double>& w, const Matrix<C>& v, Matrix<C>& g, Matrix<C>& sum) const {
    sum.setZero(v.rows(), v.cols());
    for (const Operator& op : operators) {
      op.adjoint_times(w, v, g);
      sum += g;
    }
  }
};

bool emit_case(const Context& context, int qubits, Index rank) {
  const auto settings = all_settings(qubits);
  const Operator tree(settings);
  const SettingBySetting rival(settings);
  Matrix<C> u(tree.rows(), rank), g, sum;
  fill_normal(RandomStream(context.options.seed, 0xC0), u);
  Vector<double> y, w, w_one = Vector<double>::Ones(tree.rows());
  w = Vector<double>::Ones(tree.measurements());
  const auto emit = [&](const char* what, const Comparison& c) {
    Row row{"counts",
            fmt::format("tree over setting by setting, {} q={} r={}", what, qubits, rank),
            c.ratio.median,
            "times faster",
            c.ratio.spread,
            c.best};
    row.details = {{"milliseconds", 1e3 * c.first.median},
                   {"rival_milliseconds", 1e3 * c.second.median},
                   {"settings", settings.size()}};
    return context.emit(row);
  };
  return emit("forward", compare_times([&] { tree.forward(u, y); }, [&] { rival.forward(u, y); },
                                       context.repeats)) &&
         emit("adjoint", compare_times([&] { tree.adjoint_times(w, u, g); },
                                       [&] { rival.adjoint(w_one, u, g, sum); }, context.repeats));
}

}  // namespace

bool run_counts(const Context& context) {
  const int count = threads();
  set_threads(1);  // the rival's products are too short for more
  bool go_on = true;
  for (const int qubits : {6, 8}) {
    for (const Index rank : {1, 10}) {
      if (context.options.quick && qubits * rank > 8) continue;
      go_on = go_on && emit_case(context, qubits, rank);
    }
  }
  set_threads(count);
  return go_on;
}

}  // namespace projfgd::bench
