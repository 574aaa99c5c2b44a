// y(x,z) = +- sum_j (-1)^{z.j} (Re or Im) w_x(j). Compiled once for each instruction set.
#if defined(PROJFGD_PAULI_FORWARD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PROJFGD_PAULI_FORWARD_INL
#undef PROJFGD_PAULI_FORWARD_INL
#else
#define PROJFGD_PAULI_FORWARD_INL
#endif

#include "operators/pauli_shape-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace projfgd::pauli::HWY_NAMESPACE {

/// sum_k (-1)^{z.k} w[k] over the vectors of a block, lane by lane.
template <class T>
HWY_INLINE typename Shape<T>::V signed_sum(const typename Shape<T>::Block& w, std::uint32_t z) {
  const typename Shape<T>::D d;
  const T* sign = kSigns<T>.at[Shape<T>::vector_of(z)];
  auto even = w[0], odd = hn::Mul(w[1], hn::Set(d, sign[1]));
  for (std::size_t k = 2; k < kVectors; k += 2) {
    even = hn::MulAdd(w[k], hn::Set(d, sign[k]), even);
    odd = hn::MulAdd(w[k + 1], hn::Set(d, sign[k + 1]), odd);
  }
  return hn::Add(even, odd);
}

/// totals[s] += +-(-1)^{z_s.j} w(j), lane by lane, for the strings [begin, end).
template <class T>
HWY_INLINE void add_few_sums(const PauliGroups& strings, std::uint32_t begin, std::uint32_t end,
                             const typename Shape<T>::Block& w, std::size_t block, T* totals) {
  const typename Shape<T>::D d;
  const std::uint32_t* z = strings.z.data();
  for (std::uint32_t s = begin; s < end; ++s, totals += Shape<T>::lanes) {
    const auto sign = hn::Set(d, Shape<T>::block_sign(z[s], block));
    hn::Store(hn::MulAdd(signed_sum<T>(w, z[s]), sign, hn::Load(d, totals)), d, totals);
  }
}

template <class T>
class ForwardBatch {
  using Sh = Shape<T>;
  using Block = typename Sh::Block;

 public:
  ForwardBatch(const PauliGroups& strings, std::size_t first, std::size_t last, std::size_t chunk,
               const Planes<T>& left, const Planes<T>& right, BufferPool<T>& work_space)
      : strings_(strings),
        first_(first),
        last_(last),
        begin_(strings.begin(first)),
        end_(strings.groups[last - 1].end),
        left_(left),
        right_(right),
        chunk_(chunk),
        totals_(work_space, (end_ - begin_) * Sh::lanes),
        w_(work_space, Sh::team * 2 * chunk * Sh::rows) {
    std::fill_n(totals_.get(), (end_ - begin_) * Sh::lanes, T(0));
  }

  void run(std::size_t blocks, T scale, T* y) {
    std::size_t chunk = chunk_;
    // w(j ^ x) = conj w(j): of two chunks that x exchanges, the one with this bit clear suffices.
    const std::size_t x = Sh::block_of(strings_.groups[first_].x);
    const bool direct = left_.columns == 1 && has_few_strings(strings_, first_, last_);
    if (direct && x > 0) chunk = std::min(chunk, std::bit_floor(x));
    const std::size_t pivot = std::bit_floor(x / chunk) * chunk;
    halve_inside_ = pivot == 0;
    const GroupTable<T> table(strings_, first_, last_);
    for (std::size_t begin = 0; begin < blocks; begin += chunk) {
      if (begin & pivot) continue;
      if (direct) {
        for (std::size_t g = first_; g < last_; ++g) few_sums(g, begin, chunk);
      } else {
        for (std::size_t low = 0; low < Sh::rows; low += Sh::team) teams(table, low, begin, chunk);
      }
    }
    const typename Sh::D d;
    if (pivot != 0) scale *= 2;
    for (std::uint32_t s = begin_; s < end_; ++s) {
      const auto lane_sign = hn::Load(d, kSigns<T>.at[Sh::lane_of(strings_.z[s])]);
      const auto total = hn::Mul(hn::Load(d, totals(s)), lane_sign);
      y[strings_.place[s]] = scale * hn::GetLane(hn::SumOfLanes(d, total));
    }
  }

