#include "projfgd/operators/fourier.hpp"

#include <fftw3.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <mutex>
#include <numbers>
#include <vector>

#include "projfgd/core/error.hpp"

namespace projfgd {
namespace {

/// FFTW's functions by precision.
template <class R>
struct Fftw;
#define PROJFGD_FFTW(R, prefix)                               \
  template <>                                                 \
  struct Fftw<R> {                                            \
    using Complex = prefix##_complex;                         \
    using Plan = prefix##_plan;                               \
    static constexpr auto allocate = prefix##_malloc;         \
    static constexpr auto release = prefix##_free;            \
    static constexpr auto plan_many = prefix##_plan_many_dft; \
    static constexpr auto execute = prefix##_execute_dft;     \
    static constexpr auto destroy = prefix##_destroy_plan;    \
  };
PROJFGD_FFTW(double, fftw)
PROJFGD_FFTW(float, fftwf)
#undef PROJFGD_FFTW

/// Two cache lines: what is read and written together when columns are gathered.
template <class R>
constexpr Index bundle = 128 / sizeof(std::complex<R>);

enum class Direction { forward = FFTW_FORWARD, backward = FFTW_BACKWARD };

/// Aligned work space of one thread, kept between calls.
template <class R>
class WorkSpace {
 public:
  using Complex = std::complex<R>;
  WorkSpace() = default;
  WorkSpace(const WorkSpace&) = delete;
  WorkSpace& operator=(const WorkSpace&) = delete;
  ~WorkSpace() { Fftw<R>::release(data_); }

  Complex* at_least(Index size) {
    if (size > size_) {
      Fftw<R>::release(data_);
      size_ = 0;
      data_ = static_cast<Complex*>(Fftw<R>::allocate(size * sizeof(Complex)));
      if (data_ == nullptr) throw ResourceError("no memory left for a Fourier transform");
      size_ = size;
    }
    return data_;
  }

 private:
  Complex* data_ = nullptr;
  Index size_ = 0;
};

template <class R>
std::complex<R>* work_space(Index size) {
  static thread_local WorkSpace<R> space;
  return space.at_least(size);
}

/// FFTW's planner may be used by one thread at a time.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

/// One FFTW plan: `count` transforms of length n, in place.
template <class R>
class Plan {
 public:
  Plan(Index n, Index count, Index stride, Index distance, Direction direction) {
    const std::lock_guard lock(planner());
    WorkSpace<R> space;
    auto* data = reinterpret_cast<typename Fftw<R>::Complex*>(space.at_least(n * count));
    const int length = static_cast<int>(n);
    plan_ = Fftw<R>::plan_many(1, &length, static_cast<int>(count), data, nullptr,
                               static_cast<int>(stride), static_cast<int>(distance), data, nullptr,
                               static_cast<int>(stride), static_cast<int>(distance),
                               static_cast<int>(direction), FFTW_ESTIMATE);
    if (plan_ == nullptr) throw ResourceError(fmt::format("no Fourier transform of length {}", n));
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    const std::lock_guard lock(planner());
    Fftw<R>::destroy(plan_);
  }

  void operator()(std::complex<R>* data) const {
    auto* raw = reinterpret_cast<typename Fftw<R>::Complex*>(data);
    Fftw<R>::execute(plan_, raw, raw);
  }

