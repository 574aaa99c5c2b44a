// The library throws; the command line turns the class into an exit code, Python into an exception.
#pragma once

#include <stdexcept>

namespace projfgd {

/// The caller's data or options are wrong: says where, what was found, what was expected.
class InputError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A file could not be read or written.
class FileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The problem does not fit in memory; thrown from an estimate, before anything is allocated.
class ResourceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The user ended work that leaves nothing when it is not done.
class InterruptedError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace projfgd
