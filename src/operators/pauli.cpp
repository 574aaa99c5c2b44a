#include "projfgd/operators/pauli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "operators/pauli_kernels.hpp"
#include "projfgd/core/chunks.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {

PauliGroups::PauliGroups(int qubits, const std::vector<PauliString>& strings) {
  if (qubits < 1 || qubits > max_qubits) {
    throw InputError(
        fmt::format("Pauli strings: found {} qubits, expected 1 to {}", qubits, max_qubits));
  }
  for (const PauliString& p : strings) {
    if ((p.x | p.z) >> qubits != 0) {
      throw InputError(fmt::format("Pauli string: found {}, expected one of {} qubits",
                                   pauli_label(p, max_qubits), qubits));
    }
  }
  const auto parity = [](const PauliString& p) { return std::popcount(p.x & p.z) & 1; };
  place.resize(strings.size());
  std::iota(place.begin(), place.end(), 0);
  std::stable_sort(place.begin(), place.end(), [&](std::uint32_t a, std::uint32_t b) {
    const PauliString &p = strings[a], &q = strings[b];
    return std::tuple(p.x, parity(p), p.z) < std::tuple(q.x, parity(q), q.z);
  });
  z.reserve(strings.size());
  for (const std::uint32_t i : place) {
    const PauliString& p = strings[i];
    if (groups.empty() || groups.back().x != p.x) {
      const auto here = static_cast<std::uint32_t>(z.size());
      groups.push_back({p.x, here, here});
    }
    const int power = std::popcount(p.x & p.z) & 3;  // of i; (Re or Im) w enters with + - - +
    z.push_back(p.z | (power == 1 || power == 2 ? negative : 0));
    groups.back().end = static_cast<std::uint32_t>(z.size());
    if (!parity(p)) groups.back().odd = groups.back().end;
  }
}

namespace {

/// Below this many multiply-adds threads cost more than they bring.
constexpr double work_worth_threads = 1e6;
/// Strings summed together while a pair of blocks stays in the nearest cache.
constexpr std::uint32_t batch_strings = 256;

template <class T>
std::size_t block_count(Index rows) {
  return std::max<std::size_t>(1, rows / pauli::block_rows<T>());
}

/// Blocks transformed together; at least four chunks, so that several threads have work.
std::size_t chunk_size(std::size_t blocks) { return std::clamp<std::size_t>(blocks / 4, 1, 4); }

/// The columns of several factors of one shape side by side, real and imaginary parts apart, padded
/// with zero rows to a whole block.
template <class T>
class SplitFactor {
 public:
  using Factor = Matrix<std::complex<T>>;

  SplitFactor(std::initializer_list<const Factor*> parts, BufferPool<T>& work_space)
      : rows_((*parts.begin())->rows()),
        columns_((*parts.begin())->cols() * static_cast<Index>(parts.size())),
        data_(work_space, size()) {
    const Index width = pauli::block_rows<T>();
    if (rows_ < width) std::fill_n(data_.get(), size(), T(0));
    const auto blocks = static_cast<Index>(block_count<T>(rows_));
    const Index blocks_per_chunk = std::max<Index>(1, sum_chunk / (width * columns_));
    for_each_chunk(blocks, blocks_per_chunk, 2, [&](Index, Index first, Index count) {
      for (Index block = first; block < first + count; ++block) {
        T* real = data_.get() + 2 * block * width * columns_;
        for (const Factor* part : parts) {
          for (Index c = 0; c < part->cols(); ++c, real += 2 * width) {
            const std::complex<T>* from = part->data() + c * rows_ + block * width;
            for (Index j = 0; j < std::min(width, rows_); ++j) {
              real[j] = from[j].real();
              real[j + width] = from[j].imag();
            }
          }
        }
      }
    });
  }
  pauli::Planes<T> view() const { return {data_.get(), static_cast<std::size_t>(columns_)}; }

 private:
  Index size() const {
    return static_cast<Index>(block_count<T>(rows_) * pauli::block_rows<T>()) * columns_ * 2;
  }

