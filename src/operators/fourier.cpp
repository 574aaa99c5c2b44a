#include "projfgd/operators/fourier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "operators/fourier_lines.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"

/// FFTW ends the process by these functions of its own where it finds no memory. Ours are found
/// before them, by the linker in the place of an archive's and by the loader in the place of a
/// shared library's.
extern "C" {
[[noreturn, gnu::visibility("default")]] void fftw_assertion_failed(const char*, int, const char*) {
  projfgd::fourier::fail_without_memory();
}
[[noreturn, gnu::visibility("default")]] void fftwf_assertion_failed(const char*, int,
                                                                     const char*) {
  projfgd::fourier::fail_without_memory();
}
}

namespace projfgd {
namespace {

using namespace fourier;

/// Calls body(begin, end) for every group of `step` lines, in parallel unless waking threads costs
/// more than there is to do.
template <class Body>
void for_each_group(Index lines, Index length, Index step, const Body& body) {
  constexpr Index fewest = 1 << 15;
  const Index groups = (lines + step - 1) / step;
  parallel_for_if(lines * length >= fewest, groups,
                  [&](Index k) { body(k * step, std::min(lines, (k + 1) * step)); });
}

/// The rows of an array in place, one by one or, by convolution, in bundles.
template <class R>
class RowTransform {
 public:
  using Complex = std::complex<R>;

  RowTransform(Index n, Direction direction) : n_(n) {
    if (suits_convolution(n)) {
      convolution_ = std::make_unique<ConvolutionTransform<R>>(n, direction);
    } else {
      single_ = std::make_unique<Plan<R>>(n, 1, Layout{1, n}, direction);
    }
  }

  /// `count` rows, at most a bundle, `stride` apart.
  void operator()(Complex* rows, Index count, Index stride) const {
    if (single_) {
      for (Index c = 0; c < count; ++c) (*single_)(rows + c * stride);
      return;
    }
    Complex* const work = work_space<R>(n_ * bundle<R>);
    if (count < bundle<R>) std::fill_n(work, n_ * bundle<R>, Complex());
    for (Index k = 0; k < n_; ++k) {
      const Complex* from = rows + convolution_->input()[static_cast<std::size_t>(k)];
      for (Index c = 0; c < count; ++c) work[k * bundle<R> + c] = from[c * stride];
    }
    (*convolution_)(work);
    for (Index k = 0; k < n_; ++k) {
      Complex* to = rows + convolution_->output()[static_cast<std::size_t>(k)];
      for (Index c = 0; c < count; ++c) to[c * stride] = work[k * bundle<R> + c];
    }
  }

 private:
  Index n_;
  std::unique_ptr<Plan<R>> single_;
  std::unique_ptr<ConvolutionTransform<R>> convolution_;
};

/// Bundles of columns, from an array whose rows are `stride` apart to work space where a visitor
/// sees them, and back. There the columns are one after another, which is what the library below
/// transforms fastest, or by convolution side by side.
template <class R>
class ColumnTransform {
 public:
  using Complex = std::complex<R>;

  ColumnTransform(Index n, Index width, Index stride) : n_(n), stride_(stride), line_(n) {
    if (suits_convolution(n)) {
      there_ = std::make_unique<ConvolutionTransform<R>>(n, Direction::forward);
      back_ = std::make_unique<ConvolutionTransform<R>>(n, Direction::backward);
      line_ = there_->output();
      in_work_ = {bundle<R>, 1};
    } else {
      // An odd number of cache lines apart, so that columns do not push each other out.
      constexpr Index cache_line = 64 / sizeof(Complex);
      in_work_ = {1, ((n / cache_line + 1) | 1) * cache_line};
      const Layout in_array{stride, 1};
      to_work_ = std::make_unique<Plan<R>>(n, bundle<R>, in_array, in_work_, Direction::forward);
      from_work_ = std::make_unique<Plan<R>>(n, bundle<R>, in_work_, in_array, Direction::backward);
      std::iota(line_.begin(), line_.end(), Index{0});
    }
    for (Index& line : line_) line *= width;
  }

  Complex* work() const { return work_space<R>(bundle<R> * std::max(in_work_.distance, n_)); }

  Piece<Complex> piece(Complex* work, Index begin, Index count) const {
    return {work, n_, count, line_.data(), begin, in_work_.stride, in_work_.distance};
  }

  void forward(Complex* columns, Complex* work) const {
    if (to_work_) return (*to_work_)(columns, work);
    for (Index k = 0; k < n_; ++k) {
      const Index row = there_->input()[static_cast<std::size_t>(k)];
      std::copy_n(columns + row * stride_, bundle<R>, work + k * bundle<R>);
    }
    (*there_)(work);
  }

  void backward(Complex* work, Complex* columns) const {
    if (from_work_) return (*from_work_)(work, columns);
    (*back_)(work);
    for (Index k = 0; k < n_; ++k) {
      const Index row = back_->output()[static_cast<std::size_t>(k)];
      std::copy_n(work + k * bundle<R>, bundle<R>, columns + row * stride_);
    }
  }

