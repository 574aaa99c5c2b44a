// Strings in the orders that the kernels take them in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <vector>

#include "device/elements.hpp"
#include "device/pauli_direct.hpp"
#include "device/pauli_teams.hpp"

namespace projfgd::device {

/// A string as PauliGroups has it.
struct OrderedString {
  std::uint32_t x, z, place;
  bool odd;
};

inline std::vector<OrderedString> strings_of(const PauliGroups& groups) {
  std::vector<OrderedString> strings;
  strings.reserve(groups.z.size());
  for (std::size_t g = 0; g < groups.groups.size(); ++g) {
    const PauliGroups::Group& group = groups.groups[g];
    for (std::uint32_t s = groups.begin(g); s < group.end; ++s) {
      strings.push_back({group.x, groups.z[s], groups.place[s], s >= group.odd});
    }
  }
  return strings;
}

/// By tile of x and lane of x, then by x; of each x the even strings first.
inline void order_directly(std::vector<OrderedString>& strings) {
  std::ranges::stable_sort(strings, {}, [](const OrderedString& s) {
    return std::tuple(s.x / direct_rows, s.x % lanes, s.x, s.odd);
  });
}

/// Strings of one item, in the order of order_directly.
struct ItemStrings {
  DirectItem item;
  std::uint32_t tile_x, begin, end;
};

inline std::vector<ItemStrings> items_of(const std::vector<OrderedString>& strings) {
  std::vector<ItemStrings> items;
  for (const OrderedString& s : strings) {
    const auto here = static_cast<std::uint32_t>(&s - strings.data());
    const std::uint32_t tile_x = s.x / direct_rows, offset = s.x % direct_rows;
    const std::uint32_t which = offset / lanes % DirectItem::offsets;
    const std::uint32_t first_x = offset - which * lanes;
    const std::uint32_t shift = 4 * (2 * which + (s.odd ? 1 : 0));
    if (items.empty() || items.back().tile_x != tile_x || items.back().item.x != first_x ||
        here - items.back().begin == DirectItem::most_strings ||
        (items.back().item.counts >> shift & 15u) == DirectItem::most_in_a_list) {
      items.push_back({{first_x, 0, 0}, tile_x, here, here});
    }
    ItemStrings& last = items.back();
    last.item.counts += 1u << shift;
    last.item.signs |= static_cast<std::uint64_t>(s.z / lanes % own_rows)
                       << own_bits * (last.end - last.begin);
    ++last.end;
  }
  return items;
}

/// Chunks and batches take one item after the other, as long as there is room.
inline void put_direct(std::vector<OrderedString> strings, DirectTables& to) {
  order_directly(strings);
  std::vector<DirectItem> items;
  std::vector<std::uint32_t> chunk_item, chunk_string, batch_x, batch_chunk, z, place;
  for (const ItemStrings& next : items_of(strings)) {
    const auto item = static_cast<std::uint32_t>(items.size());
    const auto chunk = static_cast<std::uint32_t>(chunk_item.size());
    bool new_batch = batch_x.empty() || batch_x.back() != next.tile_x ||
                     item - chunk_item[batch_chunk.back()] == most_direct_items;
    const bool new_chunk = new_batch || next.end - chunk_string.back() > lanes;
    new_batch = new_batch || (new_chunk && chunk - batch_chunk.back() == most_direct_chunks);
    if (new_batch) {
      batch_x.push_back(next.tile_x);
      batch_chunk.push_back(chunk);
    }
    if (new_chunk) {
      chunk_item.push_back(item);
      chunk_string.push_back(next.begin);
    }
    items.push_back(next.item);
  }
  for (const OrderedString& s : strings) {
    z.push_back(s.z);
    place.push_back(s.place);
  }
  to.batches = static_cast<Index>(batch_x.size());
  batch_chunk.push_back(static_cast<std::uint32_t>(chunk_item.size()));
  chunk_item.push_back(static_cast<std::uint32_t>(items.size()));
  chunk_string.push_back(static_cast<std::uint32_t>(z.size()));
  put(items, to.items);
  put(chunk_item, to.chunk_item);
  put(chunk_string, to.chunk_string);
  put(batch_x, to.batch_x);
  put(batch_chunk, to.batch_chunk);
  put(z, to.z);
  put(place, to.place);
}

/// The strings of a team in rows (TeamTables), as numbers of its strings, which are sorted by slot.
inline std::vector<std::vector<std::size_t>> rows_of(std::span<const OrderedString> team,
                                                     std::size_t& first_rows) {
  struct Slot {
    std::size_t first, count;
  };
  const auto same = [](const OrderedString& a, const OrderedString& b) {
    return a.x == b.x && a.odd == b.odd && a.z % tile == b.z % tile;
  };
  std::vector<Slot> slots;
  for (std::size_t k = 0; k < team.size(); ++k) {
    if (k == 0 || !same(team[k - 1], team[k])) slots.push_back({k, 0});
    ++slots.back().count;
  }
  // Then no thread has more others than the one before it, and rows have no gaps.
  std::ranges::stable_sort(slots, std::ranges::greater{}, &Slot::count);
  first_rows = (slots.size() + team_threads - 1) / team_threads;
  std::vector<std::vector<std::size_t>> rows(first_rows);
  std::vector<std::size_t> next_row(team_threads, first_rows);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    rows[i / team_threads].push_back(slots[i].first);
    std::size_t& row = next_row[i % team_threads];
    for (std::size_t k = 1; k < slots[i].count; ++k, ++row) {
      if (row == rows.size()) rows.emplace_back();
      rows[row].resize(std::max(rows[row].size(), i % team_threads + 1));
      rows[row][i % team_threads] = slots[i].first + k;
    }
  }
  return rows;
}

