#include "projfgd/jobs/simulate_ptychography.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "projfgd/jobs/simulate_cdp.hpp"
#include "simulate.hpp"

namespace projfgd {

void add_simulate_ptychography(CLI::App& simulate, Cli& cli) {
  CLI::App* verb =
      add_verb(simulate, "ptychography",
               "Diffraction patterns of a scanned probe: intensities.npy, positions.npy, "
               "probe.npy, truth.npy",
               "  projfgd simulate ptychography --photons 1e6 --out scan\n"
               "  projfgd simulate ptychography --image object.npy --probe-size 64 --overlap 0.7 "
               "--out scan");
  const auto s = std::make_shared<PtychographySimulation>();
  offer(
      cli, drawn_image_names(),
      verb->add_option("--image", s->image,
                       fmt::format("{}, or a PNG or NPY file; a complex file is the object itself",
                                   fmt::join(drawn_image_names(), ", "))))
      ->type_name("NAME|FILE")
      ->capture_default_str();
  add_size_option(*verb, s->height, s->width, "Height and width of stars and phantom [256x256]");
  add_number(*verb, "--delay", s->delay, "Phase in radians of a white pixel of a real image")
      ->type_name("RAD")
      ->capture_default_str();
  add_integer(*verb, "--probe-size", s->probe_size, "Side of a frame in pixels")
      ->type_name("N")
      ->capture_default_str();
  add_number(*verb, "--overlap", s->overlap,
             "Overlap of neighbouring probes, as a fraction of their width")
      ->type_name("P")
      ->capture_default_str();
  verb->add_flag("--whole-pixels", s->whole_pixels, "Round the positions to whole pixels");
  add_number(*verb, "--photons", s->photons,
             "Poisson noise: mean number of photons per frame [none]")
      ->type_name("N");
  end_simulation(*verb, cli, s, simulate_ptychography);
}

}  // namespace projfgd
