#pragma once

#include "projfgd/io/listening.hpp"
#include "projfgd/jobs/run.hpp"

namespace projfgd {

/// Lets the user end what a job reads while it lives. Several ranks do not look equally often while
/// they read, so they cannot agree on an end: each goes on listening to what its process does.
inline Listening listen_to_user(const RunSettings& settings) {
  return settings.ranks->is_alone() ? Listening(settings.interrupt) : Listening();
}

}  // namespace projfgd
