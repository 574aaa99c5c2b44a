#include "battery/phase_problems.hpp"

namespace projfgd::battery {
namespace {

/// The k-th of the values, over and over.
template <class T, std::size_t count>
T turn(const T (&values)[count], int k) {
  return values[static_cast<std::size_t>(k) % count];
}

constexpr const char* images[] = {"photograph", "stars", "complex"};
constexpr const char* real_images[] = {"photograph", "stars"};

/// Sizes from 200 to 20,000 pixels, most of them small.
Recipe sized(int k, Recipe recipe) {
  constexpr Index heights[] = {16, 24, 32, 48, 23, 64, 40, 128};
  constexpr Index widths[] = {13, 20, 36, 40, 22, 48, 51, 144};
  recipe.height = turn(heights, k / 3);
  recipe.width = turn(widths, k / 3);
  return recipe;
}

Recipe coded_exact(int k) {
  constexpr Index patterns[] = {21, 8, 6, 4, 3};
  return sized(k, {.image = turn(images, k), .patterns = turn(patterns, k)});
}
Recipe coded_detector(int k) {
  constexpr Index patterns[] = {4, 6, 8, 12};
  constexpr double snr[] = {20, 30, 40};
  return sized(k,
               {.image = turn(images, k), .patterns = turn(patterns, k), .snr = turn(snr, k / 4)});
}
Recipe coded_photons(int k) {
  constexpr Index patterns[] = {4, 6, 8, 12};
  Recipe recipe = sized(k, {.image = turn(images, k), .patterns = turn(patterns, k)});
  constexpr double a_pixel[] = {30, 100, 1000};
  recipe.photons = turn(a_pixel, k / 4) * static_cast<double>(recipe.height * recipe.width);
  return recipe;
}
Recipe nonnegative_exact(int k) {
  constexpr Index patterns[] = {2, 3, 4, 8};
  return sized(
      k, {.image = turn(real_images, k), .patterns = turn(patterns, k / 2), .set = "nonnegative"});
}
Recipe nonnegative_noisy(int k) {
  constexpr Index patterns[] = {2, 3, 4, 8};
  Recipe recipe = sized(
      k, {.image = turn(real_images, k), .patterns = turn(patterns, k / 2), .set = "nonnegative"});
  constexpr double snr[] = {20, 30};
  if (k % 3 == 0) recipe.snr = turn(snr, k);
  if (k % 3 != 0) recipe.photons = 100.0 * static_cast<double>(recipe.height * recipe.width);
  return recipe;
}
Recipe nonnegative_l1(int k) {
  constexpr Index patterns[] = {2, 3};
  return sized(
      k,
      {.image = turn(real_images, k / 2), .patterns = turn(patterns, k), .set = "nonnegative-l1"});
}
Recipe l1_ball(int k) {
  constexpr Index patterns[] = {3, 4};
  return sized(k, {.image = "stars", .patterns = turn(patterns, k), .set = "l1-ball"});
}
Recipe real(int k) {
  return sized(k, {.image = turn(real_images, k), .patterns = 2 + k % 2, .set = "real"});
}
Recipe stencils(int k) {
  constexpr Index patterns[] = {3, 4, 6};
  Recipe recipe = sized(k, {.image = turn(real_images, k),
                            .patterns = turn(patterns, k),
                            .masks = "stencil",
                            .set = "nonnegative"});
  if (k % 2 == 1) recipe.photons = 300.0 * static_cast<double>(recipe.height * recipe.width);
  return recipe;
}
Recipe one_pattern(int k) {
  constexpr Index sizes[] = {32, 48, 64, 96};
  constexpr const char* shapes[] = {"square", "triangle"};
  const Index size = turn(sizes, k / 2);
  // The spots of stars are all alike, which leaves one pattern several answers.
  return {.height = size,
          .width = size,
          .patterns = 1,
          .masks = "open",
          .set = "nonnegative",
          .support = turn(shapes, k)};
}
Recipe one_pattern_photons(int k) {
  Recipe recipe = one_pattern(k);
  constexpr double photons[] = {1e8, 1e9};
  recipe.support = "triangle";
  recipe.photons = turn(photons, k);
  return recipe;
}
Recipe one_complex_pattern(int k) {
  Recipe recipe = one_pattern(k);
  recipe.image = "complex";
  recipe.set = "";
  recipe.support = "triangle";
  return recipe;
}
Recipe tiny_noisy(int k) {
  constexpr Index widths[] = {14, 15, 22, 23};
  constexpr double snr[] = {20, 30};
  return {.image = turn(images, k),
          .height = turn(widths, k) == 14 ? 15 : 23,
          .width = turn(widths, k),
          .patterns = 4,
          .snr = turn(snr, k / 4)};
}
Recipe mistaken(int k, const char* mistake) {
  constexpr const char* sets[] = {"", "nonnegative"};
  Recipe recipe =
      sized(k, {.image = turn(real_images, k / 2), .patterns = 6, .set = turn(sets, k)});
  if (k % 4 < 2) recipe.photons = 300.0 * static_cast<double>(recipe.height * recipe.width);
  recipe.mistake = mistake;
  return recipe;
}
Recipe other_masks(int k) { return mistaken(k, "other-masks"); }
Recipe conjugated_masks(int k) { return mistaken(k, "conjugated-masks"); }
/// With few patterns the image takes more of it to itself.
Recipe background(int k) {
  Recipe recipe = mistaken(k, "background");
  recipe.patterns = 4 + k % 3;
  return recipe;
}
Recipe amplitudes(int k) { return mistaken(k, "amplitudes"); }
Recipe not_centred(int k) {
  Recipe recipe = mistaken(k, "centred");
  recipe.set = "nonnegative";
  return recipe;
}
Recipe small_support(int k) {
  Recipe recipe = one_pattern(k);
  recipe.mistake = "small-support";
  return recipe;
}
Recipe two_patterns(int k) { return sized(k, {.image = turn(images, k), .patterns = 2}); }

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"coded, no noise", 45, coded_exact},
      {"coded, detector noise", 36, coded_detector},
      {"coded, photons", 36, coded_photons},
      {"tiny, detector noise", 24, tiny_noisy},
      {"nonnegative, no noise", 32, nonnegative_exact},
      {"nonnegative, noise", 36, nonnegative_noisy},
      {"nonnegative-l1", 24, nonnegative_l1},
      {"l1-ball", 12, l1_ball},
      {"real", 12, real},
      {"stencils", 30, stencils},
      {"one pattern", 24, one_pattern},
      {"one pattern, photons", 16, one_pattern_photons},
      {"one pattern, complex", 8, one_complex_pattern},
      {"other masks", 16, other_masks},
      {"conjugated masks", 16, conjugated_masks},
      {"background", 16, background},
      {"amplitudes", 12, amplitudes},
      {"not centred", 12, not_centred},
      {"small support", 12, small_support},
      {"two patterns, no set", 12, two_patterns},
  };
  return all;
}

}  // namespace projfgd::battery
