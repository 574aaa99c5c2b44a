#include "projfgd/jobs/constraints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "jobs/common/magnitudes.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/l1.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/schatten.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

enum class Needs { nothing, radius, mask };

template <class S>
struct Entry {
  const char* name;
  Needs needs;
  AnyConstraint<S> (*make)(const ConstraintSpec&, Index rows);
};

template <class S, class Set>
AnyConstraint<S> plain(const ConstraintSpec&, Index) {
  return Set();
}
template <class S, class Set>
AnyConstraint<S> with_radius(const ConstraintSpec& spec, Index) {
  return Set(spec.radius);
}

template <class S>
AnyConstraint<S> support(const ConstraintSpec& spec, Index rows) {
  if (spec.support.size() != rows) {
    throw InputError(fmt::format("{}: found {} entries, expected one for each of the {} rows of U",
                                 spec.mask.string(), spec.support.size(), rows));
  }
  std::vector<bool> inside(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) inside[static_cast<std::size_t>(i)] = spec.support[i] != 0;
  if (spec.support.isZero(0)) {
    throw InputError(
        fmt::format("{}: found only zeros, expected nonzero entries where U may be nonzero",
                    spec.mask.string()));
  }
  return Support(std::move(inside));
}

template <class S>
constexpr Entry<S> entries[] = {
    {"none", Needs::nothing, plain<S, Unconstrained>},
    {"frobenius-ball", Needs::radius, with_radius<S, FrobeniusBall>},
    {"frobenius-sphere", Needs::radius, with_radius<S, FrobeniusSphere>},
    {"l1-ball", Needs::radius, with_radius<S, L1Ball>},
    {"nonnegative", Needs::nothing, plain<S, Nonnegative>},
    {"nonnegative-l1", Needs::radius, with_radius<S, NonnegativeL1Ball>},
    {"real", Needs::nothing, plain<S, RealValued>},
    {"nuclear-ball", Needs::radius, with_radius<S, NuclearBall>},
    {"spectral-ball", Needs::radius, with_radius<S, SpectralBall>},
    {"row-norm-ball", Needs::radius, with_radius<S, RowNormBall>},
    {"support", Needs::mask, support<S>},
};

template <class S>
const Entry<S>& find(const std::string& name) {
  return require_named("constraint", entries<S>, name);
}

[[noreturn]] void refuse_radius(const std::string& name, std::string_view found) {
  throw InputError(
      fmt::format("constraint {0}: found {1}, expected one > 0, as in {0}:1.5", name, found));
}

/// One whose square is a normal number.
bool is_radius(double radius) {
  const MagnitudeRange range = data_magnitudes(false);
  return radius >= range.least && radius <= range.most;
}

}  // namespace

double ConstraintSpec::trace_bound() const {
  const bool bounded = name == "frobenius-ball" || name == "frobenius-sphere";
  return bounded ? radius * radius : std::numeric_limits<double>::infinity();
}

std::string ConstraintSpec::text() const {
  if (!mask.empty()) return fmt::format("{}:{}", name, mask.string());
  return radius > 0 ? fmt::format("{}:{}", name, radius) : name;
}

bool ConstraintSpec::only_trace() const { return name == "none" || name == "frobenius-ball"; }

std::vector<std::string> constraint_names() { return names_of(entries<double>); }

ConstraintSpec parse_constraint(std::string_view text) {
  ConstraintSpec spec;
  const std::size_t colon = std::min(text.find(':'), text.size());
  spec.name = text.substr(0, colon);
  const Needs needs = find<double>(spec.name).needs;
  const std::string value(colon < text.size() ? text.substr(colon + 1) : "");
  if (needs == Needs::radius && colon < text.size()) {
    spec.radius = parse_number(value);
    if (!is_radius(spec.radius)) refuse_radius(spec.name, "the radius " + quote(value));
  }
  if (needs == Needs::mask) spec.mask = value;
  if (needs == Needs::nothing && !value.empty()) {
    throw InputError(fmt::format("constraint {}: found \"{}\" after its name, expected nothing",
                                 spec.name, value));
  }
  return spec;
}

ConstraintSpec with_mask(ConstraintSpec spec, InputFiles& files) {
  if (find<double>(spec.name).needs == Needs::mask && !spec.mask.empty()) {
    spec.support = to_vector<double>(files.npy(spec.mask), spec.mask);
  }
  return spec;
}

template <class S>
AnyConstraint<S> make_constraint(const ConstraintSpec& spec, Index rows) {
  const Entry<S>& entry = find<S>(spec.name);
  if (entry.needs == Needs::radius && !is_radius(spec.radius)) {
    refuse_radius(spec.name,
                  spec.radius == 0 ? "no radius" : fmt::format("the radius {}", spec.radius));
  }
  if (entry.needs == Needs::mask && spec.mask.empty()) {
    throw InputError(
        fmt::format("constraint {0}: found no file, expected one, as in {0}:mask.npy", spec.name));
  }
  return entry.make(spec, rows);
}

template AnyConstraint<float> make_constraint(const ConstraintSpec&, Index);
template AnyConstraint<double> make_constraint(const ConstraintSpec&, Index);
template AnyConstraint<std::complex<float>> make_constraint(const ConstraintSpec&, Index);
template AnyConstraint<std::complex<double>> make_constraint(const ConstraintSpec&, Index);

}  // namespace projfgd
