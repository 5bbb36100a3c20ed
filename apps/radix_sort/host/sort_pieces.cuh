// SPDX-License-Identifier: Apache-2.0
// Sorts of host memory that the device does not hold: twice through the device in pieces. First
// chunks are sorted; then ranges of the result, whose keys come from all sorted chunks. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <apps/radix_sort/host/sort_device.hpp>
#include <apps/radix_sort/host/sort_pieces.hpp>
#include <libscan/buffer.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/convert_items.cuh>
#include <libscan/host/transfer.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// positions[i] = first + i for n positions.
struct positions_kernel {
  static constexpr int block_threads = 256;
  template <class Word>
  __device__ void operator()(Word* positions, index_t n, index_t first) const {
    each_item(n, [=](index_t i) { positions[i] = static_cast<Word>(first + i); });
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan::inline v1::detail {

/// A sort of host memory. Without `values_out`, of keys only; without `values`, to positions. `out`
/// is null if the sorted keys are not wanted.
struct host_sort {
  void const* keys;
  void* out;
  void const* values = nullptr;
  void* values_out = nullptr;
  int value_bytes = 0;
  index_t n = 0;
};

/// Bytes of a chunk from which kernels and copies are fast.
inline constexpr std::size_t min_chunk_bytes(cuda_device) { return std::size_t{64} << 20; }
inline constexpr std::size_t min_chunk_bytes(executor_run) { return std::size_t{2} << 10; }

/// Bytes of a sort below which nothing looks how much memory the device has.
inline constexpr std::size_t min_sort_bytes = std::size_t{256} << 20;

/// Such a sort in pieces.
template <class Machine, class Key>
class sort_in_pieces {
 public:
  sort_in_pieces(Machine on, host_sort const& call, sort_order<Key> const& order)
      : on_(on),
        call_(call),
        order_(order),
        value_bytes_(static_cast<std::size_t>(call.value_bytes)),
        chunk_(detail::sort_chunk_items(
            call.n, static_cast<index_t>(min_chunk_bytes(on) / (sizeof(Key) + value_bytes_)),
            transfer<Machine>::usable_bytes(on), [this](index_t n) { return bytes_of(n); })),
        ws_bytes_(device_sort<Machine, Key>::workspace_bytes(chunk_, call.value_bytes)),
        keys_(call.n),
        values_(call.n * call.value_bytes),
        chunks_{keys_.data(), call.n, chunk_, order} {}

  /// Whether the device does not hold what a sort of all keys at once needs.
  static bool suits(Machine on, host_sort const& call) {
    std::size_t const bytes = static_cast<std::size_t>(call.n) *
                                  (sizeof(Key) + static_cast<std::size_t>(call.value_bytes)) +
                              device_sort<Machine, Key>::workspace_bytes(call.n, call.value_bytes);
    if (bytes < min_sort_bytes && bytes < tuned_transfers.device_bytes) return false;
    return bytes > transfer<Machine>::usable_bytes(on);
  }

  void run() {
    sort_chunks();
    find_cuts();
    sort_ranges();
  }

 private:
  static constexpr int at_once = 3;  // one comes, one is sorted, one goes

  /// Device memory that chunks of n keys take.
  std::size_t bytes_of(index_t n) const {
    return at_once * layout_of(n).bytes() +
           device_sort<Machine, Key>::workspace_bytes(n, call_.value_bytes);
  }
  memory_layout layout_of(index_t n) const {
    memory_layout layout;
    (void)layout.add(static_cast<std::size_t>(n) * sizeof(Key));
    (void)layout.add(static_cast<std::size_t>(n) * value_bytes_);
    return layout;
  }
  std::size_t values_at() const {
    memory_layout layout;
    (void)layout.add(static_cast<std::size_t>(chunk_) * sizeof(Key));
    return layout.bytes();
  }
  index_t size(index_t chunk) const { return chunks_.begin(chunk + 1) - chunks_.begin(chunk); }

  /// Items [begin, end) of arrays of keys and values, null or not, which are in a piece from item
  /// `at` on.
  void list(void const* keys, void const* values, index_t begin, index_t end, index_t at,
            std::vector<host_part>& parts) const {
    auto const add = [&](void const* array, std::size_t bytes, std::size_t from) {
      if (array == nullptr || bytes == 0) return;
      parts.push_back(host_part::of_items(array, begin, end - begin, bytes,
                                          from + static_cast<std::size_t>(at) * bytes));
    };
    add(keys, sizeof(Key), 0);
    add(values, value_bytes_, values_at());
  }

  void enqueue_sort(device_piece const& piece) const {
    auto* const keys = reinterpret_cast<Key*>(piece.memory);
    void* const values = value_bytes_ == 0 ? nullptr : piece.memory + values_at();
    device_sort<Machine, Key>::enqueue(on_, place_of(piece, 0, ws_bytes_),
                                       {.keys = keys,
                                        .out = keys,
                                        .values = values,
                                        .values_out = values,
                                        .value_bytes = call_.value_bytes,
                                        .n = size(piece.number)},
                                       order_);
  }

  void enqueue_positions(device_piece const& piece) const {
    auto how = device::spread(size(piece.number));
    how.on = device::stream_of(place_of(piece, 0, ws_bytes_));
    auto const write = [&]<class Word>(Word* to) {
      simt::launch<device::positions_kernel>(how, to, size(piece.number),
                                             chunks_.begin(piece.number));
    };
    void* const to = piece.memory + values_at();
    call_.value_bytes == 4 ? write(static_cast<std::uint32_t*>(to))
                           : write(static_cast<std::uint64_t*>(to));
  }

  template <class Inputs, class Enqueue, class Outputs>
  void pass(Inputs const& inputs, Enqueue const& enqueue, Outputs const& outputs,
            std::vector<void const*> arrays) const {
    transfer<Machine>::in_pieces(on_, {.pieces = chunks_.count(),
                                       .device_bytes = layout_of(chunk_).bytes(),
                                       .inputs = inputs,
                                       .enqueue = enqueue,
                                       .outputs = outputs,
                                       .arrays = std::move(arrays),
                                       .workspace_bytes = ws_bytes_,
                                       .at_once = at_once});
  }

  void sort_chunks() {
    bool const to_positions = value_bytes_ != 0 && call_.values == nullptr;
    auto const inputs = [&](index_t chunk, std::vector<host_part>& parts) {
      list(call_.keys, call_.values, chunks_.begin(chunk), chunks_.begin(chunk + 1), 0, parts);
    };
    auto const kernels = [&](device_piece const& piece) {
      if (to_positions) enqueue_positions(piece);
      enqueue_sort(piece);
    };
    auto const outputs = [&](index_t chunk, index_t const*, std::vector<host_part>& parts) {
      list(keys_.data(), values_.data(), chunks_.begin(chunk), chunks_.begin(chunk + 1), 0, parts);
    };
    pass(inputs, kernels, outputs, {call_.keys, keys_.data()});
  }

  /// Ranges of the result are as long as chunks.
  void find_cuts() {
    index_t const ranges = chunks_.count();
    cuts_.resize(static_cast<std::size_t>(ranges + 1));
    cpu::for_each_index(
        cpu::default_threads(), ranges + 1,
        [this](index_t r) { cuts_[static_cast<std::size_t>(r)] = chunks_.cuts(chunks_.begin(r)); },
        1);
  }

  void sort_ranges() {
    auto const inputs = [&](index_t range, std::vector<host_part>& parts) {
      auto const& begins = cuts_[static_cast<std::size_t>(range)];
      auto const& ends = cuts_[static_cast<std::size_t>(range + 1)];
      index_t at = 0;
      for (std::size_t c = 0; c < begins.size(); ++c) {
        list(keys_.data(), values_.data(), begins[c], ends[c], at, parts);
        at += ends[c] - begins[c];
      }
    };
    auto const kernels = [&](device_piece const& piece) { enqueue_sort(piece); };
    auto const outputs = [&](index_t range, index_t const*, std::vector<host_part>& parts) {
      list(call_.out, call_.values_out, chunks_.begin(range), chunks_.begin(range + 1), 0, parts);
    };
    pass(inputs, kernels, outputs,
         {keys_.data(), call_.out != nullptr ? call_.out : call_.values_out});
  }

  Machine on_;
  host_sort call_;
  sort_order<Key> order_;
  std::size_t value_bytes_;
  index_t chunk_;
  std::size_t ws_bytes_;
  buffer<Key> keys_;  // the sorted chunks
  buffer<std::byte> values_;
  sorted_chunks<Key> chunks_;
  std::vector<std::vector<index_t>> cuts_;  // of each range's begin, in each chunk
};

/// Sorts in pieces if the device does not hold all.
template <class Machine, class Key>
bool sorted_in_pieces(Machine on, host_sort const& call, sort_order<Key> const& order) {
  if (!sort_in_pieces<Machine, Key>::suits(on, call)) return false;
  sort_in_pieces<Machine, Key>(on, call, order).run();
  return true;
}

}  // namespace libscan::inline v1::detail
