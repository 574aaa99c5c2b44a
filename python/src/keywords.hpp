// Keyword arguments into the plain structs of the library. What is not named, or None, keeps the
// default of the C++ struct.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>

#include "projfgd/core/error.hpp"

namespace projfgd::python {

namespace nb = nanobind;

/// One keyword and how it is stored.
template <class T>
struct Keyword {
  const char* name;
  const char* expected;
  void (*set)(T&, nb::handle);
};

template <auto Field, class T>
void set_field(T& target, nb::handle value) {
  target.*Field = nb::cast<std::remove_reference_t<decltype(target.*Field)>>(value);
}

/// Throws TypeError for a name that is no keyword, InputError for a value of another type.
template <class T, std::size_t N>
void assign(const Keyword<T> (&keywords)[N], const nb::dict& given, T& target) {
  for (const auto& [key, value] : given) {
    if (value.is_none()) continue;
    const std::string name = nb::cast<std::string>(key);
    const Keyword<T>* found = nullptr;
    std::string known;
    for (const Keyword<T>& keyword : keywords) {
      if (name == keyword.name) found = &keyword;
      known += std::string(known.empty() ? "" : ", ") + keyword.name;
    }
    if (found == nullptr) {
      throw nb::type_error(("unknown option \"" + name + "\"; the options are " + known).c_str());
    }
    try {
      found->set(target, value);
    } catch (const nb::cast_error&) {
      throw InputError(name + ": found " + nb::cast<std::string>(nb::repr(value)) + ", expected " +
                       found->expected);
    }
  }
}

}  // namespace projfgd::python
