// SPDX-License-Identifier: Apache-2.0
// Messages in device memory for transports that only know host memory: a piece of each message at
// a time.
#include <libscan/distributed/transport.hpp>

#include <algorithm>
#include <vector>

#include <libscan/host/device_memory.hpp>

namespace libscan::inline v1 {

namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 20;

/// The bytes of a message in a round.
template <class Byte>
std::span<Byte> piece_of(std::span<Byte> message, std::size_t round) {
  std::size_t const begin = std::min(message.size(), round * piece_bytes);
  return message.subspan(begin, std::min(piece_bytes, message.size() - begin));
}

int rank_of(outgoing const& one) { return one.to; }
int rank_of(incoming const& one) { return one.from; }

/// Host memory for the pieces of a round, and where they come from or go to.
template <class Message>
struct pieces {
  std::vector<Message> on_device, on_host;
  std::vector<std::byte> memory;

  /// Those of messages to and from other ranks.
  pieces(std::span<Message const> messages, int own_rank, std::size_t round) {
    std::size_t bytes = 0;
    for (Message one : messages) {
      one.bytes = piece_of(one.bytes, round);
      if (one.bytes.empty() || rank_of(one) == own_rank) continue;
      on_device.push_back(one);
      bytes += one.bytes.size();
    }
    memory.resize(bytes);
    std::span<std::byte> left(memory);
    for (Message one : on_device) {
      one.bytes = left.first(one.bytes.size());
      left = left.subspan(one.bytes.size());
      on_host.push_back(one);
    }
  }
};

}  // namespace

void transport::exchange_on(device_queue const& queue, call_step at,
                            std::span<outgoing const> sends, std::span<incoming const> receives) {
  for (outgoing const& one : sends) {
    for (incoming const& same : receives) {
      if (one.to != rank() || same.from != rank()) continue;
      detail::copy(queue, same.bytes.data(), one.bytes.data(), one.bytes.size());
    }
  }
  std::size_t longest = 0;
  for (outgoing const& one : sends) {
    if (one.to != rank()) longest = std::max(longest, one.bytes.size());
  }
  std::vector<std::size_t> of_ranks(static_cast<std::size_t>(size()));
  allgather(at, std::as_bytes(std::span(&longest, 1)), std::as_writable_bytes(std::span(of_ranks)));
  longest = *std::ranges::max_element(of_ranks);
  for (std::size_t round = 0; round * piece_bytes < longest; ++round) {
    pieces<outgoing> const out(sends, rank(), round);
    pieces<incoming> const in(receives, rank(), round);
    for (std::size_t i = 0; i < out.on_host.size(); ++i) {
      auto const to = const_cast<std::byte*>(out.on_host[i].bytes.data());
      detail::copy(queue, to, out.on_device[i].bytes.data(), out.on_host[i].bytes.size());
    }
    detail::synchronize(queue);
    exchange(at, out.on_host, in.on_host);
    for (std::size_t i = 0; i < in.on_host.size(); ++i) {
      detail::copy(queue, in.on_device[i].bytes.data(), in.on_host[i].bytes.data(),
                   in.on_host[i].bytes.size());
    }
    detail::synchronize(queue);
  }
  detail::synchronize(queue);
}

void transport::listen(call_step) {}

}  // namespace libscan::inline v1
