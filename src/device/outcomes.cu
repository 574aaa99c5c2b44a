#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "device/outcomes_kernels.hpp"
#include "operators/product_basis_kernels.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/device/outcomes.hpp"

namespace projfgd {

template <class S>
DeviceOutcomesOperator<S>::DeviceOutcomesOperator(const std::vector<Setting>& settings,
                                                  const std::vector<QubitBasis>& bases,
                                                  const Readout& readout)
    : DeviceOutcomesOperator(settings, bases, readout, nullptr) {}

template <class S>
DeviceOutcomesOperator<S>::DeviceOutcomesOperator(const SeenOutcomes& seen,
                                                  const std::vector<QubitBasis>& bases,
                                                  const Readout& readout)
    : DeviceOutcomesOperator(seen.settings, bases, readout, &seen) {}

template <class S>
DeviceOutcomesOperator<S>::DeviceOutcomesOperator(const std::vector<Setting>& settings,
                                                  const std::vector<QubitBasis>& bases,
                                                  const Readout& readout, const SeenOutcomes* seen)
    : qubits_(checked_qubits(settings, bases)),
      settings_(static_cast<Index>(settings.size())),
      all_(seen == nullptr) {
  if (!readout.empty()) validate(readout, qubits_);
  if (readout.full.size() > 0) {
    if (!all_) {
      throw InputError("readout: found a matrix over all outcomes, expected one for each qubit");
    }
    joint_errors_ = DeviceTable<Real>(Matrix<Real>(readout.full.template cast<Real>()));
  }
  for (const auto& c : readout.per_qubit) {
    errors_.push_back({static_cast<Real>(c[0][0]), static_cast<Real>(c[0][1]),
                       static_cast<Real>(c[1][0]), static_cast<Real>(c[1][1])});
  }
  std::vector<std::uint8_t> letters;
  for (const Setting& setting : settings) {
    letters.insert(letters.end(), setting.begin(), setting.end());
  }
  std::vector<Real> gates;
  for (const QubitBasis& basis : bases) {
    for (int k = 0; k < 4; ++k) {
      gates.push_back(static_cast<Real>(basis[k / 2][k % 2].real()));
      gates.push_back(static_cast<Real>(basis[k / 2][k % 2].imag()));
    }
  }
  device::put(letters, basis_);
  device::put(gates, gates_);
  if (all_) return;
  first_ = seen->first;
  seen_ = static_cast<Index>(seen->outcomes.size());
  require_size("first outcomes of the settings", static_cast<Index>(first_.size()), settings_ + 1);
  require_size("outcomes", seen_, first_.back());
  std::vector<std::uint32_t> owner;
  for (Index s = 0; s < settings_; ++s) {
    owner.insert(owner.end(), static_cast<std::size_t>(seen->count(s)),
                 static_cast<std::uint32_t>(s));
  }
  for (const std::uint32_t outcome : seen->outcomes) {
    if (outcome >= rows()) {
      throw InputError("outcomes: found " + std::to_string(outcome) + ", expected less than " +
                       std::to_string(rows()));
    }
  }
  device::put(first_, begin_);
  device::put(seen->outcomes, outcome_);
  device::put(owner, owner_);
}

template <class S>
double DeviceOutcomesOperator<S>::bytes(int qubits, double settings, double seen, Index columns,
                                        bool joint_readout) {
  const double rows = std::ldexp(1., qubits), numbers = 2 * rows * static_cast<double>(columns);
  const double batch =
      std::clamp(std::floor(device::work_bytes / (sizeof(Real) * numbers)), 1., settings);
  const double measurements = seen > 0 ? seen + settings : settings * rows;
  const double shares =
      std::max(1., std::min(static_cast<double>(device::enough_sums) / numbers, batch));
  constexpr double vectors = 2, factors = 3, rotated = 2;
  const double tables =
      settings * (qubits + sizeof(Index)) + seen * 2 * sizeof(std::uint32_t) + 4096;
  const double joint =
      joint_readout ? DeviceTable<Real>::bytes(static_cast<Index>(rows), static_cast<Index>(rows),
                                               static_cast<Index>(batch))
                    : 0;
  return tables + joint +
         sizeof(Real) * (rotated * batch * numbers + batch * rows + shares * numbers +
                         factors * numbers + vectors * measurements);
}

template <class S>
void DeviceOutcomesOperator<S>::rotate(const Factor& u, Index first, Index count,
                                       device::Array<Real>& work) const {
  using device::Complex;
  work.resize(std::max(work.size(), 2 * count * u.size()));
  auto* const out = reinterpret_cast<Complex<Real>*>(work.data());
  const auto* in = reinterpret_cast<const Complex<Real>*>(u.data());
  Index stride = 0;
  for (int from = 0; from < qubits_;) {
    const device::Pass pass = device::Pass::starting_at(from, qubits_);
    const Index tiles = rows() >> pass.bits(), together = device::columns_together(pass);
    device::run_blocks(count * ((u.cols() + together - 1) / together) * tiles,
                       device::RotateKernel<Real>{pass, rows(), u.cols(), tiles, together, qubits_,
                                                  false, basis_.data() + first * qubits_,
                                                  gates_.data(), nullptr, in, stride, out});
    in = out;
    stride = u.size();
    from += pass.count;
  }
}

template <class S>
void DeviceOutcomesOperator<S>::rotate_back(const Real* weights, Index columns, Index first,
                                            Index count, device::Array<Real>& work) const {
  using device::Complex;
  auto* const all = reinterpret_cast<Complex<Real>*>(work.data());
  for (int from = 0; from < qubits_;) {
    const device::Pass pass = device::Pass::starting_at(from, qubits_);
    const Index tiles = rows() >> pass.bits(), together = device::columns_together(pass);
    device::run_blocks(
        count * ((columns + together - 1) / together) * tiles,
        device::RotateKernel<Real>{pass, rows(), columns, tiles, together, qubits_, true,
                                   basis_.data() + first * qubits_, gates_.data(),
                                   from == 0 ? weights : nullptr, all, rows() * columns, all});
    from += pass.count;
  }
}

template <class S>
void DeviceOutcomesOperator<S>::misread(bool transposed, Index count, Real* p) const {
  for (std::size_t j = 0; j < errors_.size(); ++j) {
    const auto& c = errors_[j];
    device::for_each(count * rows() / 2,
                     device::Misread<Real>{c[0], transposed ? c[2] : c[1], transposed ? c[1] : c[2],
                                           c[3], Index{1} << j, p});
  }
}

template <class S>
void DeviceOutcomesOperator<S>::predict(const Factor& u, const Factor* d, Values& y) const {
  const Index n = rows(), batch = device::batch_of<Real>(n, u.cols(), settings_);
  y.resize(measurements());
  const bool joint = joint_errors_.rows() > 0;
  if (!all_ || joint) chances_.resize(std::max(chances_.size(), batch * n));
  for (Index first = 0; first < settings_; first += batch) {
    const Index count = std::min(batch, settings_ - first);
    rotate(u, first, count, work_);
    if (d != nullptr) rotate(*d, first, count, cross_);
    Real* const p = all_ && !joint ? y.data() + first * n : chances_.data();
    device::for_each(count * n,
                     device::Chances<Real>{device::amplitudes(work_),
                                           device::amplitudes(d ? cross_ : work_), n, u.cols(), p});
    misread(false, count, p);
    if (joint) joint_errors_.times(p, count, y.data() + first * n);
    if (all_) continue;
    const Index from = first_[static_cast<std::size_t>(first)];
    device::for_each(
        first_[static_cast<std::size_t>(first + count)] - from,
        device::TakeSeen<Real>{outcome_.data(), owner_.data(), from, first, n, p, y.data()});
  }
  if (all_) return;
  const double trace = dot(u, d == nullptr ? u : *d);
  device::run_blocks(settings_, device::TakeRest<Real>{begin_.data(), trace, y.data()});
}

template <class S>
void DeviceOutcomesOperator<S>::forward(const Factor& u, Values& y) const {
  require_size("rows of the factor", u.rows(), rows());
  predict(u, nullptr, y);
}

template <class S>
void DeviceOutcomesOperator<S>::forward(const Factor& u, const Factor& d, Values& y) const {
  require_size("rows of the factor", u.rows(), rows());
  require_size("rows of the direction", d.rows(), rows());
  require_size("columns of the direction", d.cols(), u.cols());
  predict(u, &d, y);
}

template <class S>
void DeviceOutcomesOperator<S>::adjoint_times(const Values& w, const Factor& v, Factor& g) const {
  require_size("weights", w.size(), measurements());
  require_size("rows of the factor", v.rows(), rows());
  const Index n = rows(), batch = device::batch_of<Real>(n, v.cols(), settings_);
  const Index size = 2 * v.size(), shares = device::setting_shares(size, batch);
  sums_.resize(std::max(sums_.size(), shares * size));
  const bool joint = joint_errors_.rows() > 0, copies = !all_ || !errors_.empty();
  if (copies || joint) chances_.resize(std::max(chances_.size(), batch * n));
  for (Index first = 0; first < settings_; first += batch) {
    const Index count = std::min(batch, settings_ - first);
    const Real* weights = w.data() + first * n;
    if (copies) {
      if (all_) {
        device::copy_within(chances_.data(), weights,
                            sizeof(Real) * static_cast<std::size_t>(count * n));
      } else {
        device::for_each(count * n, device::SetZero<Real>{chances_.data()});
        const Index from = first_[static_cast<std::size_t>(first)];
        device::for_each(first_[static_cast<std::size_t>(first + count)] - from,
                         device::PutSeen<Real>{outcome_.data(), owner_.data(), begin_.data(), from,
                                               first, n, w.data(), chances_.data()});
      }
      misread(true, count, chances_.data());
      weights = chances_.data();
    }
    if (joint) {
      joint_errors_.adjoint_times(weights, count, chances_.data());
      weights = chances_.data();
    }
    rotate(v, first, count, work_);
    rotate_back(weights, v.cols(), first, count, work_);
    device::for_each(shares * size, device::AddSettings<Real>{work_.data(), size, count, shares,
                                                              first == 0, sums_.data()});
  }
  double rest = 0;
  if (!all_) {
    device::sum_terms(1, settings_, device::RestOf<Real>{begin_.data(), w.data()}, &rest);
  }
  g.resize(v.rows(), v.cols());
  device::for_each(size, device::AddSettingShares<Real>{
                             sums_.data(), reinterpret_cast<const Real*>(v.data()), size, shares,
                             static_cast<Real>(rest), reinterpret_cast<Real*>(g.data())});
}

template class DeviceOutcomesOperator<std::complex<float>>;
template class DeviceOutcomesOperator<std::complex<double>>;

}  // namespace projfgd
