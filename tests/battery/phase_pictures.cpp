#include "battery/phase_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"

namespace projfgd::battery {
namespace {

Image in_grey(const Image& image) {
  Image grey{image.height, image.width, 1, {}};
  for (auto pixel = image.values.begin(); pixel != image.values.end(); pixel += image.channels) {
    grey.values.push_back(std::accumulate(pixel, pixel + image.channels, 0.0) /
                          static_cast<double>(image.channels));
  }
  return grey;
}

/// A stretch of pixels that becomes one: at least one of them.
struct Stretch {
  Index begin, end;
};

Stretch stretch(Index k, double first, double step) {
  const auto begin = static_cast<Index>(first + static_cast<double>(k) * step);
  const auto end = static_cast<Index>(first + static_cast<double>(k + 1) * step);
  return {begin, std::max(begin + 1, end)};
}

/// The largest part of its middle that has those proportions, each pixel the mean of those in its
/// place.
std::vector<double> reduced(const Image& image, Index height, Index width) {
  const double step = std::min(static_cast<double>(image.height) / static_cast<double>(height),
                               static_cast<double>(image.width) / static_cast<double>(width));
  const auto before = [step](Index has, Index wanted) {
    return (static_cast<double>(has) - step * static_cast<double>(wanted)) / 2;
  };
  const double top = before(image.height, height), left = before(image.width, width);
  std::vector<double> grey;
  for (Index i = 0; i < height; ++i) {
    const Stretch rows = stretch(i, top, step);
    for (Index j = 0; j < width; ++j) {
      const Stretch columns = stretch(j, left, step);
      double sum = 0, count = 0;
      for (Index r = rows.begin; r < std::min(rows.end, image.height); ++r) {
        for (Index c = columns.begin; c < std::min(columns.end, image.width); ++c, ++count) {
          sum += image.values[static_cast<std::size_t>(r * image.width + c)];
        }
      }
      grey.push_back(sum / count);
    }
  }
  return grey;
}

}  // namespace

Pictures::Pictures(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".png") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) pictures_.push_back(in_grey(parse_png(read_file(file), file)));
  if (pictures_.empty()) throw FileError(folder.string() + ": found no PNG file");
}

std::vector<double> Pictures::draw(Index height, Index width, std::mt19937_64& random) const {
  return reduced(pictures_[random() % pictures_.size()], height, width);
}

}  // namespace projfgd::battery
