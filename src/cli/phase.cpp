#include "projfgd/jobs/phase.hpp"

#include <memory>

#include "common_options.hpp"
#include "data_options.hpp"
#include "progress.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

void add_pattern_options(CLI::App& verb, PhaseInput& input) {
  const auto add = [&verb](const char* name, auto& value, const char* help, const char* type) {
    verb.add_option(name, value, help)->type_name(type)->group("Data");
  };
  add("--masks", input.masks,
      "Masks d, patterns x height x width (NPY or HDF5): y = |FFT(conj(d) z)|^2", "FILE");
  add("--mask-values", input.mask_values,
      "Table of complex numbers (NPY or HDF5); the masks are then indices into it", "FILE");
  verb.add_flag("--conjugate-masks", input.conjugate_masks,
                "The wave was multiplied by the masks: y = |FFT(d z)|^2")
      ->group("Data");
  add("--vectors", input.vectors,
      "Instead of masks: an m x n matrix (NPY or HDF5) whose rows are the measurement vectors",
      "FILE");
  add("--positions", input.positions,
      "Ptychography: scan positions, frames x 2 (NPY or HDF5): row and column in pixels "
      "[translation in a CXI file]",
      "FILE");
  add("--probe", input.probe,
      "Ptychography: the probe (NPY or HDF5), as large as a frame [from the CXI file, or estimated "
      "from the frames]",
      "FILE");
  verb.add_flag("--refine-probe", input.refine_probe,
                "Ptychography: refine the probe together with the object")
      ->group("Data");
  add("--support", input.support,
      "Array or image (NPY, HDF5 or PNG), nonzero where the image may be nonzero; combines with "
      "any --constraint",
      "FILE");
  add("--bad-pixels", input.bad_pixels,
      "Array or image (NPY, HDF5 or PNG), nonzero where the detector measured nothing [mask of a "
      "CXI file]",
      "FILE");
  add("--dataset", input.data_place,
      "Dataset of the intensities in an HDF5 file [the usual CXI places]", "PATH");
  add("--mask-dataset", input.mask_place,
      "Dataset of the masks in the HDF5 file of --masks or of the data [/masks]", "PATH");
  verb.add_flag("--amplitudes", input.amplitudes,
                "The data are amplitudes, the square roots of intensities")
      ->group("Data");
  verb.add_flag("--centred", input.centred,
                "The zero frequency is at the centre of each pattern, not at its first entry")
      ->group("Data");
}

void add_phase(CLI::App& app, Cli& cli) {
  CLI::App* verb =
      add_verb(app, "phase", "Recover an image or signal from diffraction intensities",
               "  projfgd simulate cdp --image stars --size 128x96 --patterns 4 --out data\n"
               "  projfgd phase data --constraint nonnegative --out result\n"
               "  projfgd phase patterns.cxi --masks masks.npy --loss poisson --out result\n"
               "  projfgd phase scan.cxi --refine-probe --out result");
  const auto input = std::make_shared<PhaseInput>();
  verb->add_option("DATA", input->data,
                   "Intensities (NPY, HDF5 or CXI), or a folder made by `projfgd simulate cdp`")
      ->required();
  add_pattern_options(*verb, *input);
  offer(cli, phase_loss_names(),
        verb->add_option("--loss", input->loss, either(phase_loss_names())))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Data");
  add_number(*verb, "--target-error", input->target_error,
             "Stop when the relative error from --truth is this small")
      ->type_name("E")
      ->group("Solver");
  add_run_options(*verb, cli);
  add_device_option(*verb, cli, input->device)->group("Solver");
  verb->get_option("--rank")->description("1, the only rank of an image")->group("");  // not shown
  verb->get_option("--tolerance")
      ->description("Stop when the relative change of the image is below this");
  verb->get_option("--step")->description(step_help());
  offer(cli, phase_method_names(), verb->get_option("--method"))
      ->description(one_of(phase_method_names()))
      ->default_str(phase_settings().method);
  offer(cli, phase_start_names(), verb->get_option("--init"))
      ->description(either(phase_start_names(), "an image or signal (NPY, HDF5 or PNG)"))
      ->default_str("by method");
  verb->get_option("--truth")->description(
      "Known image or signal (NPY, HDF5 or PNG), to report the error");
  verb->callback([&cli, input, verb] {
    const RunSettings standard = phase_settings();
    if (verb->count("--method") == 0) cli.settings.method = standard.method;
    if (verb->count("--init") == 0) cli.settings.init = standard.init;
    cli.files = phase_files(*input);
    cli.is_shared = true;
    if (cli.settings.progress) input->stage = show_stage;
    cli.action = [&cli, input] { return finish_run(cli, run_phase(*input, cli.settings)); };
  });
}

}  // namespace projfgd
