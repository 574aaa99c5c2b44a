// What a GPU does beside the processor of the same machine, and beside its own multiply-adds.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/sections.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/devices.hpp"
#include "projfgd/jobs/place.hpp"

namespace projfgd::bench {
namespace {

using C = std::complex<double>;

/// The GPU, or null where there is none and nobody asked for this section by its name.
std::shared_ptr<const Place> gpu_for(const Context& context) {
  if (device::count() > 0) return find_place(device_name::gpu, 1, "");
  const auto& sections = context.options.sections;
  if (std::ranges::find(sections, "gpu") == sections.end()) return nullptr;
  const std::string why = fmt::format("section gpu: {}", device::why_none());
  if (device::backend().empty()) throw InputError(why);
  throw ResourceError(why);
}

/// The Pauli products of a case on both. Factors and results are copied, as a caller on the host
/// has them.
class Products {
 public:
  Products(const Place& gpu, const Context& context, int qubits, Index rank)
      : here_(qubits, rank, 3.0, context.options.seed),
        data_(PauliData{qubits, here_.strings(), {}, {}}),
        there_(placed<C>(gpu, {data_, data_, Readout{}}, rank)),
        op_(there_->op()),
        needed_(operations(here_.op().groups(), qubits, rank)) {}

  void forward() { op_.forward(here_.factor(), y_); }
  void adjoint() { op_.adjoint_times(here_.weights(), here_.factor(), g_); }
  PauliCase<double>& on_the_processor() { return here_; }
  const Operations& operations_needed() const { return needed_; }

 private:
  PauliCase<double> here_;
  Measurements data_;  // which what is on the GPU refers to
  std::shared_ptr<const PlacedMeasurements<C>> there_;
  AnyOperator<C> op_;
  Operations needed_;
  Matrix<C> g_;
  Vector<double> y_;
};

bool share_of_fma(const Context& context, const Place& gpu, const std::string& name, double needed,
                  double target, const std::function<void()>& product) {
  constexpr Index rounds = 20'000;
  double done = 0;
  const Comparison c = compare_times(
      product, [&] { done = gpu.multiply_add(rounds); }, context.repeats);
  const double scale = needed / done;  // ratio of times to ratio of rates
  Row row{"gpu",
          name,
          c.ratio.median * scale,
          "of the GPU's FMA rate",
          c.ratio.spread * scale,
          c.best * scale,
          target};
  row.most = 1;
  row.details = {{"milliseconds", 1e3 * c.first.median},
                 {"operations", needed},
                 {"gigaflops", needed / c.first.median / 1e9},
                 {"fma_gigaflops", done / c.second.median / 1e9},
                 {"device", gpu.name()}};
  return context.emit(row);
}

bool over_processor(const Context& context, const Place& gpu, const std::string& name,
                    const std::function<void()>& there, const std::function<void()>& here) {
  const Comparison c = compare_times(there, here, context.repeats);
  Row row{
      "gpu", "GPU over processor, " + name, c.ratio.median, "times faster", c.ratio.spread, c.best,
      unset};
  row.details = {{"milliseconds", 1e3 * c.first.median},
                 {"slower_milliseconds", 1e3 * c.second.median},
                 {"device", gpu.name()}};
  return context.emit(row);
}

struct Case {
  int qubits;
  Index rank;
  double forward_target = unset, adjoint_target = unset;
};

bool emit_case(const Context& context, const Place& gpu, const Case& size) {
  Products products(gpu, context, size.qubits, size.rank);
  const auto name = [&](const char* what) {
    return fmt::format("{} q={} r={}", what, size.qubits, size.rank);
  };
  const auto forward = [&] { products.forward(); };
  const auto adjoint = [&] { products.adjoint(); };
  auto& here = products.on_the_processor();
  const Operations& needed = products.operations_needed();
  return share_of_fma(context, gpu, name("forward"), needed.forward, size.forward_target,
                      forward) &&
         share_of_fma(context, gpu, name("adjoint"), needed.adjoint, size.adjoint_target,
                      adjoint) &&
         over_processor(context, gpu, name("forward"), forward, [&] { here.forward(); }) &&
         over_processor(context, gpu, name("adjoint"), adjoint, [&] { here.adjoint(); });
}

}  // namespace

bool run_gpu(const Context& context) {
  const auto gpu = gpu_for(context);
  if (!gpu) return true;
  const std::vector<Case> cases =
      context.options.quick
          ? std::vector<Case>{{12, 1}, {10, 20}}
          : std::vector<Case>{{13, 1}, {16, 1, 0.3, 0.35}, {13, 20}, {16, 20, 0.45, 0.4}};
  return std::ranges::all_of(cases,
                             [&](const Case& size) { return emit_case(context, *gpu, size); });
}

}  // namespace projfgd::bench
