// How data are to be read: options that more than one verb has.
#pragma once

#include <CLI/CLI.hpp>

#include "common_options.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/jobs/tomography.hpp"

namespace projfgd {

/// --format, --bit-order, --label-order, --basis-pattern, --bases, --shots, --readout.
void add_measurement_options(CLI::App& verb, Cli& cli, TomographyInput& input);

/// --masks, --mask-values, --vectors, --support, --bad-pixels, --dataset, --mask-dataset,
/// --centred.
void add_pattern_options(CLI::App& verb, PhaseInput& input);

}  // namespace projfgd
