#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "jobs/common/magnitudes.hpp"
#include "jobs/matrix/model.hpp"
#include "projfgd/core/error.hpp"

namespace projfgd {
namespace {

/// A loss by name.
struct LossName {
  const char* type;
  const char* key;  ///< it may have besides its type; empty: none
};
constexpr LossName least_squares{"least-squares", ""};
constexpr LossName weighted{"weighted-least-squares", "weights"};
constexpr LossName poisson{"poisson", "exposures"};
constexpr LossName logistic{"logistic", "noise_scale"};

const LossName& find_loss(const MatrixDescription& d) {
  static constexpr const LossName* all[] = {&least_squares, &weighted, &poisson, &logistic};
  const std::string type = require_string(d.loss, "type", d.path);
  for (const LossName* loss : all) {
    if (type == loss->type) return *loss;
  }
  fail(d, fmt::format("\"loss\": found the type \"{}\", expected least-squares, "
                      "weighted-least-squares, poisson or logistic",
                      type));
}

/// Throws InputError for a key that the loss does not have.
void allow_loss_keys(const MatrixDescription& d, const LossName& loss) {
  const std::string key = loss.key;
  for (const auto& item : d.loss.items()) {
    if (item.key() == "type" || item.key() == key) continue;
    fail(d, fmt::format("\"loss\": found the key \"{}\", expected \"type\"{}", item.key(),
                        key.empty() ? " alone" : fmt::format(" or \"{}\"", key)));
  }
}

/// Throws InputError where operator and loss do not go together.
template <class S>
void require_loss_for(const MatrixDescription& d, const Measured<S>& measured,
                      const LossName& loss) {
  if (&loss == &least_squares) return;
  if (require_string(d.operator_keys, "type", d.path) == "identity") {
    fail(d, fmt::format("\"loss\": found \"{}\" with the operator identity, expected least-squares",
                        loss.type));
  }
  if (&loss != &weighted && measured.numbers_per_place != 1) {
    fail(d, fmt::format("\"loss\": found \"{}\" for complex entries, expected least-squares or "
                        "weighted-least-squares",
                        loss.type));
  }
}

/// Throws InputError naming the first number that is not good.
template <class R, class Good>
void require_each(const MatrixDescription& d, const Vector<R>& y, const Good& good,
                  const char* expected) {
  for (Index i = 0; i < y.size(); ++i) {
    if (good(y[i])) continue;
    fail(d, fmt::format("data{}: number {} is {}, expected {}",
                        d.data.empty() ? "" : " in " + d.data, i, y[i], expected));
  }
}

/// A vector with one number >= 0 (or > 0) for each place of the data.
template <class R>
Vector<R> read_weights(const MatrixDescription& d, const char* key, Index count, Index repeat,
                       bool positive, InputFiles& inputs) {
  const std::filesystem::path path = d.beside(require_file_name(d.loss, key, d.path));
  const Array array = inputs.npy(path);
  require_shape(array, {count / repeat}, path);
  require_magnitude(largest(array), data_magnitudes(std::is_same_v<R, float>), path.string());
  const Vector<R> given = to_vector<R>(array, path);
  Vector<R> out(count);
  for (Index i = 0; i < count; ++i) {
    out[i] = given[i / repeat];
    if (out[i] < 0 || (positive && out[i] == 0)) {
      throw InputError(fmt::format("{}: entry [{}] is {}, expected a number {} 0", path.string(),
                                   i / repeat, out[i], positive ? ">" : ">="));
    }
  }
  if (out.isZero(0)) {
    throw InputError(fmt::format("{}: found only zeros, expected some above 0", path.string()));
  }
  return out;
}

template <class R>
MatrixLoss<R> poisson_loss(const MatrixDescription& d, const Vector<R>& y, InputFiles& inputs) {
  require_each(
      d, y, [](R k) { return k >= 0; }, "a count >= 0");
  Vector<R> exposures = Vector<R>::Ones(y.size());
  if (d.loss.contains(poisson.key)) {
    exposures = read_weights<R>(d, poisson.key, y.size(), 1, true, inputs);
  }
  return {.kind = MatrixLoss<R>::Kind::poisson, .y = y, .weights = std::move(exposures)};
}

template <class R>
MatrixLoss<R> logistic_loss(const MatrixDescription& d, const Vector<R>& y) {
  require_each(
      d, y, [](R b) { return b == 1 || b == -1; }, "-1 or 1");
  const double scale =
      d.loss.contains(logistic.key) ? require_number(d.loss, logistic.key, d.path) : 1;
  if (!(scale > 0)) fail(d, fmt::format("\"{}\": found {}, expected > 0", logistic.key, scale));
  require_magnitude(scale, data_magnitudes(std::is_same_v<R, float>),
                    fmt::format("{}: \"{}\"", d.path.string(), logistic.key));
  return {.kind = MatrixLoss<R>::Kind::logistic, .y = y, .noise_scale = static_cast<R>(scale)};
}

}  // namespace

template <class S>
MatrixLoss<RealOf<S>> read_loss(const MatrixDescription& d, const Measured<S>& measured,
                                InputFiles& inputs) {
  using R = RealOf<S>;
  const Vector<R>& y = measured.y;
  const LossName& loss = find_loss(d);
  allow_loss_keys(d, loss);
  require_loss_for(d, measured, loss);
  if (&loss == &poisson) return poisson_loss<R>(d, y, inputs);
  if (&loss == &logistic) return logistic_loss<R>(d, y);
  if (&loss == &least_squares) return {.y = y};
  return {.kind = MatrixLoss<R>::Kind::weighted,
          .y = y,
          .weights = read_weights<R>(d, weighted.key, y.size(), measured.numbers_per_place, false,
                                     inputs)};
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                                    \
  template MatrixLoss<RealOf<S>> read_loss(const MatrixDescription&, const Measured<S>&, \
                                           InputFiles&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)
#undef PROJFGD_INSTANTIATE_SCALAR

}  // namespace projfgd