/// By tile of x, in rows.
inline void put_teams(std::vector<OrderedString> strings, TeamTables& to) {
  std::ranges::stable_sort(
      strings, {}, [](const OrderedString& s) { return std::tuple(s.x, s.odd, s.z % tile); });
  std::vector<TeamString> table;
  std::vector<std::uint32_t> place, team_x, team_row, team_other, row_string, batch_x, batch_string;
  const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  for (auto first = strings.begin(); first != strings.end();) {
    const std::uint32_t x_tile = first->x / tile;
    const auto end = std::find_if(first, strings.end(),
                                  [&](const OrderedString& s) { return s.x / tile != x_tile; });
    constexpr std::uint32_t most = team_threads * sums_per_thread;
    for (std::uint32_t s = 0; s < static_cast<std::uint32_t>(end - first); s += most) {
      batch_x.push_back(x_tile);
      batch_string.push_back(count(table) + s);
    }
    std::size_t first_rows = 0;
    const auto rows = rows_of({first, end}, first_rows);
    team_x.push_back(x_tile);
    team_row.push_back(count(row_string));
    team_other.push_back(count(row_string) + static_cast<std::uint32_t>(first_rows));
    for (const std::vector<std::size_t>& row : rows) {
      row_string.push_back(count(table));
      for (const std::size_t k : row) {
        const OrderedString& s = first[static_cast<std::ptrdiff_t>(k)];
        table.push_back({s.z, (s.odd ? tile : 0) + s.x % tile});
        place.push_back(s.place);
      }
    }
    first = end;
  }
  to.teams = static_cast<Index>(team_x.size());
  to.batches = static_cast<Index>(batch_x.size());
  team_row.push_back(count(row_string));
  row_string.push_back(count(table));
  batch_string.push_back(count(table));
  put(table, to.strings);
  put(place, to.place);
  put(team_x, to.team_x);
  put(team_row, to.team_row);
  put(team_other, to.team_other);
  put(row_string, to.row_string);
  put(batch_x, to.batch_x);
  put(batch_string, to.batch_string);
}

}  // namespace projfgd::device