 private:
  T* totals(std::uint32_t s) const { return totals_.get() + (s - begin_) * Sh::lanes; }

  /// w and its signed sums without leaving the registers.
  void few_sums(std::size_t g, std::size_t begin, std::size_t chunk) const {
    const auto& group = strings_.groups[g];
    if (group.odd == group.end) {
      few_sums<true, false>(g, begin, chunk);
    } else if (group.odd == strings_.begin(g)) {
      few_sums<false, true>(g, begin, chunk);
    } else {
      few_sums<true, true>(g, begin, chunk);
    }
  }

  template <bool kReal, bool kImag>
  HWY_NOINLINE void few_sums(std::size_t g, std::size_t begin_block, std::size_t chunk) const {
    const auto group = strings_.groups[g];
    const std::uint32_t begin = strings_.begin(g);
    T *even = totals(begin), *odd = totals(group.odd);
    for (std::size_t block = begin_block; block < begin_block + chunk; ++block) {
      Block real, imag;
      products<kReal, kImag>(group.x, block, 1, real, imag);
      if constexpr (kReal) add_few_sums<T>(strings_, begin, group.odd, real, block, even);
      if constexpr (kImag) add_few_sums<T>(strings_, group.odd, group.end, imag, block, odd);
    }
  }

  template <bool kReal, bool kImag>
  HWY_INLINE void products(std::uint32_t x, std::size_t block, std::size_t columns, Block& real,
                           Block& imag) const {
    const typename Sh::D d;
    const auto lanes = Sh::lane_xor(Sh::lane_of(x));
    const std::size_t flip = Sh::vector_of(x) * Sh::lanes;
    const T* a = Sh::block(left_, block);
    const T* b = Sh::block(right_, block ^ Sh::block_of(x));
    for (std::size_t k = 0; k < kVectors; ++k) real[k] = imag[k] = hn::Zero(d);
    for (std::size_t c = 0; c < columns; ++c, a += 2 * Sh::rows, b += 2 * Sh::rows) {
      for (std::size_t k = 0; k < kVectors; ++k) {
        const T *at = a + k * Sh::lanes, *partner = b + (k * Sh::lanes ^ flip);
        const auto ar = hn::Load(d, at), ai = hn::Load(d, at + Sh::rows);
        const auto br = hn::TableLookupLanes(hn::Load(d, partner), lanes);
        const auto bi = hn::TableLookupLanes(hn::Load(d, partner + Sh::rows), lanes);
        if constexpr (kReal) real[k] = hn::MulAdd(ar, br, hn::MulAdd(ai, bi, real[k]));
        if constexpr (kImag) imag[k] = hn::MulAdd(ai, br, hn::NegMulAdd(ar, bi, imag[k]));
      }
    }
  }

  /// The groups low, ..., low + team - 1, together when most of them are there.
  void teams(const GroupTable<T>& table, std::size_t low, std::size_t begin,
             std::size_t chunk) const {
    const bool together = table.team_worth(low);
    for (std::size_t b = 0; together && b < chunk; ++b) team_products(low, begin + b, b, chunk);
    for (std::size_t l = 0; l < Sh::team; ++l) {
      const std::uint32_t g = table[low + l];
      if (g == table.kNone) continue;
      const auto& group = strings_.groups[g];
      T *real = w_.get() + l * 2 * chunk * Sh::rows, *imag = real + chunk * Sh::rows;
      for (std::size_t b = 0; !together && b < chunk; ++b) {
        Block re, im;
        products<true, true>(group.x, begin + b, left_.columns, re, im);
        Sh::store(re, real + b * Sh::rows);
        Sh::store(im, imag + b * Sh::rows);
      }
      add_sums(strings_.begin(g), group.odd, real, begin, chunk);
      add_sums(group.odd, group.end, imag, begin, chunk);
    }
  }

