// SPDX-License-Identifier: Apache-2.0
// What a communicator needs from the library that moves its bytes: a few collective functions.
// MPI, NCCL, threads, simulated ranks and the single rank `self` implement it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <libscan/core/types.hpp>
#include <libscan/host/device_queue.hpp>

namespace libscan::inline v1 {

/// The call that a rank is in, and its step: messages about failures name both.
struct call_step {
  char const* call;
  char const* step;

  /// As in messages: "exclusive_scan (carries)".
  std::string name() const { return std::string(call) + " (" + step + ")"; }
};

/// Bytes for another rank.
struct outgoing {
  int to;
  std::span<std::byte const> bytes;
};

/// Space for bytes of another rank.
struct incoming {
  int from;
  std::span<std::byte> bytes;
};

/// Which ranks' counters `transport::sum` adds: those of all, or only of those before this one.
enum class summed_ranks : std::uint8_t { all, before };

/// How the ranks of one communicator reach each other. All functions except `rank`, `size` and
/// `abandon` are collective: all ranks call the same ones in the same order, with matching sizes.
/// They return when the result is there and the caller's memory is free for other use.
/// Throws: `remote_error` after another rank called `abandon`; `communicator_lost`; what the
/// transport itself fails with. After any of them the transport is of no more use.
class transport {
 public:
  transport() = default;
  virtual ~transport() = default;
  transport(transport const&) = delete;
  transport& operator=(transport const&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// `all` = the bytes of all ranks, in order; every rank has as many as `mine`.
  virtual void allgather(call_step at, std::span<std::byte const> mine,
                         std::span<std::byte> all) = 0;

  /// Replaces each counter by its sum over ranks. Every rank has the same number of counters.
  virtual void sum(call_step at, std::span<index_t> counters, summed_ranks which) = 0;

  /// from[r] = what rank r has at to[rank()]. Both have one number per rank.
  virtual void transpose(call_step at, std::span<index_t const> to, std::span<index_t> from) = 0;

  /// Sends and receives messages of any length, at most one from each rank to each other. Sender
  /// and receiver state the same length, and leave out messages without bytes.
  virtual void exchange(call_step at, std::span<outgoing const> sends,
                        std::span<incoming const> receives) = 0;

  /// The same for messages in memory of the queue's machine, also of a rank to itself; each rank
  /// has a queue, which may be of another machine. Comes after earlier work in the queue's stream;
  /// returns when it is complete. By default messages pass through host memory, 64 MiB of each at a
  /// time.
  virtual void exchange_on(device_queue const& queue, call_step at, std::span<outgoing const> sends,
                           std::span<incoming const> receives);

  /// Whether kernels of each rank can read the device memory of all ranks, by the same addresses.
  virtual bool reads_all_memory() const { return false; }

  /// Throws as all functions do if another rank gave up. Not collective. For transports that wait
  /// for something else.
  virtual void listen(call_step at);

  /// This rank gives up: all other ranks throw `remote_error` from the call they are in, or from
  /// their next one. Does not wait. The first reason counts.
  virtual void abandon(std::string_view reason) noexcept = 0;
};

}  // namespace libscan::inline v1
