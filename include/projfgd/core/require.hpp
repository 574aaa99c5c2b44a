#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// "a, b or c", as messages and helps list names; `more` comes last where it is given.
std::string either(std::vector<std::string> names, const std::string& more = "");

/// The `name` of each entry of a table.
template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

/// The entry of a table with that `name`, or null.
template <class Entry, std::size_t size>
const Entry* find_named(const Entry (&table)[size], std::string_view name) {
  for (const Entry& entry : table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

/// Throws InputError "WHAT: found "FOUND", expected a, b or c" unless it is one of the names.
void require_name(std::string_view what, std::string_view found,
                  const std::vector<std::string>& names);

/// The entry of a table with that `name`; throws that InputError where there is none.
template <class Entry, std::size_t size>
const Entry& require_named(std::string_view what, const Entry (&table)[size],
                           std::string_view name) {
  if (const Entry* entry = find_named(table, name)) return *entry;
  require_name(what, name, names_of(table));
  return table[0];  // never: no entry has the name
}

/// Throws InputError "WHAT: found FOUND, expected EXPECTED" unless they are equal.
void require_size(const char* what, Index found, Index expected);

/// Throws InputError "WHAT: found other values, expected EXPECTED" unless it holds for all of them.
void require_all(const char* what, bool holds, const char* expected);

/// Throws InputError "NAME: found FOUND, expected EXPECTED" unless it holds.
void require_option(bool holds, std::string_view name, double found, std::string_view expected);

}  // namespace projfgd
