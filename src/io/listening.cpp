#include "projfgd/io/listening.hpp"

namespace projfgd {
namespace {

thread_local const Interrupt* listened_to = nullptr;
thread_local unsigned looks = 0;

}  // namespace

Listening::Listening() : before_(listened_to) {}
Listening::Listening(const Interrupt& interrupt) : before_(listened_to) {
  listened_to = &interrupt;
}
Listening::~Listening() { listened_to = before_; }

void Listening::look() {
  constexpr unsigned often = 4096;  // a row takes a microsecond
  if (++looks % often == 0) look_now();
}

void Listening::look_now() {
  if (listened_to != nullptr) stop_if(*listened_to);
}

}  // namespace projfgd
