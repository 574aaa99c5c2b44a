#include "projfgd/starts/phase.hpp"

#include <fmt/format.h>

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/compare/methods.hpp"
#include "jobs/phase/report.hpp"
#include "jobs/reproduce/figures.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/l1.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "projfgd/solvers/amplitude_flow.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "projfgd/solvers/wirtinger_flow.hpp"

namespace projfgd {
namespace {

using S = std::complex<double>;
constexpr Index patterns = 21, iterations = 100, earlier = 80;
constexpr double goal = 1e-5;  ///< relative error to which transforms are counted

Matrix<S> star_image(Index height, Index width, std::uint64_t seed) {
  const Image image = star_field(height, width, CdpSimulation::usual_stars, seed);
  Matrix<S> z(height * width, 1);
  for (Index i = 0; i < z.rows(); ++i) z(i, 0) = image.values[static_cast<std::size_t>(i)];
  return z;
}

Masks<S> octanary_masks(Index n, std::uint64_t seed) {
  MaskDraw draw = draw_masks(mask_family("octanary"), patterns, n, seed);
  return Masks<S>(patterns, n, std::move(draw.codes), draw.table);
}

/// The image, its patterns and where every method begins.
struct Experiment {
  Index height, width;
  Matrix<S> truth;
  CodedDiffractionOperator<S> op;
  Vector<double> y;
  Matrix<S> start;
  Index start_transforms;

  explicit Experiment(const ReproduceRequest& request)
      : height(request.quick ? 110 : 883),
        width(request.quick ? 160 : 1280),
        truth(star_image(height, width, request.seed)),
        op(height, width, octanary_masks(height * width, request.seed)) {
    op.forward(truth, y);
    const Index before = op.products();
    start = power_phase_start(op, y, paper_power_iterations, request.seed,
                              [&request] { return !is_interrupted(request.interrupt); });
    start_transforms = op.products() - before;
  }

  /// The moduli, white where the truth is brightest.
  std::string png(const Matrix<S>& z) const {
    return png_bytes(to_image(z.cwiseAbs(), height, width, truth.cwiseAbs().maxCoeff()), 8);
  }
};

/// Follows a method: its rows, its pictures, and when it reaches the goal.
struct Follower {
  const Experiment& experiment;
  const Interrupt& interrupt;
  std::string name;
  bool published;  ///< shown after as many iterations as in the paper, also past the goal
  Index transforms_before;
  bool reached = false;
  std::vector<TraceRow> trace = {};
  std::vector<Picture> pictures = {};
  Json rows = Json::array();
  double measured = 0;

  bool see(const Snapshot<Matrix<S>>& now) {
    const Stopwatch measuring;
    TraceRow row = now.row;
    row.seconds -= measured;
    row.relative_error = aligned_error(now.factor, experiment.truth);
    trace.push_back(row);
    const bool in_paper = published && (row.iteration == earlier || row.iteration == iterations);
    const bool first = !reached && row.relative_error <= goal;
    reached = reached || first;
    if (in_paper || first) {
      const double decibel = psnr(now.factor, experiment.truth);
      rows.push_back({{"method", name},
                      {"iteration", row.iteration},
                      {"transforms", experiment.op.products() - transforms_before},
                      {"relative_error", row.relative_error},
                      {"psnr", decibel},
                      {"seconds", row.seconds}});
      if (in_paper) {
        pictures.push_back(
            {fmt::format("{} after {} iterations", name, row.iteration),
             fmt::format("PSNR {:.1f} dB, {} from the start", decibel, format_seconds(row.seconds)),
             experiment.png(now.factor)});
      }
    }
    measured += measuring.seconds();
    const bool done = reached && (!published || row.iteration >= iterations);
    return !done && !is_interrupted(interrupt);
  }

  void keep(Archive& archive) {
    archive(name, published, transforms_before, reached, trace, rows, measured);
    experiment.op.keep_products(archive);
    pictures.resize(static_cast<std::size_t>(
        archive.count(static_cast<Index>(pictures.size()), sizeof(Index))));
    for (Picture& one : pictures) archive(one.title, one.caption, one.png);
  }
};

/// The last of them, which a method that ran before is yet to get.
struct LastFollower {
  const Experiment& experiment;
  const Interrupt& interrupt;
  std::vector<Follower>& all;

