#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace projfgd {

/// A function that belongs to somebody else, for arguments that are called and not kept: nothing is
/// copied and nothing allocated. Never the type of a variable: a lambda it is made from is gone at
/// the end of the statement.
template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> && std::is_object_v<F> &&
           std::is_invocable_r_v<Result, const F&, Arguments...>) FunctionRef(const F& function)
      : function_(std::addressof(function)),
        call_([](const void* f, Arguments... arguments) -> Result {
          return (*static_cast<const F*>(f))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(function_, std::forward<Arguments>(arguments)...);
  }

 private:
  const void* function_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace projfgd
