// Measurement vectors on a device, with the algebra of core/values.hpp, and the place that they and
// the factors make together.
#pragma once

#include "projfgd/core/elements.hpp"
#include "projfgd/core/sums.hpp"
#include "projfgd/device/factor.hpp"

namespace projfgd {

/// m numbers on a device: measurements, or complex ones of A z.
template <class R>
class DeviceValues {
 public:
  using Scalar = R;

  Index size() const { return numbers_.size(); }
  /// On the device: for kernels.
  R* data() { return numbers_.data(); }
  const R* data() const { return numbers_.data(); }
  void resize(Index size) { numbers_.resize(size); }

  friend void copy_from_host(const Vector<R>& host, DeviceValues& p) {
    p.numbers_.from_host(host.data(), host.size());
  }

 private:
  device::Array<R> numbers_;
};

namespace device {

/// The result of sum_values: Sums where f gives these, else a number.
template <class Function, class... R>
using SumOf =
    std::conditional_t<std::is_same_v<std::invoke_result_t<Function, R...>, Sums>, Sums, double>;

/// f over whole vectors. Compiled for the functions that src/device/algebra.cu lists.
template <class Function, class First, class... Rest>
void map_numbers(Index size, First* out, Function f, const First* first, const Rest*... rest);
template <class Function, class First, class... Rest>
SumOf<Function, First, Rest...> sum_numbers(Index size, Function f, const First* first,
                                            const Rest*... rest);

}  // namespace device

/// out_i = f(in_i, ...); out may be one of the inputs.
template <class R, class Function, class... Rest>
void map_values(DeviceValues<R>& out, const Function& f, const DeviceValues<R>& first,
                const Rest&... rest) {
  out.resize(first.size());
  device::map_numbers(first.size(), out.data(), f, first.data(), rest.data()...);
}

/// sum_i f(in_i, ...) in double precision, in an order that depends on the size alone.
template <class R, class Function, class... Rest>
auto sum_values(const Function& f, const DeviceValues<R>& first, const Rest&... rest) {
  return device::sum_numbers(first.size(), f, first.data(), rest.data()...);
}

template <class R>
R dot(const DeviceValues<R>& p, const DeviceValues<R>& q) {
  return static_cast<R>(sum_values(element::Product{}, p, q));
}
template <class T>
RealOf<T> norm(const DeviceValues<T>& p);
template <class T>
void axpy(std::type_identity_t<RealOf<T>> a, const DeviceValues<T>& p, DeviceValues<T>& q);
template <class T>
void scale(std::type_identity_t<RealOf<T>> a, DeviceValues<T>& p);
template <class T>
void subtract(const DeviceValues<T>& p, const DeviceValues<T>& q, DeviceValues<T>& out);
template <class T>
void set_zero(Index size, DeviceValues<T>& out);

template <class R>
Vector<R> copy_to_host(const DeviceValues<R>& p) {
  Vector<R> host(p.size());
  if (p.size() > 0) {
    device::copy_out(host.data(), p.data(), sizeof(R) * static_cast<std::size_t>(p.size()));
  }
  return host;
}
/// Where they live, for AnyOperator and the like.
struct Device {
  template <class S>
  using Factor = DeviceFactor<S>;
  template <class R>
  using Values = DeviceValues<R>;
  using Marks = DeviceMarks;
};

}  // namespace projfgd