  /// totals[s] += +-(-1)^{z_s.j} w(j) over a chunk of blocks, directly or by a transform of w.
  void add_sums(std::uint32_t begin, std::uint32_t end, T* w, std::size_t block,
                std::size_t chunk) const {
    if (end - begin < kManyStrings) {
      for (std::size_t b = 0; b < chunk; ++b) {
        add_few_sums<T>(strings_, begin, end, Sh::load(w + b * Sh::rows), block + b, totals(begin));
      }
    } else {
      const typename Sh::D d;
      Sh::hadamard(w, chunk);
      for (std::uint32_t s = begin; s < end; ++s) {
        const std::uint32_t z = strings_.z[s];
        const auto sign = hn::Set(d, Sh::block_sign(z, block));
        const auto sum = hn::Load(d, w + Sh::slot(z, chunk));
        hn::Store(hn::MulAdd(sum, sign, hn::Load(d, totals(s))), d, totals(s));
      }
    }
  }

  /// One load of L and R serves the whole team: only lanes differ between its members.
  void team_products(std::size_t low, std::size_t block, std::size_t b_in_chunk,
                     std::size_t chunk) const {
    T* w = w_.get() + b_in_chunk * Sh::rows;
    const typename Sh::D d;
    const std::size_t flip = Sh::vector_of(low) * Sh::lanes, lane = Sh::lane_of(low);
    const std::size_t x = Sh::block_of(strings_.groups[first_].x);
    const std::size_t partner_block = block ^ x;
    // Where x exchanges no chunks it may exchange vectors of this one: half of them, doubled.
    const std::size_t pivot = halve_inside_ ? std::bit_floor(x * kVectors + Sh::vector_of(low)) : 0;
    for (std::size_t k = 0; k < kVectors; ++k) {
      if ((b_in_chunk * kVectors + k) & pivot) {
        for (std::size_t part = 0; part < 2 * Sh::team; ++part) {
          hn::Store(hn::Zero(d), d, w + part * chunk * Sh::rows + k * Sh::lanes);
        }
        continue;
      }
      const T* a = Sh::block(left_, block) + k * Sh::lanes;
      const T* b = Sh::block(right_, partner_block) + (k * Sh::lanes ^ flip);
      std::array<typename Sh::V, Sh::team> real, imag;
      for (std::size_t l = 0; l < Sh::team; ++l) real[l] = imag[l] = hn::Zero(d);
      for (std::size_t c = 0; c < left_.columns; ++c, a += 2 * Sh::rows, b += 2 * Sh::rows) {
        const auto ar = hn::Load(d, a), ai = hn::Load(d, a + Sh::rows);
        const auto whole_r = hn::Load(d, b), whole_i = hn::Load(d, b + Sh::rows);
        for (std::size_t l = 0; l < Sh::team; ++l) {
          const auto lanes = Sh::lane_xor(lane + l);
          const auto br = hn::TableLookupLanes(whole_r, lanes);
          const auto bi = hn::TableLookupLanes(whole_i, lanes);
          real[l] = hn::MulAdd(ar, br, hn::MulAdd(ai, bi, real[l]));
          imag[l] = hn::MulAdd(ai, br, hn::NegMulAdd(ar, bi, imag[l]));
        }
      }
      const auto twice = hn::Set(d, pivot != 0 ? T(2) : T(1));
      for (std::size_t l = 0; l < Sh::team; ++l) {
        hn::Store(hn::Mul(real[l], twice), d, w + 2 * l * chunk * Sh::rows + k * Sh::lanes);
        hn::Store(hn::Mul(imag[l], twice), d, w + (2 * l + 1) * chunk * Sh::rows + k * Sh::lanes);
      }
    }
  }

  const PauliGroups& strings_;
  std::size_t first_, last_;
  std::uint32_t begin_, end_;
  Planes<T> left_, right_;
  bool halve_inside_ = false;  ///< x exchanges no chunks, perhaps parts of each
  std::size_t chunk_;
  typename BufferPool<T>::Lent totals_, w_;
};

}  // namespace projfgd::pauli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
