#include "projfgd/jobs/phase.hpp"

#include "jobs.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/jobs/simulate_ptychography.hpp"

namespace projfgd::python {
namespace {

constexpr Keyword<PhaseInput> input_keywords[] = {
    {"data", "a path", set_field<&PhaseInput::data, PhaseInput>},
    {"masks", "a path", set_field<&PhaseInput::masks, PhaseInput>},
    {"mask_values", "a path", set_field<&PhaseInput::mask_values, PhaseInput>},
    {"conjugate_masks", "a boolean", set_field<&PhaseInput::conjugate_masks, PhaseInput>},
    {"vectors", "a path", set_field<&PhaseInput::vectors, PhaseInput>},
    {"dataset", "a name", set_field<&PhaseInput::data_place, PhaseInput>},
    {"mask_dataset", "a name", set_field<&PhaseInput::mask_place, PhaseInput>},
    {"positions", "a path", set_field<&PhaseInput::positions, PhaseInput>},
    {"probe", "a path", set_field<&PhaseInput::probe, PhaseInput>},
    {"refine_probe", "a boolean", set_field<&PhaseInput::refine_probe, PhaseInput>},
    {"support", "a path", set_field<&PhaseInput::support, PhaseInput>},
    {"bad_pixels", "a path", set_field<&PhaseInput::bad_pixels, PhaseInput>},
    {"centred", "a boolean", set_field<&PhaseInput::centred, PhaseInput>},
    {"amplitudes", "a boolean", set_field<&PhaseInput::amplitudes, PhaseInput>},
    {"loss", "a name", set_field<&PhaseInput::loss, PhaseInput>},
    {"target_error", "a number", set_field<&PhaseInput::target_error, PhaseInput>},
    {"device", "auto, cpu, gpu or gpu:K", set_field<&PhaseInput::device, PhaseInput>},
};

constexpr Keyword<CdpSimulation> cdp_keywords[] = {
    {"image", "a name or a path", set_field<&CdpSimulation::image, CdpSimulation>},
    {"height", "an integer", set_field<&CdpSimulation::height, CdpSimulation>},
    {"width", "an integer", set_field<&CdpSimulation::width, CdpSimulation>},
    {"patterns", "an integer", set_field<&CdpSimulation::patterns, CdpSimulation>},
    {"masks", "a name", set_field<&CdpSimulation::masks, CdpSimulation>},
    {"stars", "a number", set_field<&CdpSimulation::stars, CdpSimulation>},
    {"snr", "a number", set_field<&CdpSimulation::snr, CdpSimulation>},
    {"photons", "a number", set_field<&CdpSimulation::photons, CdpSimulation>},
    {"seed", "an integer >= 0", set_field<&CdpSimulation::seed, CdpSimulation>},
};

using Scan = PtychographySimulation;
constexpr Keyword<Scan> scan_keywords[] = {
    {"image", "a name or a path", set_field<&Scan::image, Scan>},
    {"height", "an integer", set_field<&Scan::height, Scan>},
    {"width", "an integer", set_field<&Scan::width, Scan>},
    {"delay", "a number", set_field<&Scan::delay, Scan>},
    {"probe_size", "an integer", set_field<&Scan::probe_size, Scan>},
    {"overlap", "a number", set_field<&Scan::overlap, Scan>},
    {"photons", "a number", set_field<&Scan::photons, Scan>},
    {"seed", "an integer >= 0", set_field<&Scan::seed, Scan>},
};

}  // namespace

void bind_phase(nb::module_& m) {
  m.attr("phase_starts") = nb::cast(phase_start_names());
  m.attr("drawn_images") = nb::cast(drawn_image_names());
  bind_job(m, "phase", input_keywords, run_phase, phase_files, phase_settings());
  bind_simulation(m, "simulate_cdp", cdp_keywords, simulate_cdp);
  bind_simulation(m, "simulate_ptychography", scan_keywords, simulate_ptychography);
}

}  // namespace projfgd::python
