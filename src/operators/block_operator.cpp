#include "projfgd/operators/block_operator.hpp"

#include <complex>
#include <numeric>
#include <utility>

#include "projfgd/core/chunks.hpp"

namespace projfgd {
namespace {

/// Whether groups of blocks are worth sharing among the threads. Small ones are not, because waking
/// threads costs more; the products with large blocks share the work themselves, in less memory.
bool worth_sharing(Index groups, Index measurements, Index block_size) {
  constexpr Index fewest = 1 << 14, largest = 1 << 16;
  return groups >= threads() && threads() > 1 && measurements >= fewest && block_size < largest;
}

/// v = 0 where a row is left out.
struct DropLeftOut {
  template <class S>
  constexpr void operator()(S& v, std::uint8_t left_out) const {
    if (left_out != 0) v = 0;
  }
};

}  // namespace

template <class S>
void BlockOperator<S>::leave_out(std::vector<std::uint8_t> marks) {
  require_size("marks", static_cast<Index>(marks.size()), measurements());
  left_out_ = std::move(marks);
  left_out_count_ = std::ranges::count_if(left_out_, [](std::uint8_t mark) { return mark != 0; });
}

template <class S>
void BlockOperator<S>::measured_rows(Values& out) const {
  out.setOnes(measurements());
  for (std::size_t i = 0; i < left_out_.size(); ++i) {
    if (left_out_[i] != 0) out[static_cast<Index>(i)] = 0;
  }
}

template <class S>
double BlockOperator<S>::visit_whole_block(Index b, const S* z, const Visit& visit, S* out,
                                           Into into) const {
  if (z != nullptr) ++forward_products_;
  if (out != nullptr) ++adjoint_products_;
  const auto numbered = [&](Piece<S> piece) {
    piece.begin += b * block_size();
    return visit(piece);
  };
  return visit_block(b, z, numbered, out, into);
}

template <class S>
double BlockOperator<S>::visit_measured_block(Index b, const S* z, const Visit& visit, S* out,
                                              Into into) const {
  if (left_out_.empty()) return visit_whole_block(b, z, visit, out, into);
  const auto shown = [&](const Piece<S>& piece) {
    run_elements(piece, DropLeftOut{}, left_out_.data());
    const double sum = visit(piece);
    run_elements(piece, DropLeftOut{}, left_out_.data());
    return sum;
  };
  return visit_whole_block(b, z, shown, out, into);
}

template <class S>
typename BlockOperator<S>::Share BlockOperator<S>::share_of(int rank) const {
  const Index group = std::max<Index>(1, rows() / block_size());
  const Index groups = (blocks() + group - 1) / group;
  return {group, groups * rank / ranks_->size(), groups * (rank + 1) / ranks_->size()};
}

template <class S>
Index BlockOperator<S>::first_row(int rank) const {
  const Share share = share_of(rank);
  return std::min(measurements(), share.first * share.group * block_size());
}

template <class S>
void BlockOperator<S>::exchange(void* entries, std::size_t size) const {
  std::vector<std::size_t> bytes;
  for (int k = 0; k < ranks_->size(); ++k) {
    bytes.push_back(static_cast<std::size_t>(first_row(k + 1) - first_row(k)) * size);
  }
  const auto* from = static_cast<const std::uint8_t*>(entries) +
                     static_cast<std::size_t>(first_row(ranks_->rank())) * size;
  const std::vector<std::uint8_t> mine(from,
                                       from + bytes[static_cast<std::size_t>(ranks_->rank())]);
  ranks_->gather(mine.data(), bytes, entries);
}

/// What the blocks add to out is added up in their order, in groups of as many blocks as it takes
/// to see all of z once: where a block sees a small part of a large z, sums of that size would cost
/// more than the products. With fewer groups than threads the threads are left to the products
/// themselves.
template <class S>
double BlockOperator<S>::visit(const S* z, const Visit& visit, S* out) const {
  const Index total = blocks(), n = rows();
  const auto [group, first_group, groups] = share_of(ranks_->rank());
  const Index first_block = std::min(total, first_group * group);
  const Index end_block = std::min(total, groups * group);
  const auto lent = terms_.lend(total);
  double* const terms = lent.get();
  const bool shared = worth_sharing(groups - first_group, measurements(), block_size());
  const bool apart = out != nullptr && (shared || group > 1);
  const Index together = shared ? std::min<Index>(groups - first_group, 2 * threads()) : 1;
  const auto parts = work_space_.lend(apart ? together * n : 0);
  if (out != nullptr && first_block == end_block) std::fill_n(out, n, S(0));
  for (Index begin = first_group; begin < groups; begin += together) {
    const Index count = std::min(together, groups - begin);
    parallel_for_if(shared, count, [&](Index j) {
      const Index k = begin + j;
      const bool later = apart && k > first_group;
      for (Index b = k * group; b < std::min(total, (k + 1) * group); ++b) {
        const bool first = b == first_block || (later && b == k * group);
        terms[b] = visit_measured_block(b, z, visit, later ? parts.get() + j * n : out,
                                        first ? Into::place : Into::sum);
      }
    });
    if (!apart) continue;
    for_each_chunk(n, sum_chunk, 2, [&](Index, Index row, Index length) {
      Eigen::Map<Vector<S>> sum(out + row, length);
      for (Index j = begin == first_group ? 1 : 0; j < count; ++j) {
        sum += Eigen::Map<const Vector<S>>(parts.get() + j * n + row, length);
      }
    });
  }
  const double sum = std::accumulate(terms + first_block, terms + end_block, 0.0);
  if (ranks_->is_alone()) return sum;
  const Index of_others = total - (end_block - first_block);  // which count as our own
  if (z != nullptr) forward_products_ += of_others;
  if (out != nullptr) adjoint_products_ += of_others;
  if (out != nullptr) ranks_->sum(out, n);
  return ranks_->sum(sum);
}

template <class S>
void BlockOperator<S>::forward(const Factor& u, Values& y) const {
  require_factor(u, rows());
  y.setZero(measurements());
  for (Index c = 0; c < u.cols(); ++c) {
    visit(u.col(c).data(), elements(element::AddIntensity{}, y), nullptr);
  }
  complete(y);
}

template <class S>
void BlockOperator<S>::forward(const Factor& u, const Factor& d, Values& y) const {
  require_factors(u, d, rows());
  y.setZero(measurements());
  const auto lent = work_space_.lend(block_size());
  const Share share = share_of(ranks_->rank());
  const Index begin = std::min(blocks(), share.first * share.group);
  const Index end = std::min(blocks(), share.end * share.group);
  for (Index c = 0; c < u.cols(); ++c) {
    for (Index b = begin; b < end; ++b) {
      const Index first = b * block_size();
      const auto in_block = [&](const auto& f, auto*... data) {
        return [=](Piece<S> piece) {
          piece.begin -= first;
          return run_elements(piece, f, data...);
        };
      };
      visit_measured_block(b, u.col(c).data(), in_block(element::Store{}, lent.get()), nullptr,
                           Into::place);
      visit_measured_block(b, d.col(c).data(),
                           in_block(element::AddCrossIntensity{}, lent.get(), y.data() + first),
                           nullptr, Into::place);
    }
    forward_products_ += 2 * (blocks() - (end - begin));  // those of other ranks
  }
  complete(y);
}

template <class S>
void BlockOperator<S>::adjoint_times(const Values& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, rows());
  g.resize(v.rows(), v.cols());
  for (Index c = 0; c < v.cols(); ++c) {
    visit(v.col(c).data(), elements(element::Weigh{}, w), g.col(c).data());
  }
}

template <class S>
double BlockOperator<S>::project_block(Index b, const Values& amplitude, Factor& z) const {
  require_fit(z, amplitude);
  return visit_measured_block(b, z.data(), elements(element::AmplitudeStep{}, amplitude), z.data(),
                              Into::pseudo_inverse);
}

template class BlockOperator<std::complex<float>>;
template class BlockOperator<std::complex<double>>;

}  // namespace projfgd
