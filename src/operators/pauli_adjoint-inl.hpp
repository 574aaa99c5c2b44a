// out[j] += e_x(j) V[j^x]. Compiled once for each instruction set.
#if defined(PROJFGD_PAULI_ADJOINT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PROJFGD_PAULI_ADJOINT_INL
#undef PROJFGD_PAULI_ADJOINT_INL
#else
#define PROJFGD_PAULI_ADJOINT_INL
#endif

#include "operators/pauli_shape-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace projfgd::pauli::HWY_NAMESPACE {

template <class T>
class AdjointChunk {
  using Sh = Shape<T>;
  using Block = typename Sh::Block;

 public:
  AdjointChunk(const PauliGroups& strings, const T* c, const Planes<T>& v, std::size_t begin,
               std::size_t chunk, T* out, BufferPool<T>& work_space)
      : strings_(strings),
        c_(c),
        v_(v),
        begin_(begin),
        chunk_(chunk),
        out_(out),
        e_(work_space, Sh::team * 2 * chunk * Sh::rows) {}

  void run() const {
    const auto& groups = strings_.groups;
    std::fill_n(out_, chunk_ * 2 * Sh::rows * v_.columns, T(0));
    if (v_.columns == 1 && has_few_strings(strings_, 0, groups.size())) {
      one_column();
      return;
    }
    for (std::size_t first = 0, last = 0; first < groups.size(); first = last) {
      const std::size_t high = Sh::block_of(groups[first].x);
      while (last < groups.size() && Sh::block_of(groups[last].x) == high) ++last;
      const GroupTable<T> table(strings_, first, last);
      for (std::size_t low = 0; low < Sh::rows; low += Sh::team) teams(table, low, high);
    }
  }

 private:
  /// e = sum_s +-c_s (-1)^{z_s.j} over the rows j of a block, strings [begin, end).
  HWY_INLINE void expand(std::uint32_t begin, std::uint32_t end, std::size_t block,
                         Block& e) const {
    const typename Sh::D d;
    for (auto& v : e) v = hn::Zero(d);
    for (std::uint32_t s = begin; s < end; ++s) {
      const T* sign = kSigns<T>.at[Sh::vector_of(strings_.z[s])];
      const auto lanes = term(s, block);
      for (std::size_t k = 0; k < kVectors; ++k) {
        e[k] = hn::MulAdd(lanes, hn::Set(d, sign[k]), e[k]);
      }
    }
  }

  /// The same over the chunk, directly or by a transform.
  void expand_chunk(std::uint32_t begin, std::uint32_t end, T* e) const {
    const typename Sh::D d;
    if (end - begin < kManyStrings) {
      for (std::size_t b = 0; b < chunk_; ++b) {
        Block block;
        expand(begin, end, begin_ + b, block);
        Sh::store(block, e + b * Sh::rows);
      }
    } else {
      std::fill_n(e, chunk_ * Sh::rows, T(0));
      for (std::uint32_t s = begin; s < end; ++s) {
        T* sum = e + Sh::slot(strings_.z[s], chunk_);
        hn::Store(hn::Add(hn::Load(d, sum), term(s, begin_)), d, sum);
      }
      Sh::hadamard(e, chunk_);
    }
  }

  /// +-c_s with the signs of the block and of the lanes.
  HWY_INLINE typename Sh::V term(std::uint32_t s, std::size_t block) const {
    const std::uint32_t z = strings_.z[s];
    const auto lane_sign = hn::Load(typename Sh::D(), kSigns<T>.at[Sh::lane_of(z)]);
    return hn::Mul(hn::Set(typename Sh::D(), c_[s] * Sh::block_sign(z, block)), lane_sign);
  }

  /// So many groups at a time, whose strings all blocks of the chunk find in the nearest cache.
  void one_column() const {
    constexpr std::size_t groups_at_once = 512;
    const std::size_t count = strings_.groups.size();
    for (std::size_t first = 0; first < count; first += groups_at_once) {
      const std::size_t last = std::min(first + groups_at_once, count);
      for (std::size_t b = 0; b < chunk_; ++b) one_column(b, first, last);
    }
  }

