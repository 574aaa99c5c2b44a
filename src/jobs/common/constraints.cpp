#include "projfgd/jobs/constraints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "jobs/common/constraint_table.hpp"
#include "jobs/common/magnitudes.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

[[noreturn]] void refuse_radius(const std::string& name, std::string_view found) {
  throw InputError(
      fmt::format("--constraint {0}: found {1}, expected one > 0, as in {0}:1.5", name, found));
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

std::vector<std::string> constraint_names() { return names_of(constraint_table<double, Host>); }

ConstraintSpec parse_constraint(std::string_view text) {
  ConstraintSpec spec;
  const std::size_t colon = std::min(text.find(':'), text.size());
  spec.name = text.substr(0, colon);
  const ConstraintNeeds needs = find_constraint<double, Host>(spec.name).needs;
  const std::string value(colon < text.size() ? text.substr(colon + 1) : "");
  if (needs == ConstraintNeeds::radius && colon < text.size()) {
    spec.radius = parse_number(value);
    if (!is_radius(spec.radius)) refuse_radius(spec.name, "the radius " + quote(value));
  }
  if (needs == ConstraintNeeds::mask) spec.mask = value;
  if (needs == ConstraintNeeds::nothing && !value.empty()) {
    throw InputError(fmt::format("--constraint {}: found \"{}\" after its name, expected nothing",
                                 spec.name, value));
  }
  return spec;
}

ConstraintSpec with_mask(ConstraintSpec spec, InputFiles& files) {
  if (find_constraint<double, Host>(spec.name).needs == ConstraintNeeds::mask &&
      !spec.mask.empty()) {
    spec.support = to_vector<double>(files.npy(spec.mask), spec.mask);
  }
  return spec;
}

template <class S>
AnyConstraint<S> make_constraint(const ConstraintSpec& spec, Index rows) {
  const auto& entry = find_constraint<S, Host>(spec.name);
  if (entry.needs == ConstraintNeeds::radius && !is_radius(spec.radius)) {
    refuse_radius(spec.name,
                  spec.radius == 0 ? "no radius" : fmt::format("the radius {}", spec.radius));
  }
  if (entry.needs == ConstraintNeeds::mask && spec.mask.empty()) {
    throw InputError(fmt::format(
        "--constraint {0}: found no file, expected one, as in {0}:mask.npy", spec.name));
  }
  return *entry.make(spec, rows);
}

template AnyConstraint<float> make_constraint(const ConstraintSpec&, Index);
template AnyConstraint<double> make_constraint(const ConstraintSpec&, Index);
template AnyConstraint<std::complex<float>> make_constraint(const ConstraintSpec&, Index);
template AnyConstraint<std::complex<double>> make_constraint(const ConstraintSpec&, Index);

}  // namespace projfgd
