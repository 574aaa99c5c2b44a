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

/// The bits of z that give signs to the rows of a thread.
inline std::uint32_t own_part(std::uint32_t z) { return z / lanes % own_rows; }

/// By tile of x and lane of x, then by x; of each x the even strings first, and of each parity
/// those with equal signs of two rows.
inline void order_directly(std::vector<OrderedString>& strings) {
  std::ranges::stable_sort(strings, {}, [](const OrderedString& s) {
    return std::tuple(s.x / direct_rows, s.x % lanes, s.x, s.odd, own_part(s.z) % 2);
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
    const int list = static_cast<int>(4 * which + (s.odd ? 2 : 0) + own_part(s.z) % 2);
    if (items.empty() || items.back().tile_x != tile_x || items.back().item.x != first_x ||
        here - items.back().begin == DirectItem::most_strings ||
        items.back().item.count(list) == DirectItem::most_in_a_list) {
      items.push_back({{{0, 0}, first_x}, tile_x, here, here});
    }
    items.back().item.counts[list / 8] += 1u << (4 * (list % 8));
    ++items.back().end;
  }
  return items;
}

/// Items that one warp sums together.
struct Chunk {
  std::span<const ItemStrings> items;

  std::uint32_t begin() const { return items.front().begin; }
  std::uint32_t end() const { return items.back().end; }
  /// Time in units of a string's: a list takes that of two, an item's loads that of five.
  int cost() const {
    int lists = 0;
    for (const ItemStrings& i : items) {
      for (int list = 0; list < DirectItem::lists; ++list) lists += i.item.count(list) != 0;
    }
    return static_cast<int>(end() - begin()) + 2 * lists + 5 * static_cast<int>(items.size());
  }
};

/// Items in their order, with at most so many strings in a chunk.
inline std::vector<Chunk> chunks_of(std::span<const ItemStrings> items, std::uint32_t most) {
  std::vector<Chunk> chunks;
  for (const ItemStrings& next : items) {
    if (chunks.empty() || next.end - chunks.back().begin() > most) chunks.push_back({{&next, 0}});
    chunks.back().items = {chunks.back().items.data(), chunks.back().items.size() + 1};
  }
  return chunks;
}

/// The chunks of a tile X: as many for each warp of a block, and about as many strings in each.
inline std::vector<Chunk> even_chunks_of(std::span<const ItemStrings> items) {
  const auto of_warps = [](std::size_t count) { return (count + direct_warps - 1) / direct_warps; };
  const std::size_t fewest = of_warps(chunks_of(items, lanes).size());
  std::uint32_t most = 1;
  while (most < lanes && of_warps(chunks_of(items, most).size()) > fewest) ++most;
  return chunks_of(items, most);
}

/// Orders the chunks of a batch so that the warps, which take one each in turn, end together.
inline void even_out(std::span<Chunk> chunks) {
  std::ranges::stable_sort(chunks, std::ranges::greater{}, &Chunk::cost);
  for (std::size_t k = direct_warps; k < chunks.size(); k += 2 * direct_warps) {
    const std::size_t count = std::min<std::size_t>(direct_warps, chunks.size() - k);
    std::ranges::reverse(chunks.subspan(k, count));
  }
}

inline void put_direct(std::vector<OrderedString> strings, Index rows, DirectTables& to) {
  order_directly(strings);
  const std::vector<ItemStrings> made = items_of(strings);
  // Batches are small where there are few, so that they still fill the device.
  const double tiles_of_j = static_cast<double>(tiles_of(rows, 2 * direct_rows));
  const double wanted = static_cast<double>(strings.size()) / lanes * tiles_of_j / enough_blocks;
  const auto most_chunks =
      static_cast<std::size_t>(std::clamp<double>(wanted, direct_warps, most_direct_chunks));
  std::vector<DirectItem> items;
  std::vector<std::uint32_t> chunk_item, chunk_string, chunk_signs, batch_x, batch_chunk, z, place;
  const auto put_chunk = [&](const Chunk& chunk) {
    chunk_item.push_back(static_cast<std::uint32_t>(items.size()));
    chunk_string.push_back(static_cast<std::uint32_t>(z.size()));
    std::uint32_t words[DirectItem::signs] = {};
    for (const ItemStrings& i : chunk.items) items.push_back(i.item);
    for (std::uint32_t s = chunk.begin(); s < chunk.end(); ++s) {
      for (int b = 0; b < DirectItem::signs; ++b) {
        words[b] |= (own_part(strings[s].z) >> (b + 1) & 1u) << (s - chunk.begin());
      }
      z.push_back(strings[s].z);
      place.push_back(strings[s].place);
    }
    chunk_signs.insert(chunk_signs.end(), std::begin(words), std::end(words));
  };
  const auto same_tile = [](const ItemStrings& a, const ItemStrings& b) {
    return a.tile_x == b.tile_x;
  };
  for (auto first = made.begin(); first != made.end();) {
    const auto end = std::find_if_not(first, made.end(),
                                      [&](const ItemStrings& i) { return same_tile(*first, i); });
    std::vector<Chunk> chunks = even_chunks_of({first, end});
    const std::size_t batches = (chunks.size() + most_chunks - 1) / most_chunks;
    const std::size_t most =
        (chunks.size() + batches * direct_warps - 1) / (batches * direct_warps) * direct_warps;
    for (std::size_t k = 0, count; k < chunks.size(); k += count) {
      std::size_t in_batch = 0;
      for (count = 0; count < most && k + count < chunks.size(); ++count) {
        in_batch += chunks[k + count].items.size();
        if (in_batch > most_direct_items) break;
      }
      const std::span<Chunk> batch(&chunks[k], count);
      even_out(batch);
      batch_x.push_back(first->tile_x);
      batch_chunk.push_back(static_cast<std::uint32_t>(chunk_item.size()));
      for (const Chunk& chunk : batch) put_chunk(chunk);
    }
    first = end;
  }
  to.batches = static_cast<Index>(batch_x.size());
  batch_chunk.push_back(static_cast<std::uint32_t>(chunk_item.size()));
  chunk_item.push_back(static_cast<std::uint32_t>(items.size()));
  chunk_string.push_back(static_cast<std::uint32_t>(z.size()));
  put(items, to.items);
  put(chunk_item, to.chunk_item);
  put(chunk_string, to.chunk_string);
  put(chunk_signs, to.chunk_signs);
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
