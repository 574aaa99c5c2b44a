#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "projfgd/concepts.hpp"
#include "projfgd/core/archive.hpp"
#include "projfgd/core/function_ref.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/device/fourier.hpp"
#include "projfgd/device/values.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "projfgd/operators/ptychography.hpp"

namespace projfgd {
namespace device {

/// A part of a vector of C^m on a device: entries begin, begin + 1, ... at v. Those that have a
/// mark are left out.
template <class S>
struct Entries {
  S* v;
  Index begin, size;
  const std::uint8_t* left_out;  ///< null: none is
  double* sums;                  ///< where shares of a sum go
};

/// Calls f(v_i, data_i...) for these entries on the device, each data array that of all of C^m.
/// Whether f gives numbers: their sum is then that of shares at `sums`, once wait() returns.
/// Compiled for the functions that src/device/phase_elements.cu lists.
template <class S, class Function, class... T>
bool visit_entries(const Entries<S>& entries, const Function& f, T*... data);

}  // namespace device

/// Patterns as they will be on a device: what they are made of, still on the host, and plans of
/// their transforms. Refers to the host's operator, which must outlive it.
template <class S>
struct DevicePatterns {
  using Real = RealOf<S>;

  /// Bytes for the patterns that go together: some ten of a megapixel.
  static constexpr double work_bytes = 256e6;

  explicit DevicePatterns(const CodedDiffractionOperator<S>& host, double work = work_bytes);
  explicit DevicePatterns(const PtychographyOperator<S>& host, double work = work_bytes);

  /// Bytes of the device that an operator on them takes, with the work space of its products.
  double bytes() const;
  Index size() const { return height * width; }

  Index height, width, object_height, object_width, patterns;
  Index together = 1;                   ///< patterns of a part
  std::span<const std::uint8_t> codes;  ///< of the masks, into the table; empty: values
  std::vector<S> table = {};
  std::vector<S> own = {};  ///< values that the host has in another form
  std::span<const S> values;
  std::vector<std::uint32_t> mask = {};   ///< which values a pattern has; empty: its own
  std::vector<std::uint32_t> first = {};  ///< pixel of the object; empty: a pattern sees all of it
  Real level = 0;  ///< the floor of |mask|^2 in a pseudo-inverse, or the brightest of a scan
  bool scanned = false;
  std::vector<Real> root = {};  ///< the diagonal of (A^H A)^{+1/2}
  std::span<const std::uint8_t> left_out;
  device::Fourier<Real> transform;

 private:
  DevicePatterns(Index height, Index width, Index object_height, Index object_width,
                 const BlockOperator<S>& host, double work);
};

/// CodedDiffractionOperator or PtychographyOperator on a device,
///
///   (A z)_b = F(conj(d_b) . z[window_b]),
///
/// with a mask d_b, or the conjugate of a probe, for each pattern b, whose window is the whole
/// object or a part of it. Several patterns go together, as many as fit a work space that is taken
/// once; the adjoint adds up, pixel by pixel, what the patterns of such a part say of it, in their
/// order. A LinearMeasurement whose functions of an entry run on the device.
template <class S>
class DevicePatternsOperator {
 public:
  using Scalar = S;
  using Real = RealOf<S>;
  using Place = Device;
  using Factor = DeviceFactor<S>;
  using Values = DeviceValues<Real>;
  using ComplexValues = DeviceValues<S>;

  /// Takes patterns.bytes() of the device.
  explicit DevicePatternsOperator(DevicePatterns<S> patterns);

  Index rows() const { return object_height_ * object_width_; }
  Index measurements() const { return patterns_ * size_; }
  Index block_size() const { return size_; }
  Index blocks() const { return patterns_; }
  Index measured() const { return measurements() - left_out_count_; }

  void forward(const Factor& u, Values& y) const;
  void forward(const Factor& u, const Factor& d, Values& y) const;
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const;

