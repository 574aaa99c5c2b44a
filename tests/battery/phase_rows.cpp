#include "battery/phase_problems.hpp"

namespace projfgd::battery {
namespace {

constexpr const char* images[] = {"photograph", "stars", "complex"};
constexpr Index side = 128;
constexpr double target = 1e-5;

Recipe coded(int k, Index patterns) {
  return {.image = images[k % 3],
          .height = side,
          .width = side,
          .patterns = patterns,
          .target = target};
}
Recipe coded_21(int k) { return coded(k, 21); }
Recipe coded_8(int k) { return coded(k, 8); }
Recipe coded_6(int k) { return coded(k, 6); }
Recipe coded_4(int k) { return coded(k, 4); }
Recipe coded_3(int k) { return coded(k, 3); }
Recipe kaczmarz(int k) {
  Recipe recipe = coded(k, 4);
  recipe.method = "block-kaczmarz";
  return recipe;
}

Recipe nonnegative(int k, Index patterns) {
  Recipe recipe = coded(k % 2, patterns);
  recipe.set = "nonnegative";
  return recipe;
}
Recipe nonnegative_8(int k) { return nonnegative(k, 8); }
Recipe nonnegative_6(int k) { return nonnegative(k, 6); }
Recipe nonnegative_4(int k) { return nonnegative(k, 4); }
Recipe nonnegative_3(int k) { return nonnegative(k, 3); }
Recipe nonnegative_2(int k) { return nonnegative(k, 2); }

Recipe large(int k) {
  Recipe recipe = coded(1 - k % 2, 21);
  recipe.height = 883;
  recipe.width = 1280;
  return recipe;
}
Recipe large_nonnegative(int k) {
  Recipe recipe = large(k);
  recipe.set = "nonnegative";
  return recipe;
}

Recipe small_l1(int) {
  return {.height = 64, .width = 48, .patterns = 2, .set = "nonnegative-l1", .allowed = 2e-5};
}
Recipe small_nonnegative(int) {
  return {.height = 64, .width = 48, .patterns = 2, .set = "nonnegative", .allowed = 2e-5};
}

Recipe one_pattern(const char* support) {
  return {.height = side,
          .width = side,
          .patterns = 1,
          .masks = "open",
          .set = "nonnegative",
          .support = support};
}
Recipe square(int) {
  Recipe recipe = one_pattern("square");
  recipe.allowed = target;
  return recipe;
}
Recipe triangle(int) {
  Recipe recipe = one_pattern("triangle");
  recipe.allowed = target;
  return recipe;
}
Recipe bright_triangle(int) {
  Recipe recipe = one_pattern("triangle");
  recipe.photons = 1e9;
  recipe.allowed = 0.02;
  return recipe;
}
Recipe dim_triangle(int) {
  Recipe recipe = bright_triangle(0);
  recipe.photons = 1e8;
  return recipe;
}
Recipe dim_triangle_from_truth(int) {
  Recipe recipe = dim_triangle(0);
  recipe.from_truth = true;
  return recipe;
}

Recipe stopped(int k) {
  Recipe recipe = coded(k, 4);
  recipe.target = 0;
  recipe.iterations = 15;
  return recipe;
}

Recipe tiny(int k, Index height) {
  return {.image = images[k % 3], .height = height, .width = 23, .patterns = 4, .snr = 20};
}
Recipe tiny_22(int k) { return tiny(k, 22); }
Recipe tiny_23(int k) { return tiny(k, 23); }

Recipe six_phase_masks(int k) {
  return {.image = images[k % 3],
          .height = 96,
          .width = 96,
          .patterns = 6,
          .masks = "phases",
          .photons = 100.0 * 96 * 96};
}
Recipe conjugated_phase_masks(int k) {
  Recipe recipe = six_phase_masks(k);
  recipe.mistake = "conjugated-masks";
  return recipe;
}
Recipe other_phase_masks(int k) {
  Recipe recipe = six_phase_masks(k);
  recipe.mistake = "other-masks";
  return recipe;
}

Recipe scan(int k) {
  constexpr const char* scanned[] = {"phantom", "photograph"};
  return {.image = scanned[k % 2], .height = 256, .width = 256, .photons = 1e6, .probe = 64};
}
Recipe scan_with_wrong_probe(int k) {
  Recipe recipe = scan(k);
  recipe.probe_error = 0.2;
  return recipe;
}

}  // namespace

const std::vector<Family>& rows() {
  static const std::vector<Family> all = {
      {"883 x 1280, L=21", 2, large},
      {"the same, >= 0", 2, large_nonnegative},
      {"L=21", 6, coded_21},
      {"L=8", 30, coded_8},
      {"L=6", 30, coded_6},
      {"L=4", 30, coded_4},
      {"L=3", 30, coded_3},
      {"L=4, block-kaczmarz", 6, kaczmarz},
      {"L=8, >= 0", 20, nonnegative_8},
      {"L=6, >= 0", 20, nonnegative_6},
      {"L=4, >= 0", 20, nonnegative_4},
      {"L=3, >= 0", 20, nonnegative_3},
      {"L=2, >= 0", 20, nonnegative_2},
      {"64 x 48, L=2, l1", 10, small_l1},
      {"64 x 48, L=2, >= 0", 10, small_nonnegative},
      {"square", 10, square},
      {"triangle", 10, triangle},
      {"triangle, 1e9", 10, bright_triangle},
      {"triangle, 1e8", 10, dim_triangle},
      {"triangle, 1e8, truth", 5, dim_triangle_from_truth},
      {"stopped", 6, stopped},
      {"22 x 23", 15, tiny_22},
      {"23 x 23", 15, tiny_23},
      {"phase masks", 3, six_phase_masks},
      {"conjugated", 6, conjugated_phase_masks},
      {"others' masks", 3, other_phase_masks},
      {"scan, known probe", 20, scan},
      {"scan, wrong probe", 20, scan_with_wrong_probe},
  };
  return all;
}

}  // namespace projfgd::battery
