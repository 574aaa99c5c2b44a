// Fourier transforms of a device that is the host.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "projfgd/device/fourier.hpp"
#include "projfgd/operators/fourier.hpp"

namespace projfgd::device {

/// A library asks for work space as large as the arrays, which is announced and taken here too.
template <class R>
struct Fourier<R>::Plans {
  FourierTransform<R> transform;
  std::set<Index> counts;
  Array<std::complex<R>> work;
  Index size() const { return transform.height() * transform.width(); }
};

template <class R>
Fourier<R>::Fourier(Index height, Index width, std::span<const Index> counts)
    : plans_(std::make_shared<Plans>(FourierTransform<R>(height, width),
                                     std::set<Index>(counts.begin(), counts.end()))) {}

template <class R>
double Fourier<R>::bytes() const {
  return sizeof(std::complex<R>) * static_cast<double>(*plans_->counts.rbegin() * plans_->size());
}

template <class R>
void Fourier<R>::prepare(std::complex<R>* arrays) {
  plans_->work.resize(*plans_->counts.rbegin() * plans_->size());
  for (const Index count : plans_->counts) {
    forward(count, arrays);
    backward(count, arrays);
  }
}

template <class R>
void Fourier<R>::run(Index count, std::complex<R>* arrays, bool forward) const {
  if (!plans_->counts.contains(count)) throw std::logic_error("no plan for so many arrays");
  const Index width = plans_->transform.width(), size = plans_->size();
  std::complex<R>* const work = plans_->work.data();
  for (Index k = 0; k < count; ++k) {
    std::complex<R>* const v = arrays + k * size;
    std::copy_n(v, size, work);
    if (forward) {
      plans_->transform.forward(
          [&](Index i, std::complex<R>* row) { std::copy_n(work + i * width, width, row); }, v);
    } else {
      plans_->transform.backward(work, [&](Index i, const std::complex<R>* row) {
        std::copy_n(row, width, v + i * width);
      });
    }
  }
}

template class Fourier<float>;
template class Fourier<double>;

}  // namespace projfgd::device
