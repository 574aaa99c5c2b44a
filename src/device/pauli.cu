#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>
#include <tuple>

#include "device/elements.hpp"
#include "device/pauli_direct.hpp"
#include "device/pauli_kernels.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/device/pauli.hpp"

namespace projfgd {

template <class S>
DevicePauliOperator<S>::DevicePauliOperator(int qubits, const std::vector<PauliString>& strings,
                                            Real scale)
    : qubits_(qubits), strings_(static_cast<Index>(strings.size())), scale_(scale) {
  using device::tile;
  const PauliGroups groups(qubits, strings);
  std::vector<std::uint32_t> x(groups.z.size());
  std::vector<std::uint16_t> slots(groups.z.size());
  for (std::size_t g = 0; g < groups.groups.size(); ++g) {
    const PauliGroups::Group& group = groups.groups[g];
    for (std::uint32_t s = groups.begin(g); s < group.end; ++s) {
      x[s] = group.x / tile;
      slots[s] = static_cast<std::uint16_t>((s < group.odd ? 0 : device::odd_slot) +
                                            group.x % tile * tile + groups.z[s] % tile);
    }
  }
  std::vector<std::uint32_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  // By x, and of each x the even strings first.
  std::ranges::stable_sort(order, {}, [&](std::uint32_t s) {
    return std::tuple(x[s], slots[s] / tile % tile, slots[s] / device::odd_slot, slots[s] % tile);
  });
  std::size_t teams = 0;
  for (std::size_t k = 0; k < order.size(); ++k) teams += k == 0 || x[order[k]] != x[order[k - 1]];
  few_strings_ =
      static_cast<double>(order.size()) <= device::most_direct_strings * static_cast<double>(teams);

  std::vector<std::uint32_t> z, place, run, team_x, team_run, batch_x, batch_string;
  std::vector<std::uint16_t> slot;
  const std::uint32_t batch_size = few_strings_ ? static_cast<std::uint32_t>(device::direct_batch)
                                                : device::team_threads * device::sums_per_thread;
  for (const std::uint32_t s : order) {
    const auto here = static_cast<std::uint32_t>(z.size());
    const bool new_team = team_x.empty() || team_x.back() != x[s];
    if (new_team || here - batch_string.back() == batch_size) {
      batch_x.push_back(x[s]);
      batch_string.push_back(here);
    }
    if (new_team) {
      team_x.push_back(x[s]);
      team_run.push_back(static_cast<std::uint32_t>(run.size()));
    }
    if (new_team || slot.back() != slots[s]) run.push_back(here);
    z.push_back(groups.z[s]);
    place.push_back(groups.place[s]);
    slot.push_back(slots[s]);
  }
  teams_ = static_cast<Index>(team_x.size());
  batches_ = static_cast<Index>(batch_x.size());
  team_run.push_back(static_cast<std::uint32_t>(run.size()));
  run.push_back(static_cast<std::uint32_t>(z.size()));
  batch_string.push_back(static_cast<std::uint32_t>(z.size()));
  device::put(z, z_);
  device::put(place, place_);
  device::put(slot, slot_);
  device::put(run, run_);
  device::put(team_x, team_x_);
  device::put(team_run, team_run_);
  device::put(batch_x, batch_x_);
  device::put(batch_string, batch_string_);
}

template <class S>
double DevicePauliOperator<S>::bytes(int qubits, double strings, Index columns) {
  using device::enough_blocks, device::tile;
  const double rows = std::ldexp(1., qubits), tiles = std::max(1., rows / tile);
  const double entries = 2 * rows * static_cast<double>(columns);
  constexpr double batch = device::team_threads * device::sums_per_thread;
  // Shares of a batch fill the GPU at most once; so do those of the rows.
  const double forward = std::max(strings, std::min(enough_blocks * batch, strings * tiles));
  const double adjoint = std::max(
      entries, std::min(enough_blocks * 2. * tile * device::columns_together, entries * tiles));
  const double tables = strings * (3 * sizeof(std::uint32_t) + sizeof(std::uint16_t)) +
                        4 * (std::min(strings, tiles) + strings / batch + 2) * 4;
  constexpr double factors = 3,
                   vectors = 2;  // u, d or g; y or w, and w in the order of the strings
  return tables +
         sizeof(Real) * (std::max(forward, adjoint) + factors * entries + vectors * strings);
}

template <class S>
void DevicePauliOperator<S>::add_up(const Factor& u, const Factor& d, bool cross, Real scale,
                                    Values& y) const {
  const Index tiles = device::tiles_of(rows());
  const Index shares = device::shares_of(batches_, tiles);
  partial_.resize(std::max(partial_.size(), shares * strings_));
  y.resize(strings_);
  const auto *a = device::entries(u), *b = device::entries(d);
  const auto run_direct = [&]<std::size_t count>(
                              std::array<const device::Complex<Real>*, count> left,
                              std::array<const device::Complex<Real>*, count> right) {
    device::run_blocks(batches_ * shares,
                       device::DirectForward<Real, int{count}>{
                           left, right, rows(), tiles, strings_, shares, batch_x_.data(),
                           batch_string_.data(), z_.data(), slot_.data(), partial_.data()});
  };
  const Index columns = u.cols();
  if (few_strings_ && columns == 1 && !cross) {
    run_direct(std::array{a}, std::array{a});
  } else if (few_strings_ && columns == 1) {
    run_direct(std::array{a, b}, std::array{b, a});
  } else if (few_strings_ && columns == 2 && !cross) {
    run_direct(std::array{a, a + rows()}, std::array{a, a + rows()});
  } else {
    device::run_blocks(batches_ * shares,
                       device::ForwardKernel<Real>{a, b, cross, rows(), tiles, columns, strings_,
                                                   shares, batch_x_.data(), batch_string_.data(),
                                                   z_.data(), slot_.data(), partial_.data()});
  }
  device::for_each(strings_, device::AddStringShares<Real>{partial_.data(), place_.data(), strings_,
                                                           shares, scale, y.data()});
}

template <class S>
void DevicePauliOperator<S>::forward(const Factor& u, Values& y) const {
  require_size("rows of the factor", u.rows(), rows());
  add_up(u, u, false, scale_, y);
}

template <class S>
void DevicePauliOperator<S>::forward(const Factor& u, const Factor& d, Values& y) const {
  require_size("rows of the factor", u.rows(), rows());
  require_size("rows of the direction", d.rows(), rows());
  require_size("columns of the direction", d.cols(), u.cols());
  // Re tr(P U D^H) is half of tr(P [U D] [D U]^H), whose w is Hermitian again.
  add_up(u, d, true, scale_ / 2, y);
}

template <class S>
void DevicePauliOperator<S>::adjoint_times(const Values& w, const Factor& v, Factor& g) const {
  require_size("weights", w.size(), measurements());
  require_size("rows of the factor", v.rows(), rows());
  const Index tiles = device::tiles_of(rows()), columns = v.cols();
  const bool direct = few_strings_ && columns <= device::most_direct_columns;
  using Direct = device::DirectAdjoint<Real>;
  const Index pieces =
      direct ? columns : (columns + device::columns_together - 1) / device::columns_together;
  const Index groups = direct ? (tiles + Direct::block_tiles - 1) / Direct::block_tiles : tiles;
  const Index parts = direct ? batches_ : teams_;
  const Index shares = device::shares_of(groups * pieces, std::max<Index>(parts, 1));
  const Index size = 2 * rows() * columns;
  partial_.resize(std::max(partial_.size(), shares * size));
  weights_.resize(strings_);
  g.resize(rows(), columns);
  device::for_each(strings_,
                   device::OrderedWeights<Real>{w.data(), place_.data(), scale_, weights_.data()});
  auto* const partial = reinterpret_cast<device::Complex<Real>*>(partial_.data());
  if (direct) {
    device::run_blocks(
        groups * pieces * shares,
        Direct{device::entries(v), rows(), tiles, columns, shares, batches_, batch_x_.data(),
               batch_string_.data(), z_.data(), slot_.data(), weights_.data(), partial});
  } else {
    device::run_blocks(
        groups * pieces * shares,
        device::AdjointKernel<Real>{device::entries(v), rows(), tiles, columns, shares, teams_,
                                    team_x_.data(), team_run_.data(), run_.data(), z_.data(),
                                    slot_.data(), weights_.data(), partial});
  }
  device::for_each(size, device::AddRows<Real>{partial_.data(), size, shares,
                                               reinterpret_cast<Real*>(g.data())});
}

template class DevicePauliOperator<std::complex<float>>;
template class DevicePauliOperator<std::complex<double>>;

}  // namespace projfgd
