#include "jobs/phase/scan_fit.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "jobs/phase/joint_objective.hpp"
#include "jobs/phase/scan_error.hpp"
#include "jobs/phase/scan_report.hpp"
#include "jobs/phase/search_numbers.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/measures/noise.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/solvers/phase_descent.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "projfgd/starts/phase.hpp"

namespace projfgd {
namespace {

/// Conjugate gradients lose their directions to a line search that is not exact, and here a product
/// costs far more than a point of the search.
constexpr double slope_left = 0.01;
/// A step that gains less than this part of what noise costs is not worth its transforms: errors go
/// as the root of the likelihood, so that it moves the image by less than a tenth of its error.
constexpr double hidden = 0.01;

/// Says when a pass no longer halves the misfit: what is left then are smooth phases, which full
/// steps see and passes do not.
class SlowPass {
 public:
  bool operator()(double objective) {
    const double last = std::exchange(last_, std::sqrt(objective));
    return std::isfinite(last) && last_ > search::halved * last;
  }

 private:
  double last_ = std::numeric_limits<double>::infinity();
};

/// Says when what steps gain is lost in the noise. Conjugate gradients are fast and slow by turns,
/// so as many are judged together as in the search for an image, after as many before them.
///
/// With a known probe each of these is to gain something: slow steps fit the noise of pixels that
/// the frames hardly see. With a probe that is fitted too, slow steps are what tells it from the
/// object, and all that are to come are counted, as a geometric series.
class LostInNoise {
 public:
  LostInNoise(bool all_to_come, double numbers, double data)
      : all_to_come_(all_to_come),
        part_(hidden / lost_in_noise * tolerance_under_noise(numbers, data)) {}
  bool operator()(double objective) {
    if (std::isfinite(last_)) gains_.push_back(last_ - objective);
    last_ = objective;
    constexpr int judged = search::judged_steps;
    if (std::ssize(gains_) < 2 * judged) return false;
    const double lost = part_ * objective;
    if (all_to_come_) return search::way_left(gains_) <= lost;
    return std::accumulate(gains_.end() - judged, gains_.end(), 0.0) <= judged * lost;
  }

 private:
  bool all_to_come_;
  double part_, last_ = std::numeric_limits<double>::infinity();
  std::vector<double> gains_;
};

template <class S>
class ScanFit {
 public:
  using F = Matrix<S>;
  using Real = RealOf<S>;

  ScanFit(const ScanProblem<S>& problem, const RunSettings& settings)
      : problem_(problem), settings_(settings), op_(problem.scan, problem.probe) {
    if (!problem.left_out.empty()) op_.leave_out(problem.left_out);
    op_.split_over(*settings.ranks);
    illuminate();
    if (problem.truth.size() > 0) {
      error_ = [this](const F& z) {
        return scan_error<S>(z, problem_.truth, lit_, problem_.scan->geometry().object_width,
                             problem_.refine);
      };
    }
  }

  ScanAnswer<S> run() {
    F z = start();
    op_.drop_unseen(z);
    found_.probe = problem_.probe;
    const Index passes = problem_.start.size() > 0 ? 0 : all_steps;  // they would leave a start
    take(passes, SlowPass(), [&](const Options& options, const auto& watch) {
      if (problem_.refine) {
        return jointly(z, watch, [&](JointScanOperator<S>& joint, F both, const auto& seen) {
          return block_kaczmarz(joint, problem_.amplitude, object_set(), object_set(),
                                std::move(both), options, seen);
        });
      }
      return block_kaczmarz(op_, problem_.amplitude, problem_.set, problem_.set, std::move(z),
                            options, watch);
    });
    const auto hidden_rest = [&] {
      return LostInNoise(problem_.refine, numbers(), static_cast<double>(op_.measured()));
    };
    // Counts near 0 pull hard at an image that is still far off, amplitudes do not.
    if (problem_.refine && !is_over()) {
      take(all_steps, hidden_rest(), [&](const Options& options, const auto& watch) {
        return joint_steps(PointwiseLoss::amplitude, options, watch);
      });
    }
    if (problem_.loss != "auto") {
      found_.loss = pointwise_loss(problem_.loss);
    } else if (problem_.counts) {
      found_.loss = PointwiseLoss::poisson;
    }
    if (!is_over()) {
      take(all_steps, hidden_rest(), [&](const Options& options, const auto& watch) {
        return problem_.refine ? joint_steps(found_.loss, options, watch)
                               : full_steps(found_.loss, options, watch);
      });
    }
    return finished();
  }

  /// What stages change besides their result.
  void keep(Archive& archive) {
    archive(reached_, enough_, found_.probe, found_.transforms);
    op_.keep_products(archive);
    if (joint_ != nullptr) joint_->keep_products(archive);
  }

