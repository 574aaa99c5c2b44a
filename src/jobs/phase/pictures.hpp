// Images as the report shows them: with what their colours mean.
#pragma once

#include <string>

#include "projfgd/core/factor.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd {

/// Moduli from black, 0, to white; three channels are shown as colours.
Picture modulus_picture(std::string title, std::string caption, const Matrix<double>& moduli,
                        Index height, Index width, double white);

/// Phases from -pi to pi as colours of a circle; of several channels the first. They fade to grey
/// where the modulus is small, as phases mean little there.
Picture phase_picture(std::string title, const Matrix<double>& phases, Index height, Index width,
                      const Matrix<double>& moduli);

}  // namespace projfgd
