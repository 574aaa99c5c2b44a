// Type-erased operator, loss and set: jobs choose these at run time, and the solvers are compiled
// once for them instead of once for each combination. One virtual call an oracle call.
#pragma once

#include <memory>
#include <utility>

#include "projfgd/concepts.hpp"

namespace projfgd {

/// Any MeasurementOperator on factors of type Matrix<S>.
template <class S>
class AnyOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;

  template <MeasurementOperator A>
  requires(!std::same_as<A, AnyOperator>) AnyOperator(A op)
      : model_(std::make_shared<Model<A>>(std::move(op))) {}

  Index rows() const { return model_->rows(); }
  Index measurements() const { return model_->measurements(); }
  void forward(const Factor& u, Vector<Real>& y) const { model_->forward(u, y); }
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
    model_->forward(u, d, y);
  }
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
    model_->adjoint_times(w, v, g);
  }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual Index rows() const = 0;
    virtual Index measurements() const = 0;
    virtual void forward(const Factor&, Vector<Real>&) const = 0;
    virtual void forward(const Factor&, const Factor&, Vector<Real>&) const = 0;
    virtual void adjoint_times(const Vector<Real>&, const Factor&, Factor&) const = 0;
  };
  template <class A>
  struct Model final : Interface {
    explicit Model(A a) : op(std::move(a)) {}
    Index rows() const override { return op.rows(); }
    Index measurements() const override { return op.measurements(); }
    void forward(const Factor& u, Vector<Real>& y) const override { op.forward(u, y); }
    void forward(const Factor& u, const Factor& d, Vector<Real>& y) const override {
      op.forward(u, d, y);
    }
    void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const override {
      op.adjoint_times(w, v, g);
    }
    A op;
  };
  std::shared_ptr<const Interface> model_;
};

/// Any Loss with real type R. It counts as quadratic when the loss inside is.
template <class R>
class AnyLoss {
 public:
  using Real = R;

  template <Loss L>
  requires(!std::same_as<L, AnyLoss>) AnyLoss(L loss)
      : model_(std::make_shared<Model<L>>(std::move(loss))) {}

  Index measurements() const { return model_->measurements(); }
  double value(const Vector<R>& p) const { return model_->value(p); }
  void gradient(const Vector<R>& p, Vector<R>& w) const { model_->gradient(p, w); }
  void start_weights(Vector<R>& w) const { model_->start_weights(w); }
  bool quadratic() const { return model_->quadratic(); }
  double inner(const Vector<R>& p, const Vector<R>& q) const { return model_->inner(p, q); }
  /// The diagonal of W for a quadratic loss; empty where W is the identity.
  Vector<R> curvature() const { return model_->curvature(); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual Index measurements() const = 0;
    virtual double value(const Vector<R>&) const = 0;
    virtual void gradient(const Vector<R>&, Vector<R>&) const = 0;
    virtual void start_weights(Vector<R>&) const = 0;
    virtual bool quadratic() const = 0;
    virtual double inner(const Vector<R>&, const Vector<R>&) const = 0;
    virtual Vector<R> curvature() const = 0;
  };
  template <class L>
  struct Model final : Interface {
    explicit Model(L l) : loss(std::move(l)) {}
    Index measurements() const override { return loss.measurements(); }
    double value(const Vector<R>& p) const override { return loss.value(p); }
    void gradient(const Vector<R>& p, Vector<R>& w) const override { loss.gradient(p, w); }
    void start_weights(Vector<R>& w) const override { loss.start_weights(w); }
    bool quadratic() const override { return QuadraticLoss<L>; }
    double inner(const Vector<R>& p, const Vector<R>& q) const override {
      if constexpr (QuadraticLoss<L>) return loss.inner(p, q);
      return 0;  // never asked for: quadratic() is false
    }
    Vector<R> curvature() const override {
      if constexpr (requires { loss.curvature(); }) return loss.curvature();
      return {};
    }
    L loss;
  };
  std::shared_ptr<const Interface> model_;
};

/// Any Constraint on factors of type Matrix<S>.
template <class S>
class AnyConstraint {
 public:
  template <Constraint<Matrix<S>> C>
  requires(!std::same_as<C, AnyConstraint>) AnyConstraint(C set)
      : model_(std::make_shared<Model<C>>(std::move(set))) {}

  void project(Matrix<S>& u) const { model_->project(u); }
  bool convex() const { return model_->convex(); }
  bool rotation_invariant() const { return model_->rotation_invariant(); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual void project(Matrix<S>&) const = 0;
    virtual bool convex() const = 0;
    virtual bool rotation_invariant() const = 0;
  };
  template <class C>
  struct Model final : Interface {
    explicit Model(C s) : set(std::move(s)) {}
    void project(Matrix<S>& u) const override { set.project(u); }
    bool convex() const override { return is_convex(set); }
    bool rotation_invariant() const override { return is_rotation_invariant(set); }
    C set;
  };
  std::shared_ptr<const Interface> model_;
};

}  // namespace projfgd
