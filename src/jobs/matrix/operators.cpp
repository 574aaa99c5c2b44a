#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "jobs/common/magnitudes.hpp"
#include "jobs/matrix/model.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/operators/dense.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/operators/identity.hpp"
#include "projfgd/operators/rank_one.hpp"

namespace projfgd {
namespace {

template <class S>
constexpr bool is_single = std::is_same_v<RealOf<S>, float>;

/// The measured numbers, in a file of their own.
template <class S>
Vector<RealOf<S>> read_data(const MatrixDescription& d, InputFiles& inputs) {
  const std::filesystem::path path = d.beside(d.data);
  const Array array = inputs.npy(path);
  require_magnitude(largest(array), data_magnitudes(is_single<S>), path.string());
  return to_vector<RealOf<S>>(array, path);
}

/// All of `some`, which other places know.
template <class S, class Some>
Measured<S> measured_by_all(const Some& some, Index count, Vector<RealOf<S>> y, Index parts = 1) {
  using A = decltype(some(0, count));
  const auto op = std::make_shared<const A>(some(0, count));
  return {SharedOperator<A>(op), std::move(y), parts, some, MatrixOperator<S>{op}};
}

template <class S>
Measured<S> measured_entries(const MatrixDescription& d) {
  using Real = RealOf<S>;
  constexpr Index parts = is_complex<S> ? 2 : 1;
  std::vector<typename EntriesOperator<S>::Place> places;
  const auto count = static_cast<Index>(d.known.entries.size());
  places.reserve(d.known.entries.size());
  Vector<Real> y(parts * count);
  double most = 0;
  for (const KnownEntry& entry : d.known.entries) {
    most = std::max({most, std::abs(entry.real), std::abs(entry.imaginary)});
  }
  require_magnitude(most, data_magnitudes(is_single<S>), d.path.string());
  for (const KnownEntry& entry : d.known.entries) {
    const Index k = parts * static_cast<Index>(places.size());
    y[k] = static_cast<Real>(entry.real);
    if constexpr (is_complex<S>) y[k + 1] = static_cast<Real>(entry.imaginary);
    places.push_back({entry.row, entry.column});
  }
  const auto some = [n = d.dimension, all = std::move(places)](Index first, Index some_of) {
    return EntriesOperator<S>(n, {all.begin() + first, all.begin() + first + some_of});
  };
  return measured_by_all<S>(some, count, std::move(y), parts);
}

template <class S>
Measured<S> measured_dense(const MatrixDescription& d, InputFiles& inputs) {
  const std::filesystem::path path =
      d.beside(require_file_name(d.operator_keys, "matrices", d.path));
  Array array = inputs.npy(path);
  const Index n = d.dimension;
  if (array.shape.size() != 3 || array.shape[0] < 1) {
    throw InputError(fmt::format("{}: found shape {}, expected m x {} x {} with m >= 1",
                                 path.string(), shape_text(array.shape), n, n));
  }
  require_shape(array, {array.shape[0], n, n}, path);
  require_magnitude(largest(array), data_magnitudes(is_single<S>), path.string());
  require_memory(3.0 * static_cast<double>(array.size()) * sizeof(S), path.string());
  // All matrices stacked are one tall one, in the row-major order of the file.
  const Index count = array.shape[0];
  array.shape = {count * n, n};
  const auto tall = to_matrix<S>(array, path);
  const auto matrices = std::make_shared<std::vector<Matrix<S>>>();
  for (Index i = 0; i < count; ++i) matrices->push_back(tall.middleRows(i * n, n));
  const auto some = [matrices](Index first, Index some_of) {
    return DenseOperator<S>({matrices->begin() + first, matrices->begin() + first + some_of});
  };
  Vector<RealOf<S>> y = read_data<S>(d, inputs);
  return named(path, [&] { return measured_by_all<S>(some, count, std::move(y)); });
}

template <class S>
Measured<S> measured_rank_one(const MatrixDescription& d, InputFiles& inputs) {
  const std::filesystem::path path =
      d.beside(require_file_name(d.operator_keys, "vectors", d.path));
  const Array array = inputs.npy(path);
  if (array.shape.size() != 2 || array.shape[1] != d.dimension) {
    throw InputError(fmt::format("{}: found shape {}, expected m x {}: one vector per row",
                                 path.string(), shape_text(array.shape), d.dimension));
  }
  require_magnitude(largest(array), vector_magnitudes(is_single<S>), path.string());
  const auto rows = std::make_shared<const Matrix<S>>(
      to_matrix<S>(array, path).conjugate());  // the operator takes a_i^H
  const auto some = [rows](Index first, Index some_of) {
    return RankOneOperator<S>(rows->middleRows(first, some_of));
  };
  return measured_by_all<S>(some, rows->rows(), read_data<S>(d, inputs));
}

template <class S>
Measured<S> measured_identity(const MatrixDescription& d, InputFiles& inputs) {
  using Real = RealOf<S>;
  const std::filesystem::path path = d.beside(d.data);
  const Array array = inputs.npy(path);
  require_shape(array, {d.dimension, d.dimension}, path);
  require_magnitude(largest(array), data_magnitudes(is_single<S>), path.string());
  const Matrix<S> x = to_matrix<S>(array, path);
  const Real asymmetry = (x - x.adjoint()).cwiseAbs().maxCoeff();
  if (asymmetry > 16 * Eigen::NumTraits<Real>::epsilon() * x.cwiseAbs().maxCoeff()) {
    throw InputError(
        fmt::format("{}: found a matrix that differs from its adjoint by {:.3g}, expected a "
                    "Hermitian one",
                    path.string(), asymmetry));
  }
  const IdentityOperator<S> op(d.dimension);
  return {op, op.coordinates(x)};
}

/// The operator of the description, with the data as they are.
template <class S>
Measured<S> measured_by(const MatrixDescription& d, InputFiles& inputs) {
  const std::string type = require_string(d.operator_keys, "type", d.path);
  const auto allow = [&d](std::initializer_list<std::string_view> keys) {
    allow_keys(d.operator_keys, keys, d.path);
  };
  if (type == "entries") {
    allow({"type", "file", "places"});
    return measured_entries<S>(d);
  }
  if (type == "dense") {
    allow({"type", "matrices"});
    return measured_dense<S>(d, inputs);
  }
  if (type == "rank-one") {
    allow({"type", "vectors"});
    return measured_rank_one<S>(d, inputs);
  }
  if (type == "identity") {
    allow({"type"});
    return measured_identity<S>(d, inputs);
  }
  fail(d, fmt::format("\"operator\": found the type \"{}\", expected entries, dense, rank-one or "
                      "identity",
                      type));
}

}  // namespace

template <class S>
Measured<S> measure(const MatrixDescription& d, InputFiles& inputs) {
  Measured<S> measured = measured_by<S>(d, inputs);
  const Index m = measured.op.measurements();
  if (measured.y.size() != m || m == 0) {
    fail(d,
         fmt::format(
             "{}found {} data points for {} measurements, expected the same number, at least one",
             d.data.empty() ? "" : d.data + ": ", measured.y.size(), m));
  }
  return measured;
}

#define PROJFGD_INSTANTIATE_SCALAR(S) \
  template Measured<S> measure(const MatrixDescription&, InputFiles&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)
#undef PROJFGD_INSTANTIATE_SCALAR

}  // namespace projfgd