 private:
  typename Fftw<R>::Plan plan_;
};

bool is_smooth(Index n) {
  for (const Index p : {2, 3, 5, 7, 11, 13}) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

bool is_prime(Index n) {
  if (n < 2) return false;
  for (Index d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return true;
}

/// Whether Rader's convolution of length n - 1 is the better way.
bool suits_convolution(Index n) { return n > 16 && n < 100000 && is_prime(n) && is_smooth(n - 1); }

Index power_mod(Index base, Index exponent, Index p) {
  Index result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base % p;
    base = base * base % p;
  }
  return result;
}

/// The smallest g whose powers are all of 1, ..., p - 1.
Index primitive_root(Index p) {
  std::vector<Index> factors;
  Index rest = p - 1;
  for (Index d = 2; d <= rest; ++d) {
    if (rest % d == 0) factors.push_back(d);
    while (rest % d == 0) rest /= d;
  }
  for (Index g = 2;; ++g) {
    if (std::none_of(factors.begin(), factors.end(),
                     [&](Index f) { return power_mod(g, (p - 1) / f, p) == 1; })) {
      return g;
    }
  }
}

/// A bundle of lines of length n, element k of line c at data[k * bundle + c], in place.
template <class R>
class BundleTransform {
 public:
  using Complex = std::complex<R>;
  BundleTransform(Index n, Direction direction) : plan_(n, bundle<R>, bundle<R>, 1, direction) {}
  void operator()(Complex* data) const { plan_(data); }

 private:
  Plan<R> plan_;
};

/// The same by Rader's convolution for prime n. With g a primitive root,
///   X(g^-q) = x(0) + sum_k x(g^k) w(q - k),   w(q) = exp(-+2 pi i g^-q / n),
/// two transforms of length n - 1. Gathering and scattering are left to the caller's copies.
template <class R>
class ConvolutionTransform {
 public:
  using Complex = std::complex<R>;

  ConvolutionTransform(Index n, Direction direction)
      : n_(n),
        there_(n - 1, bundle<R>, bundle<R>, 1, Direction::forward),
        back_(n - 1, bundle<R>, bundle<R>, 1, Direction::backward),
        input_(n - 1),
        output_(n - 1),
        kernel_(n - 1) {
    const Index g = primitive_root(n), inverse = power_mod(g, n - 2, n);
    const double sign = direction == Direction::forward ? -1 : 1;
    Plan<double> plan(n - 1, 1, 1, 1, Direction::forward);
    WorkSpace<double> space;
    std::complex<double>* kernel = space.at_least(n - 1);
    Index power = 1, inverse_power = 1;
    for (Index q = 0; q < n - 1; ++q) {
      input_[q] = power;
      output_[q] = inverse_power;
      kernel[q] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(inverse_power) /
                                      static_cast<double>(n));
      power = power * g % n;
      inverse_power = inverse_power * inverse % n;
    }
    plan(kernel);
    for (Index q = 0; q < n - 1; ++q) {
      kernel_[q] = static_cast<Complex>(kernel[q] / static_cast<double>(n - 1));
    }
  }

  /// data holds x(0) and then x(g^k) in the order of input(); leaves X(0), X(g^-q) in that of
  /// output().
  void operator()(Complex* data) const {
    Complex* body = data + bundle<R>;
    there_(body);
    std::array<Complex, bundle<R>> first;
    for (Index c = 0; c < bundle<R>; ++c) {
      first[c] = data[c];
      data[c] += body[c];
    }
    for (Index q = 0; q < n_ - 1; ++q) {
      const R re = kernel_[q].real(), im = kernel_[q].imag();
      R* line = reinterpret_cast<R*>(body + q * bundle<R>);
      for (Index c = 0; c < bundle<R>; ++c) {
        const R a = line[2 * c], b = line[2 * c + 1];
        line[2 * c] = a * re - b * im;
        line[2 * c + 1] = a * im + b * re;
      }
    }
    for (Index c = 0; c < bundle<R>; ++c) body[c] += first[c];
    back_(body);
  }

  const std::vector<Index>& input() const { return input_; }
  const std::vector<Index>& output() const { return output_; }

 private:
  Index n_;
  Plan<R> there_, back_;
  std::vector<Index> input_, output_;
  std::vector<Complex> kernel_;
};

enum class Lines { rows, columns };

/// All transforms of one length in one direction: of single rows, or of columns in bundles, and by
/// convolution always of bundles.
template <class R>
class LineTransform {
 public:
  using Complex = std::complex<R>;

  LineTransform(Index n, Direction direction, Lines lines) : n_(n) {
    if (suits_convolution(n)) {
      convolution_ = std::make_unique<ConvolutionTransform<R>>(n, direction);
    } else if (lines == Lines::rows) {
      single_ = std::make_unique<Plan<R>>(n, 1, 1, n, direction);
    } else {
      bundled_ = std::make_unique<BundleTransform<R>>(n, direction);
    }
  }

  Index length() const { return n_; }
  /// Whether lines are transformed one by one.
  bool has_single() const { return single_ != nullptr; }
  void single(Complex* line) const { (*single_)(line); }

  /// Transforms a bundle in work: load(k, place) fetches element k of the lines, store(k, place)
  /// takes it back.
  template <class Load, class Store>
  void bundled(Complex* work, const Load& load, const Store& store) const {
    if (convolution_) {
      load(0, work);
      for (Index k = 1; k < n_; ++k) load(convolution_->input()[k - 1], work + k * bundle<R>);
      (*convolution_)(work);
      store(0, work);
      for (Index k = 1; k < n_; ++k) store(convolution_->output()[k - 1], work + k * bundle<R>);
    } else {
      for (Index k = 0; k < n_; ++k) load(k, work + k * bundle<R>);
      (*bundled_)(work);
      for (Index k = 0; k < n_; ++k) store(k, work + k * bundle<R>);
    }
  }

