// Fourier transforms by cuFFT.
#include <cufft.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <type_traits>

#include "device/launch.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/fourier.hpp"

namespace projfgd::device {
namespace {

/// The codes of cuFFT have no words of their own.
void require_success(cufftResult status, const char* what) {
  if (status == CUFFT_SUCCESS) return;
  throw ResourceError(fmt::format("GPU: {} failed: cuFFT error {}{}", what,
                                  static_cast<int>(status),
                                  status == CUFFT_ALLOC_FAILED ? ", no memory left" : ""));
}

}  // namespace

template <class R>
struct Fourier<R>::Plans {
  /// A plan of cuFFT, which takes its work space from us.
  class Plan {
   public:
    Plan() { require_success(cufftCreate(&plan_), "a plan of Fourier transforms"); }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() { cufftDestroy(plan_); }

    cufftHandle get() const { return plan_; }

   private:
    cufftHandle plan_ = 0;
  };

  std::map<Index, Plan> of_count;
  std::size_t work_size = 0;
  Array<unsigned char> work;
};

template <class R>
Fourier<R>::Fourier(Index height, Index width, std::span<const Index> counts)
    : plans_(std::make_shared<Plans>()) {
  constexpr cufftType type = std::is_same_v<R, float> ? CUFFT_C2C : CUFFT_Z2Z;
  answers(1);  // the device that was selected
  for (const Index count : counts) {
    const cufftHandle plan = plans_->of_count[count].get();
    require_success(cufftSetAutoAllocation(plan, 0), "a plan of Fourier transforms");
    long long lengths[2] = {height, width};
    const long long apart = height * width;
    // A row of a single length, so that the library sees what it is.
    const int rank = height == 1 ? 1 : 2;
    std::size_t bytes = 0;
    require_success(cufftMakePlanMany64(plan, rank, lengths + (2 - rank), nullptr, 1, apart,
                                        nullptr, 1, apart, type, count, &bytes),
                    "a plan of Fourier transforms");
    plans_->work_size = std::max(plans_->work_size, bytes);
  }
}

template <class R>
double Fourier<R>::bytes() const {
  return static_cast<double>(plans_->work_size);
}

template <class R>
void Fourier<R>::prepare(std::complex<R>* arrays) {
  plans_->work.resize(static_cast<Index>(plans_->work_size));
  for (const auto& [count, plan] : plans_->of_count) {
    if (plans_->work_size > 0) {
      require_success(cufftSetWorkArea(plan.get(), plans_->work.data()),
                      "the work space of Fourier transforms");
    }
    forward(count, arrays);
    backward(count, arrays);
  }
  wait();
}

template <class R>
void Fourier<R>::run(Index count, std::complex<R>* arrays, bool forward) const {
  const cufftHandle plan = plans_->of_count.at(count).get();
  const int direction = forward ? CUFFT_FORWARD : CUFFT_INVERSE;
  if constexpr (std::is_same_v<R, float>) {
    auto* const data = reinterpret_cast<cufftComplex*>(arrays);
    require_success(cufftExecC2C(plan, data, data, direction), "a Fourier transform");
  } else {
    auto* const data = reinterpret_cast<cufftDoubleComplex*>(arrays);
    require_success(cufftExecZ2Z(plan, data, data, direction), "a Fourier transform");
  }
}

template class Fourier<float>;
template class Fourier<double>;

}  // namespace projfgd::device
