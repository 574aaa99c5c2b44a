#include "jobs/matrix/description.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "projfgd/core/error.hpp"
#include "projfgd/io/file_kind.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;

void require_field(const MatrixDescription& d, bool complex) {
  if (complex && !d.complex) {
    fail(d, "\"field\": found \"real\" for complex data, expected \"complex\"");
  }
}

/// Whether data are numbers of one matrix; bits and counts of the same number may differ.
bool data_agree(const MatrixDescription& d) {
  const std::string type = require_string(d.loss, "type", d.path);
  return type != "poisson" && type != "logistic";
}

KnownEntries read_entries(const fs::path& path, bool agree, InputFiles& inputs) {
  const std::string text = inputs.read(path);
  return path.extension() == ".csv" ? parse_entries_csv(text, path, agree)
                                    : parse_matrix_market(text, path, agree);
}

/// The entries operator by places and values in two arrays.
KnownEntries read_places(const MatrixDescription& d, InputFiles& inputs) {
  const fs::path path = d.beside(require_file_name(d.operator_keys, "places", d.path));
  const Array places = inputs.npy(path);
  if (places.complex || places.shape.size() != 2 || places.shape[1] != 2) {
    throw InputError(fmt::format("{}: found shape {}, expected m x 2: row and column of each entry",
                                 path.string(), shape_text(places.shape)));
  }
  const fs::path data = d.beside(d.data);
  const Array values = inputs.npy(data);
  require_shape(values, {places.shape[0]}, data);
  require_field(d, values.complex);
  KnownEntries known{d.dimension, d.complex, {}};
  for (std::size_t k = 0; k < static_cast<std::size_t>(places.shape[0]); ++k) {
    std::int32_t at[2];
    for (std::size_t side = 0; side < 2; ++side) {
      const double place = places.values[2 * k + side];
      if (!(place >= 0 && place < static_cast<double>(d.dimension)) || place != std::floor(place)) {
        throw InputError(fmt::format("{}: entry [{}, {}] is {}, expected an integer from 0 to {}",
                                     path.string(), k, side, place, d.dimension - 1));
      }
      at[side] = static_cast<std::int32_t>(place);
    }
    known.entries.push_back({at[0], at[1], values.values[values.complex ? 2 * k : k],
                             values.complex ? values.values[2 * k + 1] : 0});
  }
  if (data_agree(d)) require_hermitian(known, 0, data);
  return known;
}

ConstraintSpec read_constraint(const MatrixDescription& d, const Json& keys) {
  if (keys.is_string()) {
    ConstraintSpec spec = named(d.path, [&] { return parse_constraint(keys.get<std::string>()); });
    if (!spec.mask.empty()) spec.mask = d.beside(spec.mask.string());
    return spec;
  }
  allow_keys(keys, {"type", "radius", "mask"}, d.path);
  ConstraintSpec spec;
  spec.name = require_string(keys, "type", d.path);
  if (keys.contains("radius")) {
    spec.radius = require_number(keys, "radius", d.path);
    if (!(spec.radius > 0)) {
      fail(d, fmt::format("\"radius\": found {}, expected a number > 0", spec.radius));
    }
  }
  if (keys.contains("mask")) spec.mask = d.beside(require_file_name(keys, "mask", d.path));
  if (spec.radius > 0 && !spec.mask.empty()) {
    fail(d, "\"constraint\": found \"radius\" and \"mask\", expected one of the two");
  }
  named(d.path, [&] { return parse_constraint(spec.text()); });  // a radius where there is none
  return spec;
}

/// Where a part of the description is written as an object, or as a name that stands for one.
void require_part(const MatrixDescription& d, const char* key, const Json& part, bool has_names) {
  if (part.is_object() || (has_names && part.is_string())) return;
  fail(d, fmt::format("\"{}\": found {}, expected {}an object with the key \"type\"", key,
                      part.type_name(), has_names ? "a name or " : ""));
}

Index read_dimension(const MatrixDescription& d, const Json& keys) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  const Index dimension = require_integer(keys, "dimension", d.path);
  if (dimension < 1 || dimension > most) {
    fail(d, fmt::format("\"dimension\": found {}, expected 1 to {}", dimension, most));
  }
  return dimension;
}