 private:
  Index n_;
  std::unique_ptr<BundleTransform<R>> bundled_;
  std::unique_ptr<Plan<R>> single_;
  std::unique_ptr<ConvolutionTransform<R>> convolution_;
};

/// Calls body(begin, end) for every group of `step` lines, in parallel unless already inside a
/// parallel region, or where waking threads costs more than there is to do.
template <class Body>
void for_each_group(Index lines, Index length, Index step, const Body& body) {
  constexpr Index fewest = 1 << 15;
  const Index groups = (lines + step - 1) / step;
#pragma omp parallel for schedule(static) if (lines * length >= fewest && !omp_in_parallel())
  for (Index k = 0; k < groups; ++k) body(k * step, std::min(lines, (k + 1) * step));
}

template <class R>
void transform_columns(const LineTransform<R>& line, Index width, std::complex<R>* v) {
  if (line.length() == 1) return;
  for_each_group(width, line.length(), bundle<R>, [&](Index begin, Index end) {
    std::complex<R>* work = work_space<R>(line.length() * bundle<R>);
    const Index count = end - begin;
    if (count < bundle<R>) std::fill_n(work, line.length() * bundle<R>, std::complex<R>());
    line.bundled(
        work,
        [&](Index k, std::complex<R>* place) { std::copy_n(v + k * width + begin, count, place); },
        [&](Index k, const std::complex<R>* place) {
          std::copy_n(place, count, v + k * width + begin);
        });
  });
}

/// Rows i with input(i, row) and output(i, row).
template <class R, class Input, class Output>
void transform_rows(const LineTransform<R>& line, Index height, const Input& input,
                    const Output& output) {
  const Index n = line.length();
  for_each_group(height, n, bundle<R>, [&](Index begin, Index end) {
    if (line.has_single()) {
      std::complex<R>* row = work_space<R>(n);
      for (Index i = begin; i < end; ++i) {
        input(i, row);
        line.single(row);
        output(i, row);
      }
      return;
    }
    std::complex<R>* rows = work_space<R>(2 * n * bundle<R>);
    std::complex<R>* work = rows + n * bundle<R>;
    if (end - begin < bundle<R>) std::fill_n(rows, n * bundle<R>, std::complex<R>());
    for (Index i = begin; i < end; ++i) input(i, rows + (i - begin) * n);
    line.bundled(
        work,
        [&](Index k, std::complex<R>* place) {
          for (Index c = 0; c < bundle<R>; ++c) place[c] = rows[c * n + k];
        },
        [&](Index k, const std::complex<R>* place) {
          for (Index c = 0; c < bundle<R>; ++c) rows[c * n + k] = place[c];
        });
    for (Index i = begin; i < end; ++i) output(i, rows + (i - begin) * n);
  });
}

}  // namespace

template <class R>
struct FourierTransform<R>::Plans {
  Plans(Index height, Index width)
      : columns{LineTransform<R>(height, Direction::forward, Lines::columns),
                LineTransform<R>(height, Direction::backward, Lines::columns)},
        rows{LineTransform<R>(width, Direction::forward, Lines::rows),
             LineTransform<R>(width, Direction::backward, Lines::rows)} {}
  LineTransform<R> columns[2], rows[2];
};

template <class R>
FourierTransform<R>::FourierTransform(Index height, Index width) {
  constexpr Index longest = Index{1} << 28;
  if (height < 1 || width < 1 || height > longest || width > longest) {
    throw InputError(fmt::format("a Fourier transform of {} x {}: expected lengths from 1 to {}",
                                 height, width, longest));
  }
  plans_ = std::make_shared<Plans>(height, width);
}

template <class R>
Index FourierTransform<R>::height() const {
  return plans_->columns[0].length();
}

template <class R>
Index FourierTransform<R>::width() const {
  return plans_->rows[0].length();
}

template <class R>
void FourierTransform<R>::forward(const RowSource& source, Complex* v) const {
  const Index n = width();
  transform_rows(plans_->rows[0], height(), source,
                 [&](Index i, const Complex* row) { std::copy_n(row, n, v + i * n); });
  transform_columns(plans_->columns[0], n, v);
}

template <class R>
void FourierTransform<R>::backward(Complex* v, const RowSink& sink) const {
  const Index n = width();
  transform_columns(plans_->columns[1], n, v);
  transform_rows(
      plans_->rows[1], height(), [&](Index i, Complex* row) { std::copy_n(v + i * n, n, row); },
      sink);
}

template class FourierTransform<float>;
template class FourierTransform<double>;

}  // namespace projfgd
