#include "projfgd/jobs/simulate_cdp.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "projfgd/core/require.hpp"
#include "simulate.hpp"

namespace projfgd {

void add_simulate_cdp(CLI::App& simulate, Cli& cli) {
  CLI::App* verb =
      add_verb(simulate, "cdp", "Coded diffraction patterns: intensities.npy, masks.npy, truth.npy",
               "  projfgd simulate cdp --image stars --size 883x1280 --patterns 21 --out data\n"
               "  projfgd simulate cdp --image photo.png --patterns 4 --photons 1e6 --out data");
  const auto s = std::make_shared<CdpSimulation>();
  offer(cli, drawn_image_names(),
        verb->add_option("--image", s->image,
                         fmt::format("{}, or a PNG or NPY file, which may be complex or a signal",
                                     fmt::join(drawn_image_names(), ", "))))
      ->type_name("NAME|FILE")
      ->capture_default_str();
  add_size_option(*verb, s->height, s->width, "Height and width, required for stars and phantom");
  add_integer(*verb, "--patterns", s->patterns, "Number of patterns L, one for each mask")
      ->type_name("L")
      ->capture_default_str();
  offer(cli, simulated_mask_names(),
        verb->add_option("--masks", s->masks, either(simulated_mask_names())))
      ->type_name("NAME")
      ->capture_default_str();
  add_number(*verb, "--lit", s->stars, "Fraction of nonzero pixels in the star field")
      ->type_name("P")
      ->default_str(fmt::format("{}", CdpSimulation::usual_stars));
  add_number(*verb, "--snr", s->snr,
             "Gaussian noise: signal-to-noise ratio of the intensities in dB [none]")
      ->type_name("DB");
  add_number(*verb, "--photons", s->photons,
             "Poisson noise: mean number of photons per pattern [none]")
      ->type_name("N");
  end_simulation(*verb, cli, s, simulate_cdp);
}

}  // namespace projfgd
