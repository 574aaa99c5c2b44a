#pragma once

#include "projfgd/core/interrupt.hpp"

namespace projfgd {

/// While one lives, the readers that this thread calls look at its interrupt while they wait for
/// bytes and every few thousand rows or values, so that a signal ends the reading of a long file,
/// or of a silent pipe, as it ends a run.
class Listening {
 public:
  /// Goes on with what this thread listens to.
  Listening();
  /// The interrupt must outlive it.
  explicit Listening(const Interrupt& interrupt);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  /// For readers: throws InterruptedError once the user wants the work to end.
  static void look();
  /// The same at every call, for those that are seldom.
  static void look_now();

 private:
  const Interrupt* before_;
};

}  // namespace projfgd