 private:
  /// What the frames see of each pixel.
  void illuminate() {
    F ones = F::Ones(op_.rows(), 1), normal = ones;
    op_.solve_normal(normal);
    found_.illumination = normal.cwiseAbs().unaryExpr(
        [](Real inverse) { return inverse > 0 ? 1 / inverse : Real(0); });
    found_.illumination /= found_.illumination.maxCoeff();
    lit_ = (found_.illumination.array() >= static_cast<Real>(well_lit)).template cast<double>();
  }

  /// Real numbers of the object that the frames see, and of a probe that is refined.
  double numbers() const {
    F inside = F::Ones(op_.rows(), 1);
    op_.drop_unseen(inside);
    problem_.set.project(inside);
    const Index probe = problem_.refine ? problem_.probe.size() : 0;
    return 2 * static_cast<double>((inside.array() != S(0)).count() + probe);
  }

  /// A flat object with the energy of the data, unless another start is asked for.
  F start() const {
    const std::uint64_t seed = settings_.options.seed;
    if (problem_.start.size() > 0) return problem_.start;
    if (settings_.init == start_name::random) return random_phase_start(op_, problem_.y, seed);
    if (settings_.init == start_name::lanczos)
      return lanczos_phase_start(op_, problem_.y, 12, seed);
    if (settings_.init == start_name::spectral) {
      return power_phase_start(op_, problem_.y, paper_power_iterations, seed);
    }
    const auto size = static_cast<Real>(problem_.y.size());  // a transform multiplies by a frame's
    const Real light = size * problem_.probe.squaredNorm();
    return F::Constant(op_.rows(), 1, S(std::sqrt(problem_.y.sum() / light)));
  }

  bool is_over() const {
    const Result<F>& answer = stages_.answer();
    const Status status = answer.status;
    return reached_ || answer.iterations >= settings_.options.max_iterations ||
           !may_go_on(options_of(settings_), answer.seconds) || status == Status::diverged ||
           status == Status::interrupted || status == Status::time_limit;
  }

  static constexpr Index all_steps = std::numeric_limits<Index>::max();

  /// Runs a stage of so many steps at most, under what is left of the limits, until it has enough
  /// at some objective, and makes it the answer.
  template <class Enough, class Run>
  void take(Index most, const Enough& has_enough, const Run& run) {
    Result<F> result;
    piece(
        settings_.journal, "stage", [&] { result = run_stage(most, has_enough, run); }, result,
        *this);
    if (problem_.refine) op_.set_probe(found_.probe);
    stages_.take(stages_.entered(std::move(result)));
  }

  template <class Enough, class Run>
  Result<F> run_stage(Index most, Enough has_enough, const Run& run) {
    std::vector<double> seen;  // objectives, by has_enough
    std::vector<TraceRow> rows;
    RunSettings shown = settings_;
    const double objective_unit = problem_.unit * problem_.unit;
    shown.progress = [&](const TraceRow& row) {
      if (settings_.progress) settings_.progress(stages_.in_run(row));
    };
    RunObserver<S> observer(shown, error_, rows);
    const auto watch = [&](const Snapshot<F>& now) {
      if (is_resuming(settings_.journal)) return Decision::go_on;  // these rows are known
      Snapshot<F> scaled = now;
      scaled.row.objective *= objective_unit;
      if (!std::isfinite(scaled.row.objective)) scaled.row.objective = std::nan("");  // not known
      const bool go_on = observer(scaled);
      reached_ = error_ && problem_.target_error > 0 &&
                 rows.back().relative_error <= problem_.target_error;
      enough_ = has_enough(now.row.objective);
      if (settings_.journal != nullptr) seen.push_back(now.row.objective);
      if (reached_ || enough_) return Decision::enough;
      return go_on ? Decision::go_on : Decision::stop;
    };
    const Result<F>& before = stages_.answer();
    Options options = remaining(options_of(settings_), before.iterations, before.seconds);
    options.keep_trace = false;
    const bool limit_ends_run = options.max_iterations <= most;
    options.max_iterations = std::min(options.max_iterations, most);
    std::optional<StageKeeper> keeper;
    if (settings_.journal != nullptr) {
      const auto books = [&](Archive& archive) {
        archive(observer, *this, seen);
        if (!archive.reads()) return;
        for (const double objective : seen) has_enough(objective);
      };
      options.keeper = &keeper.emplace(*settings_.journal, books, limit_ends_run);
    }
    Result<F> result = run(options, watch);
    result.trace = std::move(rows);
    result.seconds = observer.seconds();
    return result;
  }

  /// use(kernel) with the kernel of a loss; y is in counts where the data are counts.
  template <class Use>
  Result<F> with_loss(PointwiseLoss loss, const Use& use) const {
    if (loss == PointwiseLoss::poisson && problem_.counts) return use(CountKernel{});
    return with_kernel(loss, use);
  }

