// Functions of an entry of A z, compiled for a device: those of core/phase_elements.hpp for every
// loss that phase retrieval knows.
#include <complex>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device/elements.hpp"
#include "projfgd/core/intensities.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/device/patterns.hpp"
#include "projfgd/losses/pointwise.hpp"

namespace projfgd {
namespace device {
namespace {

/// f(v_i, data_i...), and what it returns, if anything.
template <class Function, class R, class... T>
struct VisitEntry {
  Function f;
  Complex<R>* v;
  const std::uint8_t* left_out;
  std::tuple<T*...> data;

  template <std::size_t... k>
  PROJFGD_ON_DEVICE auto call(Index i, std::index_sequence<k...>) const {
    return f(v[i], std::get<k>(data)[i]...);
  }
  PROJFGD_ON_DEVICE void drop(Index i) const {
    if (left_out != nullptr && left_out[i] != 0) v[i] = Complex<R>{0, 0};
  }
  PROJFGD_ON_DEVICE double operator()(Index, Index i) const {
    drop(i);
    const double value = call(i, std::index_sequence_for<T...>{});
    drop(i);
    return value;
  }
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    drop(i);
    call(i, std::index_sequence_for<T...>{});
    drop(i);
  }
};

}  // namespace

template <class S, class Function, class... T>
bool visit_entries(const Entries<S>& entries, const Function& f, T*... data) {
  using R = RealOf<S>;
  using Visit = VisitEntry<Function, R, SeenAs<T>...>;
  const std::uint8_t* const marks =
      entries.left_out != nullptr ? entries.left_out + entries.begin : nullptr;
  const Visit visit{f, seen(entries.v), marks,
                    std::tuple<SeenAs<T>*...>(seen(data + entries.begin)...)};
  constexpr bool has_value = !std::is_void_v<std::invoke_result_t<Function, S&, T&...>>;
  if constexpr (has_value) {
    const Index shares = shares_of_sum(1, entries.size);
    run_blocks(shares, PartialSums<double, Visit>{entries.size, shares, visit, entries.sums});
  } else {
    for_each(entries.size, visit);
  }
  return has_value;
}

#define PROJFGD_VISIT(C, F, ...) \
  template bool visit_entries(const Entries<C>&, const F&, __VA_ARGS__);

#define PROJFGD_LOSS(R, Kernel)                                                                  \
  PROJFGD_VISIT(std::complex<R>, element::LossGradient<Kernel>, const R*)                        \
  PROJFGD_VISIT(std::complex<R>, element::StoreWithLoss<Kernel>, std::complex<R>*, const R*)     \
  PROJFGD_VISIT(std::complex<R>, element::TwiceLossGradient<Kernel>, std::complex<R>*, const R*) \
  template void map_numbers(Index, R*, element::LossSlope<Kernel>, const R*, const R*);          \
  template Sums sum_numbers(Index, element::LossAlong<Kernel>, const std::complex<R>*,           \
                            const std::complex<R>*, const R*);

#define PROJFGD_PHASE(R)                                                                     \
  template bool visit_entries(const Entries<std::complex<R>>&, const element::Leave&);       \
  PROJFGD_VISIT(std::complex<R>, element::Store, std::complex<R>*)                           \
  PROJFGD_VISIT(std::complex<R>, element::Load, std::complex<R>*)                            \
  PROJFGD_VISIT(std::complex<R>, element::Load, const std::complex<R>*)                      \
  PROJFGD_VISIT(std::complex<R>, element::AddIntensity, R*)                                  \
  PROJFGD_VISIT(std::complex<R>, element::Weigh, const R*)                                   \
  PROJFGD_VISIT(std::complex<R>, element::AmplitudeStep, const R*)                           \
  PROJFGD_VISIT(std::complex<R>, element::AmplitudeMisfit, const R*)                         \
  PROJFGD_VISIT(std::complex<R>, element::StoreModulus, const R*, R*)                        \
  PROJFGD_VISIT(std::complex<R>, element::Reflection, std::complex<R>*, const R*)            \
  PROJFGD_VISIT(std::complex<R>, element::RelaxedReflection, std::complex<R>*, const R*, R*) \
  PROJFGD_LOSS(R, IntensityKernel)                                                           \
  PROJFGD_LOSS(R, AmplitudeKernel)                                                           \
  PROJFGD_LOSS(R, PoissonKernel)                                                             \
  template void map_numbers(Index, R*, element::Saturation<R>, const R*);                    \
  template void map_numbers(Index, R*, element::SquareRoot, const R*);                       \
  template double sum_numbers(Index, element::Itself, const R*);

PROJFGD_PHASE(float)
PROJFGD_PHASE(double)

}  // namespace device

}  // namespace projfgd