  Index rows_, columns_;
  typename BufferPool<T>::Lent data_;
};

/// One block of planes back into a factor.
template <class T>
void join(const T* planes, Index begin, Matrix<std::complex<T>>& g) {
  const Index width = pauli::block_rows<T>();
  for (Index c = 0; c < g.cols(); ++c) {
    const T* real = planes + 2 * c * width;
    for (Index j = 0; j < std::min(width, g.rows()); ++j) {
      g(begin + j, c) = {real[j], real[j + width]};
    }
  }
}

/// First groups of runs that agree in the block bits of x and hold batch_strings or few more.
std::vector<std::size_t> batches(const PauliGroups& strings, std::size_t width) {
  std::vector<std::size_t> first = {0};
  for (std::size_t g = 1; g < strings.groups.size(); ++g) {
    const std::size_t start = first.back();
    const auto cut = [&](std::size_t span) {
      return strings.groups[g].x / span != strings.groups[g - 1].x / span;
    };
    const bool full = strings.begin(g) - strings.begin(start) >= batch_strings;
    if (cut(width) || (full && cut(pauli::largest_team))) {
      first.push_back(g);
    }
  }
  if (!strings.groups.empty()) first.push_back(strings.groups.size());
  return first;
}

template <class T>
void forward_all(const PauliGroups& strings, const std::vector<std::size_t>& first, Index rows,
                 const pauli::Planes<T>& left, const pauli::Planes<T>& right, T scale, Vector<T>& y,
                 BufferPool<T>& work_space) {
  y.resize(strings.z.size());
  const std::size_t blocks = block_count<T>(rows), count = first.size() - 1;
  const double work = double(rows) * (strings.z.size() + 4. * left.columns * strings.groups.size());
  parallel_for_if(work > work_worth_threads, static_cast<Index>(count), [&](Index b) {
    pauli::forward_batch(strings, first[b], first[b + 1], blocks, chunk_size(blocks), left, right,
                         scale, y.data(), work_space);
  });
}

}  // namespace

template <class S>
PauliOperator<S>::PauliOperator(int qubits, const std::vector<PauliString>& strings, Real scale)
    : qubits_(qubits),
      groups_(qubits, strings),
      batches_(batches(groups_, pauli::block_rows<Real>())),
      scale_(scale) {}

template <class S>
void PauliOperator<S>::forward(const Factor& u, Vector<Real>& y) const {
  require_factor(u, rows());
  const SplitFactor<Real> split({&u}, work_space_);
  forward_all(groups_, batches_, rows(), split.view(), split.view(), scale_, y, work_space_);
}

template <class S>
void PauliOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, rows());
  // Re tr(P U D^H) is half of tr(P [U D] [D U]^H), whose w is Hermitian again.
  const SplitFactor<Real> left({&u, &d}, work_space_), right({&d, &u}, work_space_);
  forward_all(groups_, batches_, rows(), left.view(), right.view(), scale_ / 2, y, work_space_);
}

template <class S>
void PauliOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, rows());
  const SplitFactor<Real> split({&v}, work_space_);
  const Index strings = measurements();
  const auto weights = work_space_.lend(strings);
  Real* const c = weights.get();  // in the order of the groups
  for_each_chunk(strings, sum_chunk, 2, [&](Index, Index begin, Index length) {
    for (Index s = begin; s < begin + length; ++s) c[s] = scale_ * w[groups_.place[s]];
  });
  g.resize(rows(), v.cols());
  const std::size_t width = pauli::block_rows<Real>(), blocks = block_count<Real>(rows());
  const double work = double(rows()) * (strings + 8. * v.cols() * groups_.groups.size());
  const std::size_t chunk = chunk_size(blocks), size = 2 * width * v.cols();
  const auto chunks = static_cast<Index>((blocks + chunk - 1) / chunk);
  parallel_for_if(work > work_worth_threads, chunks, [&](Index k) {
    const std::size_t begin = static_cast<std::size_t>(k) * chunk;
    const auto out = work_space_.lend(size * chunk);
    pauli::adjoint_chunk(groups_, c, split.view(), begin, chunk, out.get(), work_space_);
    for (std::size_t b = 0; b < chunk; ++b) {
      join(out.get() + b * size, static_cast<Index>((begin + b) * width), g);
    }
  });
}

template class PauliOperator<std::complex<float>>;
template class PauliOperator<std::complex<double>>;

}  // namespace projfgd
