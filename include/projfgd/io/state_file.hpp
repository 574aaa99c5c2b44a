// Pure states in JSON, for whoever has no program that writes NPY.
#pragma once

#include "projfgd/io/measurements.hpp"
#include "projfgd/io/npy.hpp"

namespace projfgd {

/// The 2^q amplitudes, a list of all or an object with those that are not 0 by their basis state:
/// {"01": 1, "10": -1}. Each is a number or [real, imaginary]; the norm may be any.
Array parse_state(const NamedBytes& file, int qubits);

}  // namespace projfgd