  /// The sum over these groups stays in registers.
  void one_column(std::size_t b_in_chunk, std::size_t first, std::size_t last) const {
    const typename Sh::D d;
    const std::size_t block = begin_ + b_in_chunk;
    T* const out = out_ + 2 * b_in_chunk * Sh::rows;
    Block re, im, e;
    for (std::size_t k = 0; k < kVectors; ++k) {
      re[k] = hn::Load(d, out + k * Sh::lanes);
      im[k] = hn::Load(d, out + Sh::rows + k * Sh::lanes);
    }
    for (std::size_t g = first; g < last; ++g) {
      const auto& group = strings_.groups[g];
      const std::uint32_t begin = strings_.begin(g);
      const auto lanes = Sh::lane_xor(Sh::lane_of(group.x));
      const std::size_t flip = Sh::vector_of(group.x) * Sh::lanes;
      const T* b = Sh::block(v_, block ^ Sh::block_of(group.x));
      if (group.odd > begin) {
        expand(begin, group.odd, block, e);
        for (std::size_t k = 0; k < kVectors; ++k) {
          const T* partner = b + (k * Sh::lanes ^ flip);
          const auto br = hn::TableLookupLanes(hn::Load(d, partner), lanes);
          const auto bi = hn::TableLookupLanes(hn::Load(d, partner + Sh::rows), lanes);
          re[k] = hn::MulAdd(e[k], br, re[k]);
          im[k] = hn::MulAdd(e[k], bi, im[k]);
        }
      }
      if (group.end > group.odd) {
        expand(group.odd, group.end, block, e);
        for (std::size_t k = 0; k < kVectors; ++k) {
          const T* partner = b + (k * Sh::lanes ^ flip);
          const auto br = hn::TableLookupLanes(hn::Load(d, partner), lanes);
          const auto bi = hn::TableLookupLanes(hn::Load(d, partner + Sh::rows), lanes);
          re[k] = hn::NegMulAdd(e[k], bi, re[k]);
          im[k] = hn::MulAdd(e[k], br, im[k]);
        }
      }
    }
    Sh::store(re, out);
    Sh::store(im, out + Sh::rows);
  }

  /// The groups low, ..., low + team - 1, together when most of them are there.
  void teams(const GroupTable<T>& table, std::size_t low, std::size_t high) const {
    const bool together = table.team_worth(low);
    const std::size_t size = chunk_ * Sh::rows;
    for (std::size_t l = 0; l < Sh::team; ++l) {
      const std::uint32_t g = table[low + l];
      T* e = e_.get() + l * 2 * size;
      if (g != table.kNone) {
        expand_chunk(strings_.begin(g), strings_.groups[g].odd, e);
        expand_chunk(strings_.groups[g].odd, strings_.groups[g].end, e + size);
        for (std::size_t b = 0; !together && b < chunk_; ++b) {
          add_products<1>(e, low + l, high, b);
        }
      } else if (together) {
        std::fill_n(e, 2 * size, T(0));
      }
    }
    for (std::size_t b = 0; together && b < chunk_; ++b) {
      add_products<Sh::team>(e_.get(), low, high, b);
    }
  }

  /// One load of V and of the output serves kTeam groups: only lanes differ between them.
  template <std::size_t kTeam>
  void add_products(const T* e, std::size_t low, std::size_t high, std::size_t b_in_chunk) const {
    const typename Sh::D d;
    const std::size_t flip = Sh::vector_of(low) * Sh::lanes, lane = Sh::lane_of(low);
    e += b_in_chunk * Sh::rows;
    for (std::size_t k = 0; k < kVectors; ++k, e += Sh::lanes) {
      const T* b = Sh::block(v_, (begin_ + b_in_chunk) ^ high) + (k * Sh::lanes ^ flip);
      T* out = out_ + 2 * b_in_chunk * Sh::rows * v_.columns + k * Sh::lanes;
      std::array<typename Sh::V, kTeam> real, imag;
      for (std::size_t l = 0; l < kTeam; ++l) {
        real[l] = hn::Load(d, e + 2 * l * chunk_ * Sh::rows);
        imag[l] = hn::Load(d, e + (2 * l + 1) * chunk_ * Sh::rows);
      }
      for (std::size_t c = 0; c < v_.columns; ++c, b += 2 * Sh::rows, out += 2 * Sh::rows) {
        const auto whole_r = hn::Load(d, b), whole_i = hn::Load(d, b + Sh::rows);
        auto re = hn::Load(d, out), im = hn::Load(d, out + Sh::rows);
        auto minus_re = hn::Zero(d), more_im = hn::Zero(d);  // four chains, to hide latency
        for (std::size_t l = 0; l < kTeam; ++l) {
          const auto lanes = Sh::lane_xor(lane + l);
          const auto br = hn::TableLookupLanes(whole_r, lanes);
          const auto bi = hn::TableLookupLanes(whole_i, lanes);
          re = hn::MulAdd(real[l], br, re);
          im = hn::MulAdd(real[l], bi, im);
          minus_re = hn::MulAdd(imag[l], bi, minus_re);
          more_im = hn::MulAdd(imag[l], br, more_im);
        }
        hn::Store(hn::Sub(re, minus_re), d, out);
        hn::Store(hn::Add(im, more_im), d, out + Sh::rows);
      }
    }
  }

  const PauliGroups& strings_;
  const T* c_;
  Planes<T> v_;
  std::size_t begin_, chunk_;
  T* out_;
  typename BufferPool<T>::Lent e_;
};

}  // namespace projfgd::pauli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
