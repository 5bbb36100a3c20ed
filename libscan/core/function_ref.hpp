// SPDX-License-Identifier: Apache-2.0
// A reference to a callable, as std::function_ref of C++26. Code that takes one is compiled once
// for all callables.
#pragma once

#include <type_traits>

namespace libscan::inline v1::detail {

template <class Signature>
class function_ref;

/// The callable must outlive it.
template <class R, class... Arguments>
class function_ref<R(Arguments...)> {
 public:
  template <class Body>
  requires(!std::is_same_v<std::remove_cvref_t<Body>, function_ref>)
      function_ref(Body&& body)  // NOLINT: converts
      // Not &body, which may be overloaded; nor std::addressof: <memory> takes long to compile.
      : body_(const_cast<char*>(&reinterpret_cast<char const volatile&>(body))),
        call_([](void* to, Arguments... arguments) -> R {
          return static_cast<R>((*static_cast<std::remove_reference_t<Body>*>(to))(
              static_cast<Arguments&&>(arguments)...));
        }) {}

  R operator()(Arguments... arguments) const {
    return call_(body_, static_cast<Arguments&&>(arguments)...);
  }

 private:
  void* body_;
  R (*call_)(void*, Arguments...);
};

}  // namespace libscan::inline v1::detail
