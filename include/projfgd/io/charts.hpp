// The kinds of charts reports are made of. Titles, names and labels are plain text.
#pragma once

#include <string>
#include <vector>

#include "projfgd/core/factor.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd::charts {

struct Axis {
  std::string title;
  bool logarithmic = false;
};

struct Line {
  std::string name;
  std::vector<double> x = {},
                      y = {};  ///< values that are no positive number leave a gap on a log axis
  bool dashed = false;
};

/// One line each, in the colours of the palette; the section's legend names them.
Chart lines(std::string title, const std::vector<Line>& lines, const Axis& x, const Axis& y);

/// A square matrix as coloured cells, white at zero; `limit` is the value of the deepest colour.
Chart heat_map(std::string title, const Matrix<double>& values,
               const std::vector<std::string>& labels, double limit);

/// The same as columns standing on a floor, seen from `low` <= 0 to `high` >= 0.
Chart city(std::string title, const Matrix<double>& values, const std::vector<std::string>& labels,
           double limit, double low, double high);

struct Range {
  double low = 0, high = 0;
};

/// A column for each label; the first of them with an error bar, as many as there are ranges.
Chart bars(std::string title, const std::vector<std::string>& labels,
           const std::vector<double>& heights, const Axis& x, const Axis& y,
           const std::vector<Range>& ranges = {});

/// Points around the diagonal. With `sigma` (empty, or the standard error of every y) bands of one
/// and two standard errors are drawn. Of more points than a browser draws well the farthest off and
/// an even selection of the others are shown.
Chart agreement(std::string title, const std::vector<double>& x, const std::vector<double>& y,
                const std::vector<double>& sigma, const Axis& x_axis, const Axis& y_axis);

/// How often values fall where; with `normal` the standard normal distribution is drawn beside it.
Chart histogram(std::string title, const std::vector<double>& values, const Axis& x, bool normal);

}  // namespace projfgd::charts
