// What ranks gain over one, and what the model of docs/scale.md says they would.
#include <fmt/format.h>

#include <optional>

#include "bench/sections.hpp"
#include "jobs/tomography/parts.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "projfgd/operators/product_basis.hpp"

namespace projfgd::bench {
namespace {

using C = std::complex<double>;
using Call = std::function<void()>;

/// Seconds that a sum over the ranks takes: of one number, and of each more.
struct ExchangeCost {
  double first = 0, more = 0;
  double of(Index numbers) const { return first + static_cast<double>(numbers) * more; }
};

ExchangeCost exchange_cost(const Context& context) {
  const Ranks& ranks = *context.options.ranks;
  Vector<double> few = Vector<double>::Zero(1), many = Vector<double>::Zero(Index{1} << 20);
  const Comparison c = compare_times([&] { ranks.sum(few.data(), few.size()); },
                                     [&] { ranks.sum(many.data(), many.size()); }, context.repeats);
  const auto numbers = static_cast<double>(many.size());
  return {c.first.median, (c.second.median - c.first.median) / numbers};
}

/// Two ranks lose less to each other than many do.
constexpr double least_of_two = 1.85;
/// Where the measurements grow with the ranks, an iteration should take as long.
constexpr double least_in_proportion = 0.9;

/// A product that ranks share.
struct SharedProduct {
  std::string name;
  Call shared, alone;    ///< by all of them, and by one
  Call own_part = {};    ///< what one does of it, without the sum over the ranks
  Index exchanged;       ///< numbers that are summed
  double share_of_many;  ///< of the speed of many ranks, what should be left
};

bool emit_product(const Context& context, const ExchangeCost& cost, const SharedProduct& product) {
  const Ranks& ranks = *context.options.ranks;
  const double count = ranks.size();
  const auto at_root = [&](const Call& call) { return [&] { ranks.at_root(call); }; };
  const Comparison all = compare_times(product.shared, at_root(product.alone), context.repeats);
  const double ideal = all.second.median / count;
  Row row{"ranks",
          fmt::format("{} ranks over 1, {}", ranks.size(), product.name),
          all.ratio.median,
          "times faster",
          all.ratio.spread,
          all.best,
          ranks.size() == 2 ? least_of_two : product.share_of_many * count};
  row.details = {{"milliseconds", 1e3 * all.first.median},
                 {"slower_milliseconds", 1e3 * all.second.median},
                 {"model_milliseconds", 1e3 * (ideal + cost.of(product.exchanged))}};
  if (!context.emit(row)) return false;
  if (!product.own_part) return true;
  // The work of one rank by itself, and of all side by side.
  const Comparison own = compare_times(product.shared, at_root(product.own_part), context.repeats);
  return context.emit({"ranks", fmt::format("weak scaling, {}", product.name), own.ratio.median,
                       "of the speed of one", own.ratio.spread, own.best, least_in_proportion});
}

/// The forward and the adjoint product.
SharedProduct products(const std::string& name, std::shared_ptr<const Parts> parts,
                       AnyOperator<C> all, std::optional<AnyOperator<C>> own, Index rank,
                       double share_of_many) {
  struct State {
    AnyOperator<C> all;
    std::optional<AnyOperator<C>> own;
    PartOperator<C> part;
    Matrix<C> u, g;
    Vector<double> y, w;
  };
  const Index rows = all.rows();
  const auto s = std::make_shared<State>(
      State{std::move(all), own, {std::move(parts), own, rows}, Matrix<C>(rows, rank), {}, {}, {}});
  fill_normal(RandomStream(1, 0xBF), s->u);
  const auto both = [s](const auto& op) {
    op.forward(s->u, s->y);
    s->w.setOnes(s->y.size());
    op.adjoint_times(s->w, s->u, s->g);
  };
  const auto own_part = [s, both] {
    if (s->own) both(*s->own);
  };
  return {name,
          [s, both] { both(s->part); },
          [s, both] { both(s->all); },
          own_part,
          2 * rows * rank,
          share_of_many};
}

SharedProduct expectations(const Context& context, int qubits, Index rank) {
  PauliData data{qubits, random_paulis(qubits, 3 * (rank << qubits), context.options.seed), {}, {}};
  data.values.setZero(static_cast<Index>(data.strings.size()));
  auto parts = std::make_shared<const Parts>(parts_of(data, *context.options.ranks));
  std::optional<AnyOperator<C>> own;
  if (parts->count() > 0) own = PauliOperator<C>(qubits, part_of(data, *parts).strings, 1.0);
  return products(fmt::format("expectations q={} r={}", qubits, rank), std::move(parts),
                  PauliOperator<C>(qubits, data.strings, 1.0), std::move(own), rank, 13.0 / 16);
}

SharedProduct counts(const Context& context, int qubits, Index rank) {
  CountsData data;
  data.qubits = qubits;
  data.settings = all_settings(qubits);
  data.shots.setOnes(static_cast<Index>(data.settings.size()));
  data.counts.setZero(data.shots.size() << qubits);
  auto parts = std::make_shared<const Parts>(parts_of(data, *context.options.ranks));
  std::optional<AnyOperator<C>> own;
  if (parts->count() > 0) own = ProductBasisOperator<C>(part_of(data, *parts).settings);
  return products(fmt::format("counts q={} r={}", qubits, rank), std::move(parts),
                  ProductBasisOperator<C>(data.settings), std::move(own), rank, 12.0 / 16);
}

/// The gradient of the intensities of coded diffraction patterns.
SharedProduct image(const Context& context, Index size, Index patterns) {
  struct State {
    CodedDiffractionOperator<C> all, part;
    Vector<double> y;
    PhaseObjective<BlockOperator<C>, IntensityKernel> f_all, f_part;
    Matrix<C> z, g;
    State(Index size, Index patterns, const MaskDraw& draw)
        : all(size, size, masks(size, patterns, draw)),
          part(size, size, masks(size, patterns, draw)),
          y(Vector<double>::Ones(size * size * patterns)),
          f_all(all, y),
          f_part(part, y),
          z(size * size, 1) {}
    static Masks<C> masks(Index size, Index patterns, const MaskDraw& draw) {
      return {patterns, size * size, draw.codes, {draw.table.begin(), draw.table.end()}};
    }
  };
  const Index n = size * size;
  const MaskDraw draw = draw_masks(MaskFamily::octanary, patterns, n, context.options.seed);
  const auto s = std::make_shared<State>(size, patterns, draw);
  s->part.split_over(*context.options.ranks);
  fill_normal(RandomStream(context.options.seed, 0xD2), s->z);
  const auto gradient = [s](auto& f) {
    f.at(s->z);
    f.gradient_times(s->z, s->g);
  };
  return {fmt::format("image {0} x {0} L={1}", size, patterns),
          [s, gradient] { gradient(s->f_part); },
          [s, gradient] { gradient(s->f_all); },
          {},
          2 * n,
          11.0 / 16};
}

}  // namespace

bool run_ranks(const Context& context) {
  const ExchangeCost cost = exchange_cost(context);
  const auto emit = [&](const SharedProduct& product) {
    return emit_product(context, cost, product);
  };
  if (context.options.quick) {
    return emit(expectations(context, 10, 1)) && emit(expectations(context, 8, 20)) &&
           emit(counts(context, 5, 2)) && emit(image(context, 64, 4));
  }
  return emit(expectations(context, 13, 1)) && emit(expectations(context, 14, 1)) &&
         emit(expectations(context, 12, 20)) && emit(counts(context, 8, 10)) &&
         emit(image(context, 1024, 32));
}

}  // namespace projfgd::bench
