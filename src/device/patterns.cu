#include <algorithm>
#include <complex>
#include <limits>
#include <string>

#include "device/elements.hpp"
#include "device/patterns_kernels.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/patterns.hpp"

namespace projfgd {
namespace {

/// Patterns of the parts of all of them, as even as can be, where so many fit.
Index patterns_together(Index patterns, double fitting) {
  const auto most = std::max<Index>(1, static_cast<Index>(fitting));
  const Index parts = (patterns + most - 1) / most;
  return (patterns + parts - 1) / parts;
}

/// How many patterns are transformed at once: those of a part, those of the last one, and one.
std::vector<Index> planned_counts(Index patterns, Index together) {
  std::vector<Index> counts{together};
  for (const Index count : {patterns % together, Index{1}}) {
    if (count > 0 && std::ranges::find(counts, count) == counts.end()) counts.push_back(count);
  }
  return counts;
}

/// Numbers of a part, of the object and of patterns have 32 bits in kernels.
void require_numbers(Index found, const char* what) {
  constexpr Index most = std::numeric_limits<std::uint32_t>::max() / 2;
  if (found > most) {
    throw InputError(std::string(what) + ": found " + std::to_string(found) +
                     ", expected at most " + std::to_string(most) + " on a GPU");
  }
}

}  // namespace

template <class S>
DevicePatterns<S>::DevicePatterns(Index h, Index w, Index object_h, Index object_w,
                                  const BlockOperator<S>& host, double work)
    : height(h),
      width(w),
      object_height(object_h),
      object_width(object_w),
      patterns(host.blocks()),
      together(patterns_together(patterns, work / (sizeof(S) * static_cast<double>(h * w)))),
      left_out(host.left_out()),
      transform(h, w, planned_counts(patterns, together)) {
  require_numbers(together * size(), "pixels of a pattern");
  require_numbers(host.rows(), "pixels of the object");
  Matrix<S> diagonal = Matrix<S>::Ones(host.rows(), 1);
  host.solve_root(diagonal);
  for (Index k = 0; k < diagonal.size(); ++k) root.push_back(diagonal(k).real());
}

template <class S>
DevicePatterns<S>::DevicePatterns(const CodedDiffractionOperator<S>& host, double work)
    : DevicePatterns(host.height(), host.width(), host.height(), host.width(), host, work) {
  const Masks<S>& masks = host.masks();
  if (masks.coded()) {
    codes = masks.codes();
    table.assign(masks.table().begin(), masks.table().end());
  } else {
    values = masks.values();
  }
  level = host.faint();
}

template <class S>
DevicePatterns<S>::DevicePatterns(const PtychographyOperator<S>& host, double work)
    : DevicePatterns(host.scan().geometry().height, host.scan().geometry().width,
                     host.scan().geometry().object_height, host.scan().geometry().object_width,
                     host, work) {
  const Vector<S>& probes = host.probes();
  own.resize(static_cast<std::size_t>(probes.size()));
  for (Index k = 0; k < probes.size(); ++k) own[static_cast<std::size_t>(k)] = std::conj(probes[k]);
  values = own;
  for (Index b = 0; b < patterns; ++b) {
    mask.push_back(static_cast<std::uint32_t>(host.scan().shift_number(b) + 1));
    first.push_back(static_cast<std::uint32_t>(host.scan().first_pixel(b)));
  }
  level = host.most_light();
  scanned = true;
}

template <class S>
double DevicePatterns<S>::bytes() const {
  const auto of = [](std::size_t count, std::size_t each) {
    return static_cast<double>(count) * static_cast<double>(each);
  };
  constexpr double works = 2;  // that of a product, and another of a cross product
  const double lists = first.empty() ? 0
                                     : of(first.size() * static_cast<std::size_t>(height + 2) +
                                              static_cast<std::size_t>(object_height + 1),
                                          sizeof(std::uint32_t));
  return of(codes.size() + left_out.size(), 1) + of(table.size() + values.size(), sizeof(S)) +
         of(root.size(), sizeof(Real)) + lists +
         works * of(static_cast<std::size_t>(together * size()), sizeof(S)) + transform.bytes();
}

template <class S>
DevicePatternsOperator<S>::DevicePatternsOperator(DevicePatterns<S> patterns)
    : object_height_(patterns.object_height),
      object_width_(patterns.object_width),
      width_(patterns.width),
      size_(patterns.size()),
      patterns_(patterns.patterns),
      together_(patterns.together),
      level_(patterns.level),
      scanned_(patterns.scanned),
      transform_(patterns.transform) {
  codes_.from_host(patterns.codes.data(), static_cast<Index>(patterns.codes.size()));
  if (patterns.codes.empty()) {
    masks_.from_host(patterns.values.data(), static_cast<Index>(patterns.values.size()));
  } else {
    device::put(patterns.table, masks_);
  }
  device::put(patterns.mask, mask_);
  device::put(patterns.first, first_);
  device::put(patterns.root, root_);
  left_out_.from_host(patterns.left_out.data(), static_cast<Index>(patterns.left_out.size()));
  left_out_count_ = std::ranges::count_if(patterns.left_out, [](auto mark) { return mark != 0; });
  if (!patterns.first.empty()) {
    std::vector<std::uint32_t> begin(static_cast<std::size_t>(object_height_) + 1), seen_by;
    for (Index row = 0; row < object_height_; ++row) {
      for (Index b = 0; b < patterns_; ++b) {
        const Index top = patterns.first[static_cast<std::size_t>(b)] / object_width_;
        if (row >= top && row < top + patterns.height) {
          seen_by.push_back(static_cast<std::uint32_t>(b));
        }
      }
      begin[static_cast<std::size_t>(row) + 1] = static_cast<std::uint32_t>(seen_by.size());
    }
    device::put(begin, row_begin_);
    device::put(seen_by, row_patterns_);
  }
  work_.resize(together_ * size_);
  other_.resize(together_ * size_);
  transform_.prepare(work_.data());
}

namespace {

template <class S>
using Whole = device::Array<S>;

/// What kernels see of the masks.
template <class R>
device::Windows<R> windows_of(const Whole<std::uint8_t>& codes, const Whole<std::complex<R>>& masks,
                              const Whole<std::uint32_t>& mask, const Whole<std::uint32_t>& first,
                              Index size, Index width, Index object_width) {
  using Number = std::uint32_t;
  return {codes.size() > 0 ? codes.data() : nullptr,
          device::seen(masks.data()),
          mask.size() > 0 ? mask.data() : nullptr,
          first.size() > 0 ? first.data() : nullptr,
          static_cast<Number>(size),
          static_cast<Number>(width),
          static_cast<Number>(object_width)};
}

}  // namespace

template <class S>
void DevicePatternsOperator<S>::transform(Index first, Index count, const S* z,
                                          device::Array<S>& work) const {
  const auto windows =
      windows_of<Real>(codes_, masks_, mask_, first_, size_, width_, object_width_);
  device::for_each(count * size_, device::MaskWindows<Real>{windows, first, device::seen(z),
                                                            device::seen(work.data())});
  transform_.forward(count, work.data());
}

template <class S>
void DevicePatternsOperator<S>::add_up(Index first, Index count, S* out, Into into) const {
  transform_.backward(count, work_.data());
  const auto windows =
      windows_of<Real>(codes_, masks_, mask_, first_, size_, width_, object_width_);
  const device::Received<Real> received{windows,
                                        first,
                                        first + count,
                                        device::seen(std::as_const(work_).data()),
                                        into == Into::pseudo_inverse,
                                        scanned_,
                                        level_};
  const bool begins = into == Into::place;
  if (first_.size() == 0) {
    device::for_each(rows(), device::AddPatterns<Real>{received, begins, device::seen(out)});
  } else {
    device::for_each(
        rows(), device::AddWindows<Real>{received, row_begin_.data(), row_patterns_.data(), begins,
                                         device::seen(out)});
  }
}

template <class S>
double DevicePatternsOperator<S>::visit(const Range& range, const S* z, const Visit& visit, S* out,
                                        Into into) const {
  if (z != nullptr) forward_products_ += range.count;
  if (out != nullptr) adjoint_products_ += range.count;
  const Index parts = (range.count + together_ - 1) / together_;
  double* const sums = device::answers(parts * device::most_shares);
  const bool marked = range.marked && left_out_.size() > 0;
  Index shares = 0;  // of the parts so far
  for (Index part = 0; part < parts; ++part) {
    const Index begin = part * together_, first = range.first + begin;
    const Index count = std::min(together_, range.count - begin);
    const Index entries = count * size_;
    if (z != nullptr) transform(first, count, z, work_);
    if (visit({work_.data(), first * size_, entries, marked ? left_out_.data() : nullptr,
               sums + shares})) {
      shares += device::shares_of_sum(1, entries);
    }
    if (out == nullptr) continue;
    add_up(first, count, out, part > 0 && into == Into::place ? Into::sum : into);
  }
  if (shares == 0) return 0;
  device::wait();
  double sum = 0;
  for (Index k = 0; k < shares; ++k) sum += sums[k];
  return sum;
}

template <class S>
void DevicePatternsOperator<S>::require_column(const Factor& z) const {
  require_size("rows of the factor", z.rows(), rows());
}

template <class S>
void DevicePatternsOperator<S>::forward(const Factor& u, Values& y) const {
  require_column(u);
  set_zero(measurements(), y);
  for (Index c = 0; c < u.cols(); ++c) {
    visit(all(), u.data() + c * rows(), elements(element::AddIntensity{}, y), nullptr, Into::place);
  }
}

template <class S>
void DevicePatternsOperator<S>::forward(const Factor& u, const Factor& d, Values& y) const {
  require_column(u);
  require_size("rows of the direction", d.rows(), rows());
  require_size("columns of the direction", d.cols(), u.cols());
  set_zero(measurements(), y);
  for (Index c = 0; c < u.cols(); ++c) {
    for (Index first = 0; first < patterns_; first += together_) {
      const Index count = std::min(together_, patterns_ - first), begin = first * size_;
      transform(first, count, u.data() + c * rows(), work_);
      transform(first, count, d.data() + c * rows(), other_);
      const std::uint8_t* marks = left_out_.size() > 0 ? left_out_.data() + begin : nullptr;
      device::for_each(count * size_,
                       device::AddCross<Real>{device::seen(std::as_const(work_).data()),
                                              device::seen(std::as_const(other_).data()), marks,
                                              y.data() + begin});
    }
    forward_products_ += 2 * patterns_;
  }
}

template <class S>
void DevicePatternsOperator<S>::adjoint_times(const Values& w, const Factor& v, Factor& g) const {
  require_size("weights", w.size(), measurements());
  require_column(v);
  g.resize(v.rows(), v.cols());
  for (Index c = 0; c < v.cols(); ++c) {
    visit(all(), v.data() + c * rows(), elements(element::Weigh{}, w), g.data() + c * rows(),
          Into::place);
  }
}

template <class S>
void DevicePatternsOperator<S>::measured_rows(Values& out) const {
  out.resize(measurements());
  const std::uint8_t* marks = left_out_.size() > 0 ? left_out_.data() : nullptr;
  device::for_each(measurements(), device::IsMeasured<Real>{marks, out.data()});
}

template <class S>
void DevicePatternsOperator<S>::solve_normal(Factor& g) const {
  require_column(g);
  device::for_each(g.size(), device::ScaleRows<Real>{root_.data(), device::Rows::times_square,
                                                     rows(), device::seen(g.data())});
}

template <class S>
void DevicePatternsOperator<S>::solve_root(Factor& z) const {
  require_column(z);
  device::for_each(z.size(), device::ScaleRows<Real>{root_.data(), device::Rows::times, rows(),
                                                     device::seen(z.data())});
}

template <class S>
void DevicePatternsOperator<S>::drop_unseen(Factor& z) const {
  require_column(z);
  device::for_each(z.size(), device::ScaleRows<Real>{root_.data(), device::Rows::drop_unseen,
                                                     rows(), device::seen(z.data())});
}

template struct DevicePatterns<std::complex<float>>;
template struct DevicePatterns<std::complex<double>>;
template class DevicePatternsOperator<std::complex<float>>;
template class DevicePatternsOperator<std::complex<double>>;

}  // namespace projfgd
