// PennyLane classical shadows: bits and recipes, arrays of T snapshots by q wires;
// recipe 0 is X, 1 is Y, 2 is Z, and wire 0 is the highest qubit.
#include <fmt/format.h>

#include "projfgd/io/npy.hpp"
#include "reader.hpp"

namespace projfgd::formats {

void read_pennylane(const std::vector<NamedBytes>& files, CountsBuilder& builder) {
  if (files.size() != 2) {
    fail(files[0].path.string(), fmt::format("{} NPY files", files.size()),
         "two, the bits and the recipes of the shadows");
  }
  std::size_t first = 0;  // of the bits
  if (files[0].path.filename().string().find("recipe") != std::string::npos) first = 1;
  const NamedBytes &bits_file = files[first], &recipes_file = files[1 - first];
  const Array bits = parse_npy(bits_file.bytes, bits_file.path);
  const Array recipes = parse_npy(recipes_file.bytes, recipes_file.path);
  if (bits.shape.size() != 2 || bits.shape[0] < 1 || bits.shape[1] < 1 || bits.complex) {
    fail(bits_file.path.string(), "shape " + shape_text(bits.shape), "snapshots x qubits");
  }
  require_shape(recipes, bits.shape, recipes_file.path);
  const auto qubits = static_cast<std::size_t>(bits.shape[1]);
  std::string label(qubits, 'Z');
  for (Index t = 0; t < bits.shape[0]; ++t) {
    std::uint64_t outcome = 0;
    for (std::size_t j = 0; j < qubits; ++j) {
      const std::size_t at = static_cast<std::size_t>(t) * qubits + j;
      const double bit = bits.values[at], recipe = recipes.values[at];
      if (bit != 0 && bit != 1) {
        fail(place(bits_file.path, fmt::format("[{}, {}]", t, j)), fmt::format("{}", bit),
             "0 or 1");
      }
      if (recipe != 0 && recipe != 1 && recipe != 2) {
        fail(place(recipes_file.path, fmt::format("[{}, {}]", t, j)), fmt::format("{}", recipe),
             "0, 1 or 2");
      }
      label[j] = "XYZ"[static_cast<std::size_t>(recipe)];
      outcome = 2 * outcome + (bit != 0 ? 1 : 0);
    }
    const std::string where = place(recipes_file.path, fmt::format("[{}]", t));
    builder.begin(label, where);
    builder.add(outcome, 1, where);
  }
}

}  // namespace projfgd::formats
