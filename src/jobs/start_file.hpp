// A start that a user gives is input too.
#pragma once

#include "projfgd/jobs/run.hpp"

namespace projfgd {

/// Enters the file of RunSettings::init, where it is one, among the files of the run.
inline void enter_start(const RunSettings& settings, InputFiles& inputs) {
  const std::string& init = settings.init;
  if (!init.empty() && init != "spectral" && init != "random") inputs.read(init);
}

}  // namespace projfgd