  // As BlockOperator has them.
  template <class Function, class... Arrays>
  double apply(const Factor& z, const Function& f, Arrays&... data) const {
    require_fit(z, data...);
    return visit(all(), z.data(), elements(f, data...), nullptr, Into::place);
  }
  template <class Function, class... Arrays>
  double adjoint(const Function& f, Factor& g, Arrays&... data) const {
    require_sizes(data...);
    g.resize(rows(), 1);
    return visit(all(), nullptr, elements(f, data...), g.data(), Into::place);
  }
  template <class Function, class... Arrays>
  double pass(const Factor& z, const Function& f, Factor& g, Arrays&... data) const {
    require_fit(z, data...);
    g.resize(rows(), 1);
    return visit(all(), z.data(), elements(f, data...), g.data(), Into::place);
  }
  template <class Function, class... Arrays>
  double pass_block(Index b, const Factor& z, const Function& f, Factor& g, Arrays&... data) const {
    require_fit(z, data...);
    require_column(g);
    return visit({b, 1, true}, z.data(), elements(f, data...), g.data(), Into::sum);
  }
  template <class Function, class... Arrays>
  double pass_whole_block(Index b, const Factor& z, const Function& f, Factor& g,
                          Arrays&... data) const {
    require_fit(z, data...);
    require_column(g);
    return visit({b, 1, false}, z.data(), elements(f, data...), g.data(), Into::sum);
  }
  double project_block(Index b, const Values& amplitude, Factor& z) const {
    require_fit(z, amplitude);
    return visit({b, 1, true}, z.data(), elements(element::AmplitudeStep{}, amplitude), z.data(),
                 Into::pseudo_inverse);
  }
  void measured_rows(Values& out) const;
  void solve_normal(Factor& g) const;
  void solve_root(Factor& z) const;
  void solve_root_adjoint(Factor& g) const { solve_root(g); }
  void drop_unseen(Factor& z) const;

  Index forward_products() const { return forward_products_; }
  Index adjoint_products() const { return adjoint_products_; }
  Index products() const { return forward_products_ + adjoint_products_; }
  void keep_products(Archive& archive) const { archive(forward_products_, adjoint_products_); }

 private:
  using Visit = FunctionRef<bool(const device::Entries<S>&)>;
  enum class Into { place, sum, pseudo_inverse };
  /// Patterns, and whether what is left out counts as zeros.
  struct Range {
    Index first, count;
    bool marked;
  };
  Range all() const { return {0, patterns_, true}; }

  template <class Function, class... Arrays>
  static auto elements(const Function& f, Arrays&... data) {
    return [f, ... array = data.data()](const device::Entries<S>& entries) {
      return device::visit_entries(entries, f, array...);
    };
  }
  template <class... Arrays>
  void require_sizes(const Arrays&... data) const {
    (require_size("data points", data.size(), measurements()), ...);
  }
  void require_column(const Factor& z) const;
  template <class... Arrays>
  void require_fit(const Factor& z, const Arrays&... data) const {
    require_column(z);
    require_sizes(data...);
  }

  /// Shows A z of a range to the visitor, or without z lets it fill in a vector, and unless out is
  /// null multiplies what it left by the adjoint. z may be out.
  double visit(const Range& range, const S* z, const Visit& visit, S* out, Into into) const;
  void transform(Index first, Index count, const S* z, device::Array<S>& work) const;
  void add_up(Index first, Index count, S* out, Into into) const;

  Index object_height_, object_width_, width_, size_, patterns_, together_, left_out_count_ = 0;
  Real level_;
  bool scanned_;
  device::Array<std::uint8_t> codes_, left_out_;
  device::Array<S> masks_;  // the table of the codes, or values
  device::Array<std::uint32_t> mask_, first_;
  device::Array<std::uint32_t> row_begin_, row_patterns_;  // that see a row of the object
  device::Array<Real> root_;
  device::Fourier<Real> transform_;
  mutable device::Array<S> work_, other_;
  mutable Index forward_products_ = 0, adjoint_products_ = 0;
};

}  // namespace projfgd
