// A first guess of a state that has few amplitudes in the computational basis.
#pragma once

#include <optional>

#include "projfgd/measures/state.hpp"
#include "projfgd/operators/seen_outcomes.hpp"

namespace projfgd {

/// The moduli from the settings that measure every qubit in the computational basis, the phases
/// from the others. With D = diag(|u_j|^2) of the outcomes j that were seen most often, setting s
/// and outcome k predict q_{s,k} = <k|V_s D V_s^H|k>, and
///   R = sum n_{s,k} / q_{s,k}  D^{1/2} V_s^H |k><k| V_s D^{1/2}
/// over the other settings is what the likelihood pulls D to. U has the phases of the leading
/// eigenvectors of R, and rows of length |u_j|.
///
/// `counts` are in the order of SeenOutcomes. Nothing where no setting measures all qubits in the
/// computational basis, {{1, 0}, {0, 1}}.
std::optional<StateFactor> few_term_state(const SeenOutcomes& seen, const Vector<double>& counts,
                                          const std::vector<QubitBasis>& bases, Index rank);

}  // namespace projfgd