  void keep(Archive& archive) {
    if (archive.reads()) all.push_back({experiment, interrupt, "", false, 0});
    archive(all.back());
  }
};

/// Runs method after method on the experiment; an interrupt ends them.
std::vector<Follower> follow_methods(const Experiment& e, const ReproduceRequest& request) {
  Options options;
  options.tolerance = 0;
  options.gradient_tolerance = 0;
  options.max_iterations = 4 * iterations;
  options.keep_trace = false;
  std::vector<Follower> followers;
  followers.reserve(6);  // the methods point to theirs
  // Transforms are counted from the start on, which power iterations pay for.
  const auto follow = [&](const char* method, bool published, Index start_transforms) {
    followers.push_back(
        {e, request.interrupt, method, published, e.op.products() - start_transforms});
    return [&one = followers.back()](const Snapshot<Matrix<S>>& now) { return one.see(now); };
  };
  const Index power = e.start_transforms;
  const L1Ball ball(e.truth.cwiseAbs().sum());
  const Vector<double> amplitude = e.y.cwiseSqrt();
  const Matrix<S> random = random_phase_start(e.op, e.y, request.seed);
  PhaseObjective<CodedDiffractionOperator<S>, IntensityKernel> f(e.op, e.y);
  const std::function<void()> methods[] = {
      [&] {
        wirtinger_flow(e.op, e.y, Unconstrained{}, e.start, options,
                       follow("wirtinger-flow", true, power));
      },
      [&] {
        wirtinger_flow(e.op, e.y, ball, e.start, options, follow("paper-projfgd", true, power));
      },
      [&] {
        projfgd(f, ball, Start<Matrix<S>>{e.start, 0}, options, follow("projfgd", true, power));
      },
      [&] { amplitude_flow(e.op, e.y, e.start, options, follow("amplitude-flow", false, power)); },
      [&] {
        block_kaczmarz(e.op, amplitude, Unconstrained{}, Unconstrained{}, random, options,
                       follow("block-kaczmarz", false, 0));
      },
      [&] {
        block_kaczmarz(e.op, amplitude, Nonnegative{}, Nonnegative{}, random, options,
                       follow("block-kaczmarz, nonnegative", false, 0));
      },
  };
  for (const auto& method : methods) {
    if (is_interrupted(request.interrupt)) break;
    limited_piece(request.journal, "method", method, LastFollower{e, request.interrupt, followers});
    if (const Follower& one = followers.back(); request.progress && !one.trace.empty()) {
      request.progress(fmt::format("{}: {:.2e} after {} iterations", one.name,
                                   one.trace.back().relative_error, one.trace.back().iteration));
    }
  }
  return followers;
}

/// Puts curves and images in the page and returns the rows of the table.
Json take_results(const Experiment& e, std::vector<Follower> followers, Report& page) {
  Json rows = Json::array();
  std::vector<NamedTrace> traces;
  Section images{.title = "Images", .columns = Columns::two};
  images.blocks.emplace_back(
      Picture{"Truth", fmt::format("{} x {}, a star field drawn from the seed", e.height, e.width),
              e.png(e.truth)});
  for (Follower& one : followers) {
    for (Json& row : one.rows) rows.push_back(std::move(row));
    traces.push_back({one.name, std::move(one.trace)});
    for (Picture& shown : one.pictures) images.blocks.emplace_back(std::move(shown));
  }
  if (!traces.empty()) page.sections.push_back(convergence_section(traces, "z"));
  page.sections.push_back(std::move(images));
  return rows;
}

const std::vector<std::string> notes = {
    "The paper prints curves and images, and one number: ProjFGD is at least 5 dB better than "
    "Wirtinger Flow after as many iterations, in less than five minutes.",
    "The paper's photograph is not available; a star field of the same size, with 5 % nonzero "
    "pixels, replaces it.",
    "paper-projfgd takes the steps of Wirtinger Flow and projects onto the l1 ball of the truth; "
    "projfgd uses our automatic step with the same constraint. The paper does not print its own "
    "step sizes.",
    "Transforms are two-dimensional Fourier transforms, including those of the start: 50 power "
    "iterations, or none for block-kaczmarz, which begins at random. A method has a row where its "
    "error is first 1e-5 or less. Errors are those of z modulo a phase; that of X = z z^H, which "
    "the paper plots, is sqrt(2) to 2 times as large. amplitude-flow has the adaptive steps of "
    "PhasePack; the passes of block-kaczmarz are what the method auto of phase retrieval does "
    "without noise.",
    "The paper's Wirtinger step 1 - exp(t/t0) is read as 1 - exp(-t/t0)."};

}  // namespace

Reproduction reproduce_figure_phase(const std::string& name, const std::vector<Cell>& /*none*/,
                                    CellRunner& runner) {
  const Experiment e(runner.request());
  Reproduction r = begin_reproduction(name, runner, fmt::format("{} x {}", e.height, e.width));
  Json rows = take_results(e, follow_methods(e, runner.request()), r.page);
  finish_reproduction(r, std::move(rows),
                      {{"method", "method"},
                       {"iteration", "iteration"},
                       {"transforms", "transforms, ours"},
                       {"relative_error", "error of z, ours"},
                       {"psnr", "PSNR, ours"},
                       {"seconds", "seconds, ours"}},
                      notes);
  return r;
}

}  // namespace projfgd
