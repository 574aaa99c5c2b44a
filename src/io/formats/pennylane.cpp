// PennyLane classical shadows: bits and recipes, arrays of T snapshots by q wires, or both in one
// array of shape 2 x T x q; recipe 0 is X, 1 is Y, 2 is Z, and wire 0 is the highest qubit.
#include <fmt/format.h>

#include "projfgd/io/npy.hpp"
#include "reader.hpp"

namespace projfgd::formats {
namespace {

struct Shadows {
  Array bits, recipes;
  std::filesystem::path bits_path, recipes_path;
};

/// The array that classical_shadow returns, taken apart.
Shadows from_one(const NamedBytes& file) {
  const Array both = parse_npy(file.bytes, file.path);
  if (both.shape.size() != 3 || both.shape[0] != 2 || both.complex) {
    fail(file.path.string(), "one array of shape " + shape_text(both.shape),
         "bits and recipes: two files, or one of shape 2 x snapshots x qubits");
  }
  const std::vector<Index> shape{both.shape[1], both.shape[2]};
  const auto middle = both.values.begin() + static_cast<std::ptrdiff_t>(both.values.size() / 2);
  return {{shape, false, {both.values.begin(), middle}},
          {shape, false, {middle, both.values.end()}},
          file.path,
          file.path};
}

Shadows from_two(const NamedBytes& bits, const NamedBytes& recipes) {
  return {parse_npy(bits.bytes, bits.path), parse_npy(recipes.bytes, recipes.path), bits.path,
          recipes.path};
}

Shadows read_shadows(const std::vector<NamedBytes>& files) {
  if (files.size() == 1) return from_one(files[0]);
  if (files.size() != 2) {
    fail(files[0].path.string(), fmt::format("{} NPY files", files.size()),
         "two, the bits and the recipes of the shadows");
  }
  const bool turned = files[0].path.filename().string().find("recipe") != std::string::npos;
  return turned ? from_two(files[1], files[0]) : from_two(files[0], files[1]);
}

}  // namespace

void read_pennylane(const std::vector<NamedBytes>& files, CountsBuilder& builder) {
  const Shadows shadows = read_shadows(files);
  const Array& bits = shadows.bits;
  if (bits.shape.size() != 2 || bits.shape[0] < 1 || bits.shape[1] < 1 || bits.complex) {
    fail(shadows.bits_path.string(), "shape " + shape_text(bits.shape), "snapshots x qubits");
  }
  require_shape(shadows.recipes, bits.shape, shadows.recipes_path);
  const auto qubits = static_cast<std::size_t>(bits.shape[1]);
  std::string label(qubits, 'Z');
  for (Index t = 0; t < bits.shape[0]; ++t) {
    std::uint64_t outcome = 0;
    for (std::size_t j = 0; j < qubits; ++j) {
      const std::size_t at = static_cast<std::size_t>(t) * qubits + j;
      const double bit = bits.values[at], recipe = shadows.recipes.values[at];
      if (bit != 0 && bit != 1) {
        fail(place(shadows.bits_path, fmt::format("[{}, {}]", t, j)), fmt::format("{}", bit),
             "0 or 1");
      }
      if (recipe != 0 && recipe != 1 && recipe != 2) {
        fail(place(shadows.recipes_path, fmt::format("[{}, {}]", t, j)), fmt::format("{}", recipe),
             "0, 1 or 2");
      }
      label[j] = "XYZ"[static_cast<std::size_t>(recipe)];
      outcome = 2 * outcome + (bit != 0 ? 1 : 0);
    }
    const std::string where = place(shadows.recipes_path, fmt::format("[{}]", t));
    builder.begin({label}, where);
    builder.add(outcome, 1, where);
  }
}

}  // namespace projfgd::formats
