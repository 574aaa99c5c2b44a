// Measurements that are split over the ranks of a run. Every rank keeps U and an operator and a
// loss of its own part:
//
//   PartOperator   that part, whose adjoint adds up all parts: one n x r sum over the ranks
//   PartLoss       a loss of that part, whose sums are over all parts
//   SplitOperator  all measurements, for who wants to see them one by one
//   SplitLoss      all data, in the same order
//
// A solver that sees the first two works as it does alone, and does 1 / ranks of the work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "projfgd/core/any.hpp"
#include "projfgd/core/ranks.hpp"

namespace projfgd {

/// Which measurements are whose. Those of rank k are order[i] for i from first[k] up to first[k+1].
struct Parts {
  const Ranks* ranks = &alone();
  std::vector<Index> order = {};
  std::vector<Index> first = {};

  Index measurements() const { return first.back(); }
  Index begin() const { return first[static_cast<std::size_t>(ranks->rank())]; }
  Index end() const { return first[static_cast<std::size_t>(ranks->rank()) + 1]; }
  Index count() const { return end() - begin(); }
  /// Where the i-th of this rank is among all.
  Index place(Index i) const { return order[static_cast<std::size_t>(begin() + i)]; }

  /// The numbers of this rank's measurements, and all from those of each rank.
  template <class T>
  Vector<T> mine(const Vector<T>& all) const {
    Vector<T> out(count());
    for (Index i = 0; i < out.size(); ++i) out[i] = all[place(i)];
    return out;
  }
  template <class T>
  std::vector<T> mine(const std::vector<T>& all) const {
    std::vector<T> out;
    out.reserve(static_cast<std::size_t>(count()));
    for (Index i = 0; i < count(); ++i) out.push_back(all[static_cast<std::size_t>(place(i))]);
    return out;
  }
  template <class T>
  void gather(const Vector<T>& mine, Vector<T>& all) const {
    std::vector<std::size_t> bytes;
    for (std::size_t k = 0; k + 1 < first.size(); ++k) {
      bytes.push_back(static_cast<std::size_t>(first[k + 1] - first[k]) * sizeof(T));
    }
    Vector<T> in_order(measurements());
    ranks->gather(mine.data(), bytes, in_order.data());
    all.resize(measurements());
    for (Index i = 0; i < all.size(); ++i) all[order[static_cast<std::size_t>(i)]] = in_order[i];
  }
};

/// Groups of measurements that stay together, each with its members and its work, in parts of about
/// equal work. Groups go to the ranks in their order.
Parts balanced_parts(const Ranks& ranks, const std::vector<std::vector<Index>>& groups,
                     const std::vector<double>& work);

/// The same for `count` groups of `size` measurements, one after the other.
Parts equal_parts(const Ranks& ranks, Index count, Index size = 1);

/// The measurements of this rank; there may be none of them.
template <class S>
class PartOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  PartOperator(std::shared_ptr<const Parts> parts, std::optional<AnyOperator<S>> own, Index rows)
      : parts_(std::move(parts)), own_(std::move(own)), rows_(rows) {}

  Index rows() const { return rows_; }
  Index measurements() const { return parts_->count(); }
  void forward(const Factor& u, Values& y) const { own_ ? own_->forward(u, y) : y.resize(0); }
  void forward(const Factor& u, const Factor& d, Values& y) const {
    own_ ? own_->forward(u, d, y) : y.resize(0);
  }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    own_ ? own_->adjoint_times(w, v, g) : set_zero(rows_, v.cols(), g);
    parts_->ranks->sum(g);
  }

 private:
  std::shared_ptr<const Parts> parts_;
  std::optional<AnyOperator<S>> own_;
  Index rows_;
};

/// All measurements, each computed by the rank that has it.
template <class S>
class SplitOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  SplitOperator(std::shared_ptr<const Parts> parts, PartOperator<S> own)
      : parts_(std::move(parts)), own_(std::move(own)) {}

  Index rows() const { return own_.rows(); }
  Index measurements() const { return parts_->measurements(); }
  void forward(const Factor& u, Values& y) const {
    Values mine;
    own_.forward(u, mine);
    parts_->gather(mine, y);
  }
  void forward(const Factor& u, const Factor& d, Values& y) const {
    Values mine;
    own_.forward(u, d, mine);
    parts_->gather(mine, y);
  }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    own_.adjoint_times(parts_->mine(w), v, g);
  }
  AnyOperator<S> part() const { return own_; }

 private:
  std::shared_ptr<const Parts> parts_;
  PartOperator<S> own_;
};

/// A loss of this rank's measurements whose sums are over all ranks.
template <class R>
class PartLoss {
 public:
  using Real = R;
  using Values = Vector<R>;

  PartLoss(std::shared_ptr<const Parts> parts, std::optional<AnyLoss<R>> own, bool quadratic)
      : parts_(std::move(parts)), own_(std::move(own)), quadratic_(quadratic) {}

  Index measurements() const { return parts_->count(); }
  double value(const Values& p) const { return sum(own_ ? own_->value(p) : 0); }
  void gradient(const Values& p, Values& w) const { own_ ? own_->gradient(p, w) : w.resize(0); }
  void start_weights(Values& w) const { own_ ? own_->start_weights(w) : w.resize(0); }
  void curvature(const Values& p, Values& h) const { own_ ? own_->curvature(p, h) : h.resize(0); }
  bool quadratic() const { return quadratic_; }
  double inner(const Values& p, const Values& q) const { return sum(own_ ? own_->inner(p, q) : 0); }
  double product(const Values& w, const Values& p) const { return sum(dot(w, p)); }

  /// All of them are kept, so that a run can be resumed by another number of ranks.
  void keep_values(Archive& archive, Values& p) const {
    Values all;
    if (!archive.reads() && p.size() == parts_->count()) parts_->gather(p, all);
    archive(all);
    if (!archive.reads()) return;
    p = all.size() == parts_->measurements() ? parts_->mine(all) : Values();
  }

 private:
  double sum(double own) const { return parts_->ranks->sum(own); }

  std::shared_ptr<const Parts> parts_;
  std::optional<AnyLoss<R>> own_;
  bool quadratic_;
};

/// A loss of all data, which knows that of this rank's part.
template <class R>
class SplitLoss {
 public:
  using Real = R;
  using Values = Vector<R>;

  SplitLoss(AnyLoss<R> all, PartLoss<R> own) : all_(std::move(all)), own_(std::move(own)) {}

  Index measurements() const { return all_.measurements(); }
  double value(const Values& p) const { return all_.value(p); }
  void gradient(const Values& p, Values& w) const { all_.gradient(p, w); }
  void start_weights(Values& w) const { all_.start_weights(w); }
  void curvature(const Values& p, Values& h) const { all_.curvature(p, h); }
  bool quadratic() const { return all_.quadratic(); }
  double inner(const Values& p, const Values& q) const { return all_.inner(p, q); }
  AnyLoss<R> part() const { return own_; }

 private:
  AnyLoss<R> all_;
  PartLoss<R> own_;
};

}  // namespace projfgd