bool is_complex_field(const MatrixDescription& d, const Json& keys) {
  const std::string field = keys.contains("field") ? require_string(keys, "field", d.path) : "real";
  if (field != "real" && field != "complex") {
    fail(d, fmt::format("\"field\": found \"{}\", expected real or complex", field));
  }
  return field == "complex";
}

Index read_rank(const MatrixDescription& d, const Json& keys) {
  const Index rank = require_integer(keys, "rank", d.path);
  if (rank < 1 || rank > d.dimension) {
    fail(d, fmt::format("\"rank\": found {}, expected an integer from 1 to the dimension {}", rank,
                        d.dimension));
  }
  return rank;
}

/// A file of entries holds the data; other operators need a file of their own for them.
void require_one_source(const MatrixDescription& d, bool has_data) {
  const bool from_file = require_string(d.operator_keys, "type", d.path) == "entries" &&
                         d.operator_keys.contains("file");
  if (from_file && d.operator_keys.contains("places")) {
    fail(d, "\"operator\": found \"file\" and \"places\", expected one of the two");
  }
  if (from_file != has_data) return;
  fail(d, has_data ? "found \"data\" beside a file of entries, which holds the data, expected one "
                     "of the two"
                   : "found no \"data\", expected the file of the measured numbers");
}

/// The description in a JSON file.
Json parse_description(const fs::path& path, InputFiles& inputs) {
  const std::string text = inputs.read(path);
  if (first_character(text) != '{') {
    throw InputError(
        fmt::format("{}: found {}, expected a JSON description, or a file of known "
                    "entries that ends in .csv or .mtx",
                    path.string(), describe_file(text)));
  }
  return parse_json(text, path);
}

MatrixDescription read_keys(const fs::path& path, InputFiles& inputs) {
  const Json keys = parse_description(path, inputs);
  MatrixDescription d;
  d.path = path;
  d.operator_keys = require_key(keys, "operator", path);
  require_part(d, "operator", d.operator_keys, false);
  allow_keys(keys,
             {"dimension", "field", "operator", "data", "loss", "constraint", "rank", "truth"},
             path);
  d.dimension = read_dimension(d, keys);
  d.complex = is_complex_field(d, keys);
  if (keys.contains("data")) d.data = require_file_name(keys, "data", path);
  if (keys.contains("loss")) {
    require_part(d, "loss", keys["loss"], true);
    d.loss = keys["loss"].is_string() ? Json{{"type", keys["loss"]}} : keys["loss"];
  }
  if (keys.contains("constraint")) {
    require_part(d, "constraint", keys["constraint"], true);
    d.constraint = read_constraint(d, keys["constraint"]);
  }
  if (keys.contains("rank")) d.rank = read_rank(d, keys);
  if (keys.contains("truth")) d.truth = d.beside(require_file_name(keys, "truth", path));
  require_one_source(d, keys.contains("data"));
  return d;
}

/// Known entries alone.
MatrixDescription describe_entries(const fs::path& path, InputFiles& inputs) {
  MatrixDescription d;
  d.path = path;
  d.only_entries = true;
  d.known = read_entries(path, true, inputs);
  d.dimension = d.known.dimension;
  d.complex = d.known.complex;
  return d;
}

}  // namespace

void fail(const MatrixDescription& d, const std::string& what) {
  throw InputError(fmt::format("{}: {}", d.path.string(), what));
}

MatrixDescription read_description(const fs::path& path, InputFiles& inputs) {
  const bool entries = path.extension() == ".mtx" || path.extension() == ".csv";
  return entries ? describe_entries(path, inputs) : read_keys(path, inputs);
}

void read_known_entries(MatrixDescription& d, InputFiles& inputs) {
  if (d.only_entries || require_string(d.operator_keys, "type", d.path) != "entries") return;
  if (d.operator_keys.contains("places")) {
    d.known = read_places(d, inputs);
    return;
  }
  const fs::path path = d.beside(require_file_name(d.operator_keys, "file", d.path));
  d.known = read_entries(path, data_agree(d), inputs);
  if (d.known.dimension > d.dimension) {
    throw InputError(fmt::format("{}: found indices up to {}, expected less than {}", path.string(),
                                 d.known.dimension - 1, d.dimension));
  }
  require_field(d, d.known.complex);
}

}  // namespace projfgd
