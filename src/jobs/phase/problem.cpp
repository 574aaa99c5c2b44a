#include "jobs/phase/problem.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/common/magnitudes.hpp"
#include "jobs/common/start_file.hpp"
#include "jobs/phase/causes.hpp"
#include "jobs/phase/errors.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "projfgd/operators/rows.hpp"

namespace projfgd {
namespace {

template <class S>
std::shared_ptr<BlockOperator<S>> make_operator(PhaseData& data) {
  if (data.vectors.size() > 0) return std::make_shared<RowsOperator<S>>(data.vectors.cast<S>());
  const Index n = data.height * data.width;
  if (!data.codes.empty()) {
    const std::vector<S> table(data.table.begin(), data.table.end());
    return std::make_shared<CodedDiffractionOperator<S>>(
        data.height, data.width, Masks<S>(data.patterns, n, std::move(data.codes), table));
  }
  std::vector<S> values(data.values.begin(), data.values.end());
  data.values = {};
  return std::make_shared<CodedDiffractionOperator<S>>(
      data.height, data.width, Masks<S>(data.patterns, n, std::move(values)));
}

bool has_real_masks(const PhaseData& data) {
  const auto is_real = [](std::complex<double> d) { return d.imag() == 0; };
  return data.vectors.size() == 0 &&
         std::ranges::all_of(data.codes.empty() ? data.values : data.table, is_real);
}

/// A mask that was there before, or that lets nothing through, tells nothing new.
Index distinct_masks(const PhaseData& data) {
  const auto n = static_cast<std::size_t>(data.height * data.width);
  const auto count = [&](const auto& values, const auto& dark) {
    std::set<std::string_view> seen;
    for (std::size_t first = 0; first < values.size(); first += n) {
      const auto* begin = values.data() + first;
      if (std::all_of(begin, begin + n, dark)) continue;
      seen.emplace(reinterpret_cast<const char*>(begin), n * sizeof(*begin));
    }
    return static_cast<Index>(seen.size());
  };
  if (data.vectors.size() > 0) return 0;
  if (data.codes.empty()) {
    return count(data.values, [](std::complex<double> d) { return d == 0.0; });
  }
  return count(data.codes, [&](std::uint8_t code) { return data.table[code] == 0.0; });
}

/// What the intensities were measured by is taken as it is.
void require_magnitudes(const PhaseData& data, const PhaseInput& input, bool single) {
  require_magnitude(std::ranges::max(data.intensities), intensity_magnitudes(single),
                    input.data.string());
  double most = data.vectors.size() == 0 ? 0 : data.vectors.cwiseAbs().maxCoeff();
  for (const auto* values : {&data.values, &data.table}) {
    for (const std::complex<double> value : *values) most = std::max(most, std::abs(value));
  }
  require_magnitude(most, vector_magnitudes(single),
                    (input.vectors.empty() ? input.masks : input.vectors).string());
}

/// The starts that have a name; empty leaves it to the method.
bool has_named_start(const RunSettings& settings) {
  return settings.init.empty() || is_named_start(settings.init, phase_start_names());
}

/// Real numbers of an image in the set, were there no l1 ball.
template <class S>
double numbers_of(const PhaseProblem<S>& problem) {
  Matrix<S> inside = Matrix<S>::Ones(problem.op->rows(), 1);
  problem.op->drop_unseen(inside);
  for (const ConstraintSpec& set : {problem.support, problem.set}) {
    if (set.name == "support") make_constraint<S>(set, inside.rows()).project(inside);
  }
  const auto pixels = static_cast<double>((inside.array() != S(0)).count());
  return is_real_set(problem.set.name) ? pixels : 2 * pixels;
}

/// With the mask of its file, which is one image for all channels.
ConstraintSpec with_image(ConstraintSpec spec, Index n, const PhaseData& data, InputFiles& files) {
  if (!spec.mask.empty()) {
    spec.support =
        read_signal<std::complex<double>>(spec.mask, Dataset::support, n, data, files, {1})
            .cwiseAbs();
  }
  return spec;
}

}  // namespace

template <class S>
PhaseProblem<S> make_phase_problem(PhaseData data, const PhaseInput& input,
                                   const RunSettings& settings, InputFiles& files) {
  require_magnitudes(data, input, std::is_same_v<S, std::complex<float>>);
  PhaseProblem<S> problem;
  data.distinct = distinct_masks(data);
  data.real_masks = has_real_masks(data);
  const auto op = make_operator<S>(data);
  if (!data.left_out.empty()) op->leave_out(data.left_out);
  op->split_over(*settings.ranks);
  problem.op = op;
  const Index n = problem.op->rows();
  if (!settings.constraint.empty()) {
    problem.set = with_image(parse_constraint(settings.constraint), n, data, files);
  }
  if (!input.support.empty()) {
    problem.support = with_image({"support", 0, input.support}, n, data, files);
  }
  if (!data.truth.empty()) {
    InputFiles apart = settings.inputs();  // the answer does not depend on it
    problem.truth = read_signal<S>(data.truth, Dataset::truth, n, data, apart, {data.channels});
  }
  if (input.target_error > 0 && problem.truth.size() == 0) {
    throw InputError("--target-error: found no truth, expected one to measure the error by");
  }
  if (!has_named_start(settings)) {
    require_start_file(settings.init, phase_start_names(), files);
    problem.start =
        read_signal<S>(settings.init, Dataset::start, n, data, files, {data.channels, 1});
  }
  problem.target_error = input.target_error;
  problem.stage = input.stage;
  problem.loss = input.loss;
  problem.photon = photon_unit(data.intensities);
  problem.numbers = numbers_of(problem);
  problem.data = std::move(data);
  return problem;
}

#define PROJFGD_INSTANTIATE(S)                                                                  \
  template PhaseProblem<S> make_phase_problem(PhaseData, const PhaseInput&, const RunSettings&, \
                                              InputFiles&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd
