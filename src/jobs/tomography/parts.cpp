#include "jobs/tomography/parts.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "operators/outcome_tree.hpp"

namespace projfgd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The settings of this rank: the first, and one past the last.
std::pair<Index, Index> settings_in(const Parts& parts, const SeenCounts& data) {
  std::vector<Index> begins(at(data.shots.size()) + 1);
  for (Index s = 0; s <= data.shots.size(); ++s) begins[at(s)] = data.seen.begin(s);
  const auto setting_at = [&](Index place) {
    return static_cast<Index>(std::ranges::lower_bound(begins, place) - begins.begin());
  };
  return {setting_at(parts.begin()), setting_at(parts.end())};
}

template <class T>
std::vector<T> slice(const std::vector<T>& list, Index begin, Index end) {
  return {list.begin() + begin, list.begin() + end};
}

}  // namespace

Parts parts_of(const PauliData& data, const Ranks& ranks) {
  std::vector<Index> order(data.strings.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index i) { return data.strings[at(i)].x; });
  std::vector<std::vector<Index>> groups;
  std::vector<double> work;
  // Of each x a product makes the n numbers w_x first, which costs as much as some strings do.
  constexpr double strings_an_x = 4;
  for (const Index i : order) {
    if (groups.empty() || data.strings[at(groups.back().front())].x != data.strings[at(i)].x) {
      groups.emplace_back();
      work.push_back(strings_an_x);
    }
    groups.back().push_back(i);
    work.back() += 1;
  }
  return balanced_parts(ranks, groups, work);
}

Parts parts_of(const CountsData& data, const Ranks& ranks) {
  const Index n = Index{1} << data.qubits;
  Parts parts = equal_parts(ranks, data.shots.size(), n);
  // Settings that begin alike share the work of what they have in common.
  const std::vector<Index> settings = sorted_from_qubit_0(data.settings);
  for (Index& place : parts.order) place = settings[at(place / n)] * n + place % n;
  return parts;
}

Parts parts_of(const ProjectorData& data, const Ranks& ranks) {
  return equal_parts(ranks, data.counts.size());
}

Parts parts_of(const SeenCounts& data, const Ranks& ranks) {
  std::vector<std::vector<Index>> groups;
  for (Index s = 0; s < data.shots.size(); ++s) {
    groups.emplace_back(at(data.seen.count(s) + 1));
    std::iota(groups.back().begin(), groups.back().end(), data.seen.begin(s));
  }
  // A setting costs a transform of all amplitudes, however many outcomes were seen.
  const std::vector<double> work(groups.size(), 1.0);
  return balanced_parts(ranks, groups, work);
}

PauliData part_of(const PauliData& data, const Parts& parts) {
  PauliData own{data.qubits, parts.mine(data.strings), parts.mine(data.values), {}};
  if (data.errors.size() > 0) own.errors = parts.mine(data.errors);
  return own;
}

CountsData part_of(const CountsData& data, const Parts& parts) {
  const Index n = Index{1} << data.qubits;
  CountsData own;
  own.qubits = data.qubits;
  own.bases = data.bases;
  own.counts = parts.mine(data.counts);
  own.shots.resize(parts.count() / n);
  for (Index k = 0; k < own.shots.size(); ++k) {
    const Index s = parts.place(k * n) / n;
    own.settings.push_back(data.settings[at(s)]);
    own.shots[k] = data.shots[s];
  }
  own.shots_known = data.shots_known;
  return own;
}

ProjectorData part_of(const ProjectorData& data, const Parts& parts) {
  return {data.qubits,
          data.states,
          parts.mine(data.projectors),
          parts.mine(data.counts),
          parts.mine(data.exposures),
          parts.mine(data.accidentals)};
}

SeenCounts part_of(const SeenCounts& data, const Parts& parts) {
  const auto [first, end] = settings_in(parts, data);
  SeenCounts own{data.qubits, data.bases};
  const Index from = data.seen.first[at(first)], to = data.seen.first[at(end)];
  own.seen.settings = slice(data.seen.settings, first, end);
  own.seen.outcomes = slice(data.seen.outcomes, from, to);
  own.seen.first.clear();
  for (Index s = first; s <= end; ++s) own.seen.first.push_back(data.seen.first[at(s)] - from);
  own.counts = parts.mine(data.counts);
  own.shots = data.shots.segment(first, end - first);
  return own;
}

}  // namespace projfgd
