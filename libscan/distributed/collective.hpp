// SPDX-License-Identifier: Apache-2.0
// One collective call on one rank: an exception of any rank is thrown on all ranks. Whether a rank
// failed travels within the messages that the call sends anyway.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <libscan/core/function_ref.hpp>
#include <libscan/distributed/communicator.hpp>

namespace libscan::inline v1::detail {

/// The messages of a call in which ranks agree whether to go on. Operations make one through
/// `collective`.
class collective_call {
 public:
  collective_call(communicator const& comm, char const* name) : comm_(comm), name_(name) {}

  communicator const& comm() const { return comm_; }
  transport& through() const { return comm_.through(); }
  call_step at(char const* step) const { return {name_, step}; }

  /// Whether all ranks know of this rank's exception.
  bool agreed() const { return agreed_; }

  /// Runs `work` on each rank to fill `bytes` bytes, and gathers those of all ranks, in order. If
  /// it throws anywhere, all ranks throw: the rank itself its own exception, others `remote_error`.
  std::vector<std::byte> gather_bytes(char const* step, std::size_t bytes,
                                      function_ref<void(std::span<std::byte>)> work);

  /// The values that `work` returns on all ranks, in order. Exceptions as above.
  template <class Work, class T = std::invoke_result_t<Work&>>
  std::vector<T> gather(char const* step, Work&& work);

  /// Runs `work` on each rank. Exceptions as above.
  template <class Work>
  void agree(char const* step, Work&& work) {
    (void)gather_bytes(step, 0, [&](std::span<std::byte>) { work(); });
  }

  /// Gives up after an exception that no other rank knows of.
  void abandon(std::string_view reason) const noexcept { through().abandon(reason); }

 private:
  communicator const& comm_;
  char const* name_;
  bool agreed_ = false;
};

template <class Work, class T>
std::vector<T> collective_call::gather(char const* step, Work&& work) {
  static_assert(std::is_trivially_copyable_v<T>);
  auto const bytes = gather_bytes(step, sizeof(T), [&](std::span<std::byte> to) {
    T const value = work();
    std::memcpy(to.data(), std::addressof(value), sizeof(T));
  });
  std::vector<T> values;
  values.reserve(bytes.size() / sizeof(T));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    alignas(T) std::byte one[sizeof(T)];
    std::memcpy(one, bytes.data() + at, sizeof(T));
    values.push_back(*std::launder(reinterpret_cast<T*>(one)));
  }
  return values;
}

/// Rethrows the exception of the lowest rank with one of its own, not a `remote_error`, if any.
void rethrow_own(std::vector<std::exception_ptr> const& of_ranks);

/// body(call) as one collective call. An exception that the ranks have not agreed on (no memory for
/// a buffer, a failed send) makes this rank give up, so that no other waits for it.
template <class Body>
auto collective(communicator const& comm, char const* name, Body&& body) {
  collective_call call(comm, name);
  try {
    return body(call);
  } catch (std::exception const& e) {
    if (!call.agreed()) call.abandon(e.what());
    throw;
  } catch (...) {
    if (!call.agreed()) call.abandon("an exception of an unknown type");
    throw;
  }
}

}  // namespace libscan::inline v1::detail
