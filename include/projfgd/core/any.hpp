// Type-erased operator, loss and set: jobs choose these at run time, and the solvers are compiled
// once for them instead of once for each combination. One virtual call an oracle call.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "projfgd/core/parts.hpp"

namespace projfgd {

/// A place where numbers live names its factors and measurement vectors. This one is the host's
/// memory.
struct Host {
  template <class S>
  using Factor = Matrix<S>;
  template <class R>
  using Values = Vector<R>;
  using Marks = std::vector<bool>;  ///< of Support
};

/// Any MeasurementOperator on the factors of a place.
template <class S, class Place = Host>
class AnyOperator {
 public:
  using Factor = typename Place::template Factor<S>;
  using Real = RealOf<S>;
  using Values = typename Place::template Values<Real>;

  template <MeasurementOperator A>
  requires(!std::same_as<A, AnyOperator>) AnyOperator(A op)
      : model_(std::make_shared<Model<A>>(std::move(op))) {}

  Index rows() const { return model_->rows(); }
  Index measurements() const { return model_->measurements(); }
  void forward(const Factor& u, Values& y) const { model_->forward(u, y); }
  void forward(const Factor& u, const Factor& d, Values& y) const { model_->forward(u, d, y); }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    model_->adjoint_times(w, v, g);
  }
  /// Of an operator whose measurements are split over several processes, that of this one's.
  std::optional<AnyOperator> part() const { return model_->part(); }
  /// Whether they are copies of one.
  bool is(const AnyOperator& other) const { return model_ == other.model_; }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual std::optional<AnyOperator> part() const = 0;
    virtual Index rows() const = 0;
    virtual Index measurements() const = 0;
    virtual void forward(const Factor&, Values&) const = 0;
    virtual void forward(const Factor&, const Factor&, Values&) const = 0;
    virtual void adjoint_times(const Values&, const Factor&, Factor&) const = 0;
  };
  template <class A>
  struct Model final : Interface {
    explicit Model(A a) : op(std::move(a)) {}
    std::optional<AnyOperator> part() const override {
      if constexpr (requires { op.part(); }) return op.part();
      return std::nullopt;
    }
    Index rows() const override { return op.rows(); }
    Index measurements() const override { return op.measurements(); }
    void forward(const Factor& u, Values& y) const override { op.forward(u, y); }
    void forward(const Factor& u, const Factor& d, Values& y) const override {
      op.forward(u, d, y);
    }
    void adjoint_times(const Values& w, const Factor& v, Factor& g) const override {
      op.adjoint_times(w, v, g);
    }
    A op;
  };
  std::shared_ptr<const Interface> model_;
};

/// Any Loss with real type R. It counts as quadratic when the loss inside is.
template <class R, class Place = Host>
class AnyLoss {
 public:
  using Real = R;
  using Values = typename Place::template Values<R>;

  template <Loss L>
  requires(!std::same_as<L, AnyLoss>) AnyLoss(L loss)
      : model_(std::make_shared<Model<L>>(std::move(loss))) {}

  Index measurements() const { return model_->measurements(); }
  double value(const Values& p) const { return model_->value(p); }
  void gradient(const Values& p, Values& w) const { model_->gradient(p, w); }
  void start_weights(Values& w) const { model_->start_weights(w); }
  bool quadratic() const { return model_->quadratic(); }
  double inner(const Values& p, const Values& q) const { return model_->inner(p, q); }
  /// Of a loss that knows its own.
  void curvature(const Values& p, Values& h) const { model_->curvature(p, h); }
  double product(const Values& w, const Values& p) const { return model_->product(w, p); }
  void keep_values(Archive& archive, Values& p) const { model_->keep_values(archive, p); }
  /// Of a loss whose data are split over several processes, that of this one's.
  std::optional<AnyLoss> part() const { return model_->part(); }
  /// Whether they are copies of one.
  bool is(const AnyLoss& other) const { return model_ == other.model_; }

 private:
  struct Interface {
    virtual double product(const Values&, const Values&) const = 0;
    virtual void keep_values(Archive&, Values&) const = 0;
    virtual std::optional<AnyLoss> part() const = 0;
    virtual ~Interface() = default;
    virtual Index measurements() const = 0;
    virtual double value(const Values&) const = 0;
    virtual void gradient(const Values&, Values&) const = 0;
    virtual void start_weights(Values&) const = 0;
    virtual bool quadratic() const = 0;
    virtual double inner(const Values&, const Values&) const = 0;
    virtual void curvature(const Values&, Values&) const = 0;
  };
  template <class L>
  struct Model final : Interface {
    explicit Model(L l) : loss(std::move(l)) {}
    Index measurements() const override { return loss.measurements(); }
    double value(const Values& p) const override { return loss.value(p); }
    void gradient(const Values& p, Values& w) const override { loss.gradient(p, w); }
    void start_weights(Values& w) const override { loss.start_weights(w); }
    bool quadratic() const override { return is_quadratic(loss); }
    double product(const Values& w, const Values& p) const override {
      return projfgd::product(loss, w, p);
    }
    void keep_values(Archive& archive, Values& p) const override {
      projfgd::keep_values(loss, archive, p);
    }
    std::optional<AnyLoss> part() const override {
      if constexpr (requires { loss.part(); }) return loss.part();
      return std::nullopt;
    }
    double inner(const Values& p, const Values& q) const override {
      if constexpr (QuadraticLoss<L>) return loss.inner(p, q);
      return 0;  // never asked for: quadratic() is false
    }
    void curvature(const Values& p, Values& h) const override {
      if constexpr (requires { loss.curvature(p, h); }) return loss.curvature(p, h);
      throw std::logic_error("this loss has no second derivative");
    }
    L loss;
  };
  std::shared_ptr<const Interface> model_;
};

/// Any Constraint on the factors of a place.
template <class S, class Place = Host>
class AnyConstraint {
 public:
  using Factor = typename Place::template Factor<S>;

  template <Constraint<Factor> C>
  requires(!std::same_as<C, AnyConstraint>) AnyConstraint(C set)
      : model_(std::make_shared<Model<C>>(std::move(set))) {}

  void project(Factor& u) const { model_->project(u); }
  bool convex() const { return model_->convex(); }
  bool rotation_invariant() const { return model_->rotation_invariant(); }
  /// Whether they are copies of one.
  bool is(const AnyConstraint& other) const { return model_ == other.model_; }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual void project(Factor&) const = 0;
    virtual bool convex() const = 0;
    virtual bool rotation_invariant() const = 0;
  };
  template <class C>
  struct Model final : Interface {
    explicit Model(C s) : set(std::move(s)) {}
    void project(Factor& u) const override { set.project(u); }
    bool convex() const override { return is_convex(set); }
    bool rotation_invariant() const override { return is_rotation_invariant(set); }
    C set;
  };
  std::shared_ptr<const Interface> model_;
};

}  // namespace projfgd
