// ProjFGD by several ranks that share the work on the factors as well as the measurements.
#pragma once

#include <complex>

#include "projfgd/jobs/methods.hpp"

namespace projfgd {

/// Whether ranks gain by it. An iteration goes some 130 times through the n r numbers of a factor,
/// 0.2 us for each complex one at 10 GB/s, and asks some 30 times more for a sum over the ranks, 10
/// to 30 us each.
inline bool is_worth_sharing(Index rows, Index columns) { return rows * columns >= Index{1} << 12; }

/// spectral_start() of an objective of whole factors.
Start<Matrix<std::complex<double>>> spectral_start_on_ranks(
    MethodCall<std::complex<double>>::Objective& f, const Ranks& ranks, Index rank,
    double smoothness, const EigenOptions& options);

/// projfgd() in that set: the problem's, or one that does not bound the trace. States are shared;
/// of other problems ranks share the measurements alone.
Result<Matrix<std::complex<double>>> solve_on_ranks(MethodCall<std::complex<double>>& call,
                                                    const AnyConstraint<std::complex<double>>& set);

}  // namespace projfgd
