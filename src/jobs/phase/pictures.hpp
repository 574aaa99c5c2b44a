// Images as the report shows them: with what their colours mean.
#pragma once

#include <string>

#include "projfgd/core/factor.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd {

/// Moduli from black, 0, to white; three channels are shown as colours.
Picture modulus_picture(std::string title, std::string caption, const Matrix<double>& moduli,
                        Index height, Index width, double white);

/// Phases from -pi to pi as hues, which meet at the ends; of several channels the first. With
/// moduli those that are small beside the largest are dark, as their phases mean little.
Picture phase_picture(std::string title, const Matrix<double>& phases, Index height, Index width,
                      const Matrix<double>& moduli = {});

}  // namespace projfgd
