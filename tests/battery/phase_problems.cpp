#include "battery/phase_problems.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <system_error>

#include "battery/phase_scenes.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/jobs/simulate_ptychography.hpp"

namespace projfgd::battery {
namespace {

/// Arrays that a job reads from memory.
class Files {
 public:
  void add(const std::string& name, std::vector<Index> shape, std::vector<double> values) {
    bytes_[name] = npy_bytes(Array{std::move(shape), false, std::move(values)});
  }
  void add(const std::string& name, std::vector<Index> shape, const std::vector<S>& values) {
    Array array{std::move(shape), true, {}};
    for (const S& x : values) array.values.insert(array.values.end(), {x.real(), x.imag()});
    bytes_[name] = npy_bytes(array);
  }
  MemoryFiles in_memory() const {
    MemoryFiles files;
    for (const auto& [name, bytes] : bytes_) files[name] = {bytes, {}};
    return files;
  }

 private:
  std::map<std::string, std::string> bytes_;
};

/// One problem as a user would have it.
struct Problem {
  Files files;
  PhaseInput input;
  RunSettings settings;
};

Problem make_problem(const Recipe& recipe, std::uint64_t seed) {
  Generator random(seed);
  const Index height = recipe.height, width = recipe.width, n = height * width;
  std::vector<double> inside = support_of(recipe.support, height, width);
  const std::vector<S> truth = truth_of(recipe, inside, random);
  std::vector<S> masks = masks_of(recipe, random);
  Matrix<S> z(n, 1);
  std::ranges::copy(truth, z.data());
  Vector<double> y = intensities_of(recipe, masks, z, random);
  if (recipe.mistake == "other-masks") masks = masks_of(recipe, random);
  if (recipe.mistake == "conjugated-masks") {
    for (S& d : masks) d = std::conj(d);
  }
  if (recipe.mistake == "centred") y = centred(y, height, width);
  if (recipe.mistake == "amplitudes") y = y.cwiseSqrt();
  if (recipe.mistake == "small-support") {  // two rows short
    std::fill_n(inside.begin() + (height / 2 - 2) * width, 2 * width, 0.0);
  }
  Problem problem;
  problem.files.add("y", {recipe.patterns, height, width}, std::vector<double>(y.begin(), y.end()));
  problem.files.add("truth", {height, width}, truth);
  problem.input.data = "y";
  if (recipe.masks != "open") {
    problem.files.add("masks", {recipe.patterns, height, width}, masks);
    problem.input.masks = "masks";
  }
  if (!recipe.support.empty()) {
    problem.files.add("support", {height, width}, inside);
    problem.input.support = "support";
  }
  problem.settings = phase_settings();
  problem.settings.method = recipe.method;
  problem.settings.constraint = recipe.set;
  problem.settings.truth = "truth";
  if (recipe.from_truth) problem.settings.init = "truth";
  if (recipe.iterations > 0) problem.settings.options.max_iterations = recipe.iterations;
  problem.settings.options.seed = seed % 1000;
  problem.settings.threads = 1;
  problem.settings.in_memory = problem.files.in_memory();
  problem.input.target_error = recipe.target;
  return problem;
}

/// A folder that goes when it is no longer needed.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(std::filesystem::temp_directory_path() / name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// The probe with an error of that size beside it: white, or smooth where the seed is odd.
Array wrong_probe(const Array& probe, double error, std::uint64_t seed, Generator& random) {
  const Index height = probe.shape[0], width = probe.shape[1];
  std::normal_distribution<> normal;
  Vector<S> right(height * width), wrong(height * width);
  const std::vector<double> real = smooth(height, width, 1.3, random),
                            imaginary = smooth(height, width, 1.3, random);
  for (Index k = 0; k < right.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    right[k] = probe.entry(i);
    wrong[k] = seed % 2 == 0 ? S(normal(random), normal(random))
                             : right[k] * S(real[i] - 0.5, imaginary[i] - 0.5);
  }
  wrong = right + wrong * (error * right.norm() / wrong.norm());
  Array out{probe.shape, true, {}};
  for (const S& x : wrong) out.values.insert(out.values.end(), {x.real(), x.imag()});
  return out;
}

Outcome run_scan(const Recipe& recipe, std::uint64_t seed) {
  Generator random(seed);
  const Folder folder("projfgd-scan-" + std::to_string(seed) + recipe.image +
                      (recipe.probe_error > 0 ? "-wrong" : ""));
  PtychographySimulation simulation;
  simulation.image = recipe.image;
  simulation.height = recipe.height;
  simulation.width = recipe.width;
  simulation.probe_size = recipe.probe;
  simulation.photons = recipe.photons;
  simulation.seed = seed;
  if (recipe.image == "photograph") {
    std::vector<double> grey;
    for (const S& x : photograph(recipe, recipe.height, recipe.width, random)) {
      grey.push_back(x.real());
    }
    simulation.image = folder.file("image.npy");
    write_file(simulation.image, npy_bytes({{recipe.height, recipe.width}, false, grey}));
    simulation.height = simulation.width = 0;
  }
  const std::filesystem::path scan = folder.file("scan");
  const Json simulated = simulate_ptychography(simulation, scan);
  PhaseInput input;
  input.data = scan;
  RunSettings settings = phase_settings();
  settings.options.seed = seed % 1000;
  settings.threads = 1;
  RunSettings from_truth = settings;
  from_truth.init = scan / "truth.npy";
  const Json best = run_phase(input, from_truth).summary;
  Outcome outcome;
  outcome.reference_error = best.at("relative_error");
  outcome.reference_misfit = best.at("misfit");
  double within = 1.5;
  if (recipe.probe_error > 0) {  // beside the answer with the known probe
    outcome.reference_error = run_phase(input, settings).summary.at("relative_error");
    within = 2;
    const Array probe = read_npy(scan / "probe.npy");
    input.probe = folder.file("wrong.npy");
    write_file(input.probe, npy_bytes(wrong_probe(probe, recipe.probe_error, seed, random)));
    input.refine_probe = true;
  }
  const Json summary = run_phase(input, settings).summary;
  outcome.error = summary.at("relative_error");
  outcome.transforms = summary.at("transforms").get<double>() / summary.at("frames").get<double>();
  outcome.seconds = summary.at("seconds");
  outcome.misfit = summary.at("misfit");
  outcome.called_right = summary.at("fits_data");
  outcome.loss = summary.at("loss");
  outcome.message = summary.at("message");
  outcome.right = outcome.error <= within * outcome.reference_error;
  return outcome;
}

/// What the program says of a mistake that it recognises.
const char* words_for(const std::string& mistake) {
  if (mistake == "conjugated-masks") return "should be complex-conjugated";
  if (mistake == "centred") return "use --centred";
  if (mistake == "amplitudes") return "--amplitudes";
  return nullptr;
}

bool names(const Json& summary, const char* words) {
  if (words == nullptr || !summary.contains("warnings")) return false;
  return std::ranges::any_of(summary["warnings"], [&](const Json& line) {
    return line.get<std::string>().find(words) != std::string::npos;
  });
}

double error_of(const Json& summary) {
  return summary.value("relative_error_modulo_symmetry",
                       summary.at("relative_error").get<double>());
}

}  // namespace

double Recipe::cost() const {
  constexpr double unsolvable = 50, scanned = 20;
  const auto pixels = static_cast<double>(height * width * patterns);
  if (probe > 0) return pixels * scanned * static_cast<double>(probe) * (probe_error > 0 ? 20 : 1);
  return pixels * (solvable() ? 1 : unsolvable) * (patterns == 1 ? 100 : 1);
}

Outcome run(const Family& family, int k, std::uint64_t seed, const Pictures& pictures) {
  Recipe recipe = family.recipe(k);
  recipe.pictures = pictures;
  seed = 1000 * seed + 7 * static_cast<std::uint64_t>(k) + 1;
  if (recipe.probe > 0) return run_scan(recipe, seed);
  const Problem problem = make_problem(recipe, seed);
  const Json summary = run_phase(problem.input, problem.settings).summary;
  Outcome outcome;
  outcome.solvable = recipe.solvable();
  outcome.error = error_of(summary);
  outcome.transforms = summary.at("transforms");
  outcome.seconds = summary.at("seconds");
  outcome.called_right = summary.at("fits_data");
  outcome.message = summary.at("message");
  outcome.misfit = summary.at("misfit");
  outcome.loss = summary.at("loss");
  outcome.named = names(summary, words_for(recipe.mistake));
  // A fit from the truth is as near as the noise allows; of a wrong model nothing better is known
  // than a tenth.
  double allowed = outcome.solvable ? std::max(recipe.allowed, recipe.target) : 0.1;
  if (outcome.solvable && recipe.target == 0) {
    RunSettings settings = problem.settings;
    settings.method = "conjugate-gradients";
    settings.init = "truth";
    settings.options.tolerance = 1e-5;
    PhaseInput input = problem.input;
    input.loss = summary.at("loss");
    const Json best = run_phase(input, settings).summary;
    outcome.reference_error = error_of(best);
    outcome.reference_misfit = best.at("misfit");
    if (allowed == 0) allowed = std::max(1e-4, 1.5 * outcome.reference_error);
  }
  outcome.right = outcome.error <= allowed;
  return outcome;
}

void Rates::add(const Outcome& outcome) {
  ++problems;
  solvable += outcome.solvable ? 1 : 0;
  found += outcome.solvable && outcome.right ? 1 : 0;
  named += outcome.named ? 1 : 0;
  wrong_called_right += !outcome.right && outcome.called_right ? 1 : 0;
  right_called_wrong += outcome.solvable && outcome.right && !outcome.called_right ? 1 : 0;
  transforms += outcome.transforms;
  most_transforms = std::max(most_transforms, outcome.transforms);
  if (outcome.solvable) most_error = std::max(most_error, outcome.error);
  seconds += outcome.seconds;
}

void Rates::add(const Rates& others) {
  problems += others.problems;
  solvable += others.solvable;
  found += others.found;
  named += others.named;
  wrong_called_right += others.wrong_called_right;
  right_called_wrong += others.right_called_wrong;
  transforms += others.transforms;
  most_transforms = std::max(most_transforms, others.most_transforms);
  most_error = std::max(most_error, others.most_error);
  seconds += others.seconds;
}

}  // namespace projfgd::battery
