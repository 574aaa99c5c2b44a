#include "projfgd/jobs/tomography.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "jobs/tomography/report.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/jobs/place.hpp"

namespace projfgd {
namespace {

/// The steps after reading, each in the file of its name.
template <class S>
RunRecord run(const TomographyInput& input, const RunSettings& settings, const TomographyData& data,
              const Stopwatch& watch) {
  const StateModel<S> model = make_model<S>(data, settings);
  const double setup_seconds = watch.seconds();
  StateFit<S> fit = fit_state(input, data, model, settings);
  const Evidence evidence{input, settings, data, model.facts, fit.found};
  const Judgement judgement = judge(evidence);
  const StateDescription description =
      describe(fit.found.state, fit.found.eigenvalues, data.questions);
  RunRecord record =
      make_record(model.problem, settings, std::move(fit.answer), setup_seconds, data.inputs);
  const auto& place = data.choice.place;
  record.summary["device"] = place ? place->name() : device_name::cpu;
  return report(std::move(record), evidence, judgement, description);
}

}  // namespace

RunRecord run_tomography(const TomographyInput& input, const RunSettings& asked) {
  const Stopwatch watch;
  require_device_name(input.device);
  TomographyData data = read_tomography(input, asked);
  const RunSettings settings = with_rank(asked, data.measured);
  set_threads(settings.threads);  // which a place is compared with
  data.choice.place =
      input.place ? input.place
                  : find_place(input.device,
                               work_elsewhere(data.measured, data.choice.readout, settings.rank),
                               "", settings.ranks->before_on_machine());
  const auto steps = asked.single_precision ? run<std::complex<float>> : run<std::complex<double>>;
  return steps(input, settings, data, watch);
}

std::vector<std::string> tomography_files(const TomographyInput& input) {
  std::vector<std::string> files = output_names();
  files.emplace_back(density_file);
  for (const auto& qubits : input.reduced) files.push_back(reduced_file(qubits));
  return files;
}

}  // namespace projfgd
