#pragma once

#include <cstdint>
#include <vector>

#include "projfgd/device/values.hpp"
#include "projfgd/operators/pauli_string.hpp"

namespace projfgd {

struct PauliGroups;

namespace device {

/// What a warp takes at once of the strings that are summed one by one
/// (src/device/pauli_direct.hpp): those of four neighbouring x.
struct alignas(16) DirectItem {
  static constexpr int offsets = 4, lists = 16, most_in_a_list = 15, most_strings = 32;
  static constexpr int signs = 3;  ///< of a string, besides the one that its list has
  std::uint32_t counts[2];         ///< four bits for each x, parity and first sign: its strings
  std::uint32_t x;                 ///< offset of the first x in its tile

  int count(int list) const { return static_cast<int>(counts[list / 8] >> (4 * (list % 8)) & 15u); }
};
/// Strings of a chunk are added up together, one by each thread of a warp; chunks of a batch share
/// a tile X of x.
constexpr int most_direct_items = 192, most_direct_chunks = 64;

/// Strings in the order in which they are summed one by one.
struct DirectTables {
  struct View {
    const DirectItem* items;
    const std::uint32_t *chunk_item, *chunk_string, *chunk_signs, *batch_x, *batch_chunk, *z;
  };
  Array<DirectItem> items;
  Array<std::uint32_t> chunk_item, chunk_string;  ///< first items and strings of the chunks
  Array<std::uint32_t> chunk_signs;  ///< of each chunk DirectItem::signs words, a bit a string
  Array<std::uint32_t> batch_x, batch_chunk;  ///< tiles X, first chunks
  Array<std::uint32_t> z, place;  ///< of each string, with its sign; where the caller has it
  Index batches = 0;

  View view() const {
    return {items.data(),
            chunk_item.data(),
            chunk_string.data(),
            chunk_signs.data(),
            batch_x.data(),
            batch_chunk.data(),
            z.data()};
  }
};

/// A string that is transformed together with others (src/device/pauli_teams.hpp).
struct alignas(8) TeamString {
  std::uint32_t z;     ///< with its sign
  std::uint32_t slot;  ///< its parity, and its offset of x
};

/// Strings in the order in which they are transformed: those with one tile X are a team. It goes in
/// rows of one string for each thread of a block or fewer. The first rows have one string for each
/// slot, its parity and offsets of x and z; then come the others, each with the thread that has the
/// first of its slot.
struct TeamTables {
  Array<TeamString> strings;
  Array<std::uint32_t> place;
  Array<std::uint32_t> team_x, team_row, team_other;  ///< tiles X; first rows, first of the others
  Array<std::uint32_t> row_string;                    ///< first strings
  Array<std::uint32_t> batch_x, batch_string;         ///< strings that one block sums
  Index teams = 0, batches = 0;
};

}  // namespace device

/// PauliOperator (operators/pauli.hpp) on a device: y_i = scale tr(P_i U U^H).
///
/// Rows go in tiles of 32, and with j = (tile, offset) and x = (tile, offset) a block of threads
/// takes one pair of tiles J, J^X at a time. All 32 offsets of x make 32 x 32 products
/// w_x(j) = sum_c conj(U[j^x,c]) U[j,c], on the tensor cores where there are some, and a
/// Walsh-Hadamard transform over the 32 offsets of j serves every string with such an x. The
/// adjoint goes the other way: the weights of the strings with tile X of x are transformed to
/// e_x(j), and these multiply the rows of J^X. Of few strings and one or two columns each string is
/// summed by itself instead. Each output is summed in one fixed order.
template <class S>
class DevicePauliOperator {
 public:
  using Factor = DeviceFactor<S>;
  using Real = RealOf<S>;
  using Values = DeviceValues<Real>;

  DevicePauliOperator(int qubits, const std::vector<PauliString>& strings, Real scale);

  Index rows() const { return Index{1} << qubits_; }
  Index measurements() const { return strings_; }
  void forward(const Factor& u, Values& y) const;
  void forward(const Factor& u, const Factor& d, Values& y) const;
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const;

  /// Bytes of the device that an operator on so many strings takes at most, with the factors and
  /// measurements of its products with so many columns.
  static double bytes(int qubits, double strings, Index columns);

 private:
  void add_up(const Factor& u, const Factor& d, bool cross, Real scale, Values& y) const;
  /// y from the shares of its sums.
  void finish_forward(const device::Array<std::uint32_t>& place, Index shares, Real scale,
                      Values& y) const;

  int qubits_;
  Index strings_ = 0;
  Real scale_;
  bool few_strings_ = false;  ///< so few that they are summed one by one, of one or two columns
  device::DirectTables direct_;
  device::TeamTables teams_;
  mutable device::Array<Real> partial_, weights_;
};

}  // namespace projfgd