  template <class Watch>
  Result<F> full_steps(PointwiseLoss loss, const Options& options, const Watch& watch) {
    F z = stages_.answer().factor;
    return with_loss(loss, [&](auto kernel) {
      using Kernel = decltype(kernel);
      if (problem_.unconstrained) {
        return phase_descent<Kernel>(op_, problem_.y, std::move(z), options, watch, slope_left);
      }
      PhaseObjective<PtychographyOperator<S>, Kernel> f(op_, problem_.y);
      return projfgd(f, problem_.set, Start<F>{std::move(z), 0}, options, watch);
    });
  }

  /// The same on object and probe together.
  template <class Watch>
  Result<F> joint_steps(PointwiseLoss loss, const Options& options, const Watch& watch) {
    const auto run = [&](JointScanOperator<S>& joint, F both, const auto& seen) {
      if (!problem_.unconstrained) {
        JointObjective<S> f(loss, joint, problem_.y);
        return projfgd(f, object_set(), Start<F>{std::move(both), 0}, options, seen);
      }
      return with_loss(loss, [&](auto kernel) {
        return phase_descent<decltype(kernel)>(joint, problem_.y, std::move(both), options, seen,
                                               slope_left);
      });
    };
    return jointly(stages_.answer().factor, watch, run);
  }

  /// run(operator, object and probe, watch), whose result is divided into the two. The scale
  /// between them, which the data leave open, is such that the probe keeps its power.
  template <class Watch, class Run>
  Result<F> jointly(const F& object, const Watch& watch, const Run& run) {
    const Index pixels = object.rows();
    F both(pixels + found_.probe.size(), 1);
    both << object, found_.probe;
    JointScanOperator<S> joint(problem_.scan, F(both / Real(2)));
    if (!problem_.left_out.empty()) joint.leave_out(problem_.left_out);
    joint.split_over(*settings_.ranks);
    const auto seen = [&](const Snapshot<F>& now) {
      const F shown = now.factor.topRows(pixels);
      return watch(Snapshot<F>{shown, now.row});
    };
    joint_ = &joint;
    Result<F> result = run(joint, std::move(both), seen);
    joint_ = nullptr;
    found_.probe = result.factor.col(0).tail(found_.probe.size());
    result.factor = F(result.factor.topRows(pixels));
    const Real size = found_.probe.norm() / problem_.probe.norm();
    found_.probe /= size;
    scale(size, result.factor);
    found_.transforms += joint.products();
    return result;
  }

  OfObject<S> object_set() const { return {problem_.set, op_.rows()}; }

  ScanAnswer<S> finished() {
    Result<F>& result = stages_.answer();
    const double objective =
        amplitude_objective(op_, problem_.amplitude, result.factor, found_.predicted);
    found_.misfit = amplitude_misfit(objective, problem_.amplitude);
    if (error_) found_.relative_error = error_(result.factor);
    if (found_.loss == PointwiseLoss::amplitude) result.objective = objective;
    result.objective *= found_.loss == PointwiseLoss::intensity ? std::pow(problem_.unit, 4)
                                                                : problem_.unit * problem_.unit;
    if (result.status == Status::stalled || result.status == Status::iteration_limit) {
      const bool limit = result.iterations >= settings_.options.max_iterations;
      result.status = limit ? Status::iteration_limit : Status::converged;
    }
    if (result.status == Status::converged && enough_) {
      result.message = "further improvement would be smaller than the noise";
    }
    if (reached_) {
      result.status = Status::converged;
      result.message = "the relative error asked for was reached";
    }
    found_.transforms += op_.products();
    found_.numbers = numbers();
    found_.measured = op_.measured();
    illuminate();
    found_.answer.result = std::move(result);
    return std::move(found_);
  }

  const ScanProblem<S>& problem_;
  const RunSettings& settings_;
  PtychographyOperator<S> op_;
  const JointScanOperator<S>* joint_ = nullptr;  ///< of the stage that fits the probe too
  std::function<double(const F&)> error_;
  Matrix<double> lit_;  ///< 1 where errors are counted, else 0
  Stages<F> stages_;
  ScanAnswer<S> found_;
  bool reached_ = false, enough_ = false;
};

}  // namespace

template <class S>
ScanAnswer<S> fit_scan(const ScanProblem<S>& problem, const RunSettings& settings) {
  return ScanFit<S>(problem, settings).run();
}

template ScanAnswer<std::complex<float>> fit_scan(const ScanProblem<std::complex<float>>&,
                                                  const RunSettings&);
template ScanAnswer<std::complex<double>> fit_scan(const ScanProblem<std::complex<double>>&,
                                                   const RunSettings&);

}  // namespace projfgd
