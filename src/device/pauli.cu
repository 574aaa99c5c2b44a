#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "device/elements.hpp"
#include "device/pauli_direct.hpp"
#include "device/pauli_direct_adjoint.hpp"
#include "device/pauli_tables.hpp"
#include "device/pauli_teams.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/device/pauli.hpp"

namespace projfgd {

template <class S>
DevicePauliOperator<S>::DevicePauliOperator(int qubits, const std::vector<PauliString>& strings,
                                            Real scale)
    : qubits_(qubits), strings_(static_cast<Index>(strings.size())), scale_(scale) {
  std::vector<device::OrderedString> ordered = device::strings_of(PauliGroups(qubits, strings));
  device::put_teams(ordered, teams_);
  few_strings_ = static_cast<double>(ordered.size()) <=
                 device::most_direct_strings * static_cast<double>(teams_.teams);
  if (few_strings_) device::put_direct(std::move(ordered), rows(), direct_);
}

template <class S>
double DevicePauliOperator<S>::bytes(int qubits, double strings, Index columns) {
  using device::tile, device::direct_rows, device::lanes;
  const double rows = std::ldexp(1., qubits), tiles = std::max(1., rows / tile);
  const double entries = 2 * rows * static_cast<double>(columns);
  constexpr double batch = device::team_threads * device::sums_per_thread;
  const auto blocks = static_cast<double>(
      device::most_shared(device::resident_blocks<device::DirectForward<Real>>()));
  const double forward =
      std::max(device::most_direct_columns * strings, std::min(blocks * batch, strings * tiles));
  constexpr double rows_of_block = std::max<double>(
      device::TeamAdjoint<Real>::own_tiles * tile * device::columns_together, device::direct_rows);
  const double adjoint = std::max(entries, std::min(blocks * 2 * rows_of_block, entries * tiles));
  constexpr double word = sizeof(std::uint32_t);
  const double teams = strings * (sizeof(device::TeamString) + 3 * word) +
                       4 * (std::min(strings, tiles) + strings / batch + 2) * word;
  // Two items of one string each fill no chunk; of a chunk and a batch there are no more.
  const double items = std::min(strings, std::max(1., rows / device::DirectItem::offsets) +
                                             strings / device::DirectItem::most_in_a_list);
  constexpr double of_chunk = 4 + device::DirectItem::signs;
  const double direct =
      strings * 2 * word + items * (sizeof(device::DirectItem) + of_chunk * word) + of_chunk * word;
  constexpr double factors = 3,
                   vectors = 2;  // u, d or g; y or w, and w in the order of the strings
  return teams + direct +
         sizeof(Real) * (std::max(forward, adjoint) + factors * entries + vectors * strings);
}

template <class S>
void DevicePauliOperator<S>::add_up(const Factor& u, const Factor& d, bool cross, Real scale,
                                    Values& y) const {
  y.resize(strings_);
  const auto *a = device::entries(u), *b = device::entries(d);
  const Index columns = u.cols();
  using Columns = std::array<const device::Complex<Real>*, device::most_direct_columns>;
  const auto run_direct = [&](Index count, const Columns& left, const Columns& right) {
    const Index tiles = device::tiles_of(rows(), device::direct_rows);
    const Index blocks = count * direct_.batches;
    // Blocks of the tile X = 0 take all tiles, others half of them.
    const Index shares = device::shares_of(blocks, std::max<Index>(tiles / 2, 1),
                                           device::resident_blocks<device::DirectForward<Real>>());
    partial_.resize(std::max(partial_.size(), count * shares * strings_));
    device::run_blocks(blocks * shares, device::DirectForward<Real>{
                                            left, right, rows(), tiles, strings_, shares,
                                            direct_.batches, direct_.view(), partial_.data()});
    finish_forward(direct_.place, count * shares, scale, y);
  };
  if (few_strings_ && columns == 1 && !cross) {
    run_direct(1, {a, a}, {a, a});
  } else if (few_strings_ && columns == 1) {
    run_direct(2, {a, b}, {b, a});
  } else if (few_strings_ && columns == 2 && !cross) {
    run_direct(2, {a, a + rows()}, {a, a + rows()});
  } else {
    const Index tiles = device::tiles_of(rows(), device::tile);
    const Index shares = device::shares_of(teams_.batches, std::max<Index>(tiles / 2, 1),
                                           device::resident_blocks<device::TeamForward<Real>>());
    partial_.resize(std::max(partial_.size(), shares * strings_));
    device::run_blocks(
        teams_.batches * shares,
        device::TeamForward<Real>{a, b, cross, rows(), tiles, columns, strings_, shares,
                                  teams_.batch_x.data(), teams_.batch_string.data(),
                                  teams_.strings.data(), partial_.data()});
    finish_forward(teams_.place, shares, scale, y);
  }
}

template <class S>
void DevicePauliOperator<S>::finish_forward(const device::Array<std::uint32_t>& place, Index shares,
                                            Real scale, Values& y) const {
  device::for_each(strings_, device::AddStringShares<Real>{partial_.data(), place.data(), strings_,
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
  const Index columns = v.cols(), size = 2 * rows() * columns;
  const bool direct = few_strings_ && columns <= device::most_direct_columns;
  weights_.resize(strings_);
  g.resize(rows(), columns);
  device::for_each(strings_, device::OrderedWeights<Real>{
                                 w.data(), direct ? direct_.place.data() : teams_.place.data(),
                                 scale_, weights_.data()});
  const auto run = [&]<class Kernel>(Index pieces, Index rows_of_tile, Index tiles_of_block,
                                     Index parts, const auto& make) {
    const Index tiles = device::tiles_of(rows(), rows_of_tile);
    const Index blocks = (tiles + tiles_of_block - 1) / tiles_of_block * pieces;
    const Index shares = device::shares_of(blocks, parts, device::resident_blocks<Kernel>());
    partial_.resize(std::max(partial_.size(), shares * size));
    auto* const partial = reinterpret_cast<device::Complex<Real>*>(partial_.data());
    device::run_blocks(blocks * shares, Kernel(make(tiles, shares, partial)));
    device::for_each(size, device::AddRows<Real>{partial_.data(), size, shares,
                                                 reinterpret_cast<Real*>(g.data())});
  };
  if (direct) {
    using Kernel = device::DirectAdjoint<Real>;
    run.template operator()<Kernel>(
        columns, device::direct_rows, 1, direct_.batches,
        [&](Index tiles, Index shares, device::Complex<Real>* partial) {
          return Kernel{device::entries(v), rows(),         tiles,           columns, shares,
                        direct_.batches,    direct_.view(), weights_.data(), partial};
        });
  } else {
    using Kernel = device::TeamAdjoint<Real>;
    run.template operator()<Kernel>(
        (columns + device::columns_together - 1) / device::columns_together, device::tile,
        Kernel::own_tiles, teams_.teams,
        [&](Index tiles, Index shares, device::Complex<Real>* partial) {
          return Kernel{device::entries(v),
                        rows(),
                        tiles,
                        columns,
                        shares,
                        teams_.teams,
                        teams_.team_x.data(),
                        teams_.team_row.data(),
                        teams_.team_other.data(),
                        teams_.row_string.data(),
                        teams_.strings.data(),
                        weights_.data(),
                        partial};
        });
  }
}

template class DevicePauliOperator<std::complex<float>>;
template class DevicePauliOperator<std::complex<double>>;

}  // namespace projfgd
