#include <fftw3.h>
#include <fmt/format.h>

#include <memory>
#include <type_traits>

#include "bench/sections.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/operators/coded_diffraction.hpp"

namespace projfgd::bench {
namespace {

constexpr Index patterns = 21;

/// Two-dimensional transforms as FFTW makes them by itself, its plan chosen by timing.
template <class T>
class BareTransforms {
 public:
  BareTransforms(Index height, Index width) : height_(height), width_(width) {
    const Buffer data = buffer();
    const int h = static_cast<int>(height), w = static_cast<int>(width);
    if constexpr (is_double) {
      for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
        plans_.emplace_back(fftw_plan_dft_2d(h, w, raw(data), raw(data), sign, FFTW_MEASURE),
                            fftw_destroy_plan);
      }
    } else {
      for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
        plans_.emplace_back(fftwf_plan_dft_2d(h, w, raw(data), raw(data), sign, FFTW_MEASURE),
                            fftwf_destroy_plan);
      }
    }
  }

  /// `count` of them forward and backward, shared among the threads.
  void operator()(Index count) const {
    parallel_for(threads(), [&](Index first) {
      const Buffer data = buffer();
      std::fill_n(data.get(), height_ * width_, std::complex<T>(1));
      for (Index l = first; l < count; l += threads()) {
        for (const Plan& plan : plans_) {
          if constexpr (is_double) {
            fftw_execute_dft(plan.get(), raw(data), raw(data));
          } else {
            fftwf_execute_dft(plan.get(), raw(data), raw(data));
          }
        }
      }
    });
  }

 private:
  static constexpr bool is_double = std::is_same_v<T, double>;
  using RawPlan = std::conditional_t<is_double, fftw_plan, fftwf_plan>;
  using RawComplex = std::conditional_t<is_double, fftw_complex, fftwf_complex>;
  using Plan = std::unique_ptr<std::remove_pointer_t<RawPlan>, void (*)(RawPlan)>;
  using Buffer = std::unique_ptr<std::complex<T>[], void (*)(void*)>;

  Buffer buffer() const {
    const auto bytes = static_cast<std::size_t>(height_ * width_) * sizeof(std::complex<T>);
    return {static_cast<std::complex<T>*>(fftw_malloc(bytes)), fftw_free};
  }
  static RawComplex* raw(const Buffer& data) { return reinterpret_cast<RawComplex*>(data.get()); }

  Index height_, width_;
  std::vector<Plan> plans_;
};

template <class T>
bool gradient(const Context& context, Index height, Index width) {
  using S = std::complex<T>;
  const Index n = height * width;
  const MaskDraw draw = draw_masks(MaskFamily::octanary, patterns, n, context.options.seed);
  const std::vector<S> table(draw.table.begin(), draw.table.end());
  const CodedDiffractionOperator<S> op(height, width, Masks<S>(patterns, n, draw.codes, table));
  Matrix<S> truth(n, 1), z(n, 1), g;
  fill_normal(RandomStream(context.options.seed, 0xD1), truth);
  fill_normal(RandomStream(context.options.seed, 0xD2), z);
  Vector<T> y;
  op.forward(truth, y);
  PhaseObjective<BlockOperator<S>, IntensityKernel> f(op, y);
  const BareTransforms<T> bare(height, width);
  const Comparison c = compare_times([&] { bare(patterns); },
                                     [&] {
                                       f.at(z);
                                       f.gradient_times(z, g);
                                     },
                                     context.repeats);
  Row row{"diffraction",
          fmt::format("gradient {} x {} L={} {}", height, width, patterns,
                      std::is_same_v<T, double> ? "double" : "single"),
          c.ratio.median,
          "of its bare transforms",
          c.ratio.spread,
          c.best};
  if (height == 883) row.target = 1.25;
  row.higher_is_better = false;
  row.details = {{"milliseconds", 1e3 * c.second.median},
                 {"bare_milliseconds", 1e3 * c.first.median},
                 {"transforms", 2 * patterns}};
  return context.emit(row);
}

}  // namespace

bool run_diffraction(const Context& context) {
  if (!gradient<double>(context, 512, 512) || !gradient<float>(context, 512, 512)) return false;
  if (context.options.quick) return true;
  return gradient<double>(context, 883, 1280) && gradient<float>(context, 883, 1280);
}

}  // namespace projfgd::bench
