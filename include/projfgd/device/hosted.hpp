#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "projfgd/device/values.hpp"

namespace projfgd {

/// An operator for factors of the host whose products run on a device: what a factor has is copied
/// there, and the result is copied back. One product runs at a time. Copies share their memory.
template <class A>
class HostedOperator {
 public:
  using Scalar = typename A::Factor::Scalar;
  using Real = RealOf<Scalar>;
  using Factor = Matrix<Scalar>;
  using Values = Vector<Real>;

  explicit HostedOperator(A op) : state_(std::make_shared<State>(std::move(op))) {}

  Index rows() const { return state_->op.rows(); }
  Index measurements() const { return state_->op.measurements(); }
  void forward(const Factor& u, Values& y) const {
    const std::lock_guard alone(state_->busy);
    copy_from_host(u, state_->u);
    state_->op.forward(state_->u, state_->y);
    take(y);
  }
  void forward(const Factor& u, const Factor& d, Values& y) const {
    const std::lock_guard alone(state_->busy);
    copy_from_host(u, state_->u);
    copy_from_host(d, state_->g);
    state_->op.forward(state_->u, state_->g, state_->y);
    take(y);
  }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    const std::lock_guard alone(state_->busy);
    copy_from_host(w, state_->y);
    copy_from_host(v, state_->u);
    state_->op.adjoint_times(state_->y, state_->u, state_->g);
    g.resize(v.rows(), v.cols());
    device::copy_out(g.data(), state_->g.data(),
                     sizeof(Scalar) * static_cast<std::size_t>(g.size()));
  }

 private:
  struct State {
    explicit State(A a) : op(std::move(a)) {}
    A op;
    typename A::Factor u, g;
    typename A::Values y;
    std::mutex busy;
  };
  void take(Values& y) const {
    y.resize(state_->y.size());
    device::copy_out(y.data(), state_->y.data(), sizeof(Real) * static_cast<std::size_t>(y.size()));
  }

  std::shared_ptr<State> state_;
};

}  // namespace projfgd