 private:
  Index n_, stride_;
  Layout in_work_{};
  std::vector<Index> line_;  ///< number of the first entry of row k of the work space
  std::unique_ptr<Plan<R>> to_work_, from_work_;
  std::unique_ptr<ConvolutionTransform<R>> there_, back_;
};

}  // namespace

template <class R>
struct FourierTransform<R>::Plans {
  Plans(Index h, Index w)
      : height(h),
        width(w),
        // Whole bundles, an odd number of them, so that a column is spread over the cache.
        stride(((w + bundle<R> - 1) / bundle<R> | 1) * bundle<R>),
        columns(h, w, stride),
        rows{RowTransform<R>(w, Direction::forward), RowTransform<R>(w, Direction::backward)} {}

  Index height, width, stride;
  ColumnTransform<R> columns;
  RowTransform<R> rows[2];
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
  return plans_->height;
}

template <class R>
Index FourierTransform<R>::width() const {
  return plans_->width;
}

/// Rows of the source, transformed.
template <class R>
void FourierTransform<R>::read(const RowSource& source, Complex* buffer) const {
  const Plans& p = *plans_;
  for_each_group(p.height, p.width, bundle<R>, [&](Index begin, Index end) {
    Complex* const rows = buffer + begin * p.stride;
    for (Index i = begin; i < end; ++i) {
      Complex* const row = buffer + i * p.stride;
      source(i, row);
      std::fill(row + p.width, row + p.stride, Complex());
    }
    p.rows[0](rows, end - begin, p.stride);
  });
}

/// Rows transformed backward, to the sink.
template <class R>
void FourierTransform<R>::write(Complex* buffer, const RowSink& sink) const {
  const Plans& p = *plans_;
  for_each_group(p.height, p.width, bundle<R>, [&](Index begin, Index end) {
    p.rows[1](buffer + begin * p.stride, end - begin, p.stride);
    for (Index i = begin; i < end; ++i) sink(i, buffer + i * p.stride);
  });
}

/// The columns, between the rows forward and the rows backward.
template <class R>
double FourierTransform<R>::visit_columns(Stages stages, Complex* buffer,
                                          const Visit& visit) const {
  const Plans& p = *plans_;
  constexpr Index longest_run = 4096;  // stays in the cache
  const Index step = p.height == 1 ? longest_run : bundle<R>, groups = (p.width + step - 1) / step;
  const auto lent = terms_.lend(groups);
  double* const terms = lent.get();
  for_each_group(p.width, p.height, step, [&](Index begin, Index end) {
    Complex* const columns = buffer + begin;
    double& term = terms[begin / step];
    if (p.height == 1) {
      term = visit(run_of(columns, begin, end - begin));
      return;
    }
    Complex* const work = p.columns.work();
    if (stages != Stages::backward) {
      p.columns.forward(columns, work);
    } else if (end - begin < bundle<R>) {  // of which the visitor sees a part
      run_elements(p.columns.piece(work, 0, bundle<R>), [](Complex& v) { v = 0; });
    }
    term = visit(p.columns.piece(work, begin, end - begin));
    if (stages != Stages::forward) p.columns.backward(work, columns);
  });
  return std::accumulate(terms, terms + groups, 0.0);
}

template <class R>
double FourierTransform<R>::forward(const RowSource& source, const Visit& visit) const {
  const auto buffer = buffers_.lend(plans_->height * plans_->stride);
  read(source, buffer.get());
  return visit_columns(Stages::forward, buffer.get(), visit);
}

template <class R>
double FourierTransform<R>::backward(const Visit& fill, const RowSink& sink) const {
  const auto buffer = buffers_.lend(plans_->height * plans_->stride);
  const double sum = visit_columns(Stages::backward, buffer.get(), fill);
  write(buffer.get(), sink);
  return sum;
}

template <class R>
double FourierTransform<R>::through(const RowSource& source, const Visit& visit,
                                    const RowSink& sink) const {
  const auto buffer = buffers_.lend(plans_->height * plans_->stride);
  read(source, buffer.get());
  const double sum = visit_columns(Stages::both, buffer.get(), visit);
  write(buffer.get(), sink);
  return sum;
}

template <class R>
void FourierTransform<R>::forward(const RowSource& source, Complex* v) const {
  forward(source, [v](const Piece<Complex>& piece) {
    return run_elements(
        piece, [](Complex from, Complex& to) { to = from; }, v);
  });
}

template <class R>
void FourierTransform<R>::backward(const Complex* v, const RowSink& sink) const {
  backward(
      [v](const Piece<Complex>& piece) {
        return run_elements(
            piece, [](Complex& to, Complex from) { to = from; }, v);
      },
      sink);
}

template class FourierTransform<float>;
template class FourierTransform<double>;

}  // namespace projfgd
