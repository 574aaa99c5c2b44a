// Strings in the orders that the kernels take them in.
#pragma once

#include <algorithm>
#include <cstdint>
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

/// By tile of x, the first string of each slot before the others, then by slot.
inline void put_teams(std::vector<OrderedString> strings, TeamTables& to) {
  const auto slot_of = [](const OrderedString& s) { return std::tuple(s.x, s.odd, s.z % tile); };
  std::ranges::stable_sort(strings, {}, slot_of);
  std::vector<OrderedString> ordered, others;
  ordered.reserve(strings.size());
  std::vector<TeamString> table;
  std::vector<std::uint32_t> place, team_x, team_string, team_other, batch_x, batch_string;
  const auto end_team = [&] {
    if (team_x.empty()) return;
    team_other.push_back(static_cast<std::uint32_t>(ordered.size()));
    ordered.insert(ordered.end(), others.begin(), others.end());
    others.clear();
  };
  for (std::size_t k = 0; k < strings.size(); ++k) {
    const OrderedString& s = strings[k];
    if (team_x.empty() || team_x.back() != s.x / tile) {
      end_team();
      team_x.push_back(s.x / tile);
      team_string.push_back(static_cast<std::uint32_t>(ordered.size()));
    }
    const bool is_other = k > 0 && slot_of(s) == slot_of(strings[k - 1]);
    (is_other ? others : ordered).push_back(s);
  }
  end_team();
  constexpr std::uint32_t most = team_threads * sums_per_thread;
  team_string.push_back(static_cast<std::uint32_t>(ordered.size()));
  for (std::size_t team = 0; team < team_x.size(); ++team) {
    for (std::uint32_t s = team_string[team]; s < team_string[team + 1]; s += most) {
      batch_x.push_back(team_x[team]);
      batch_string.push_back(s);
    }
  }
  for (const OrderedString& s : ordered) {
    table.push_back({s.z, (s.odd ? tile : 0) + s.x % tile});
    place.push_back(s.place);
  }
  to.teams = static_cast<Index>(team_x.size());
  to.batches = static_cast<Index>(batch_x.size());
  batch_string.push_back(static_cast<std::uint32_t>(table.size()));
  put(table, to.strings);
  put(place, to.place);
  put(team_x, to.team_x);
  put(team_string, to.team_string);
  put(team_other, to.team_other);
  put(batch_x, to.batch_x);
  put(batch_string, to.batch_string);
}

}  // namespace projfgd::device
