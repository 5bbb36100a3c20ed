// SPDX-License-Identifier: Apache-2.0
// Sorts of host memory that the device does not hold: twice through the device in pieces. First
// chunks are sorted; then ranges of the result, whose keys come from all sorted chunks. As many
// sorted chunks as the device holds stay there. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <apps/radix_sort/host/sort_device.hpp>
#include <apps/radix_sort/host/sort_pieces.hpp>
#include <apps/radix_sort/host/sorted_runs.hpp>
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
inline constexpr std::size_t min_chunk_bytes(cuda_device) { return std::size_t{32} << 20; }
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
        plan_(plan()),
        layout_(layout_of(plan_.length)),
        ws_bytes_(device_sort<Machine, Key>::workspace_bytes(plan_.length, call.value_bytes)),
        samples_(plan_.all_samples()) {
    take_residents();
    keys_ = buffer<Key>(spilled());
    values_ = buffer<std::byte>(spilled() * call.value_bytes);
  }

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
  using word = typename sort_order<Key>::word_type;
  using runs = device_runs<Machine, Key>;
  static constexpr int at_once = 3;  // one comes, one is sorted, one goes

  /// Keys, and after them values, of a chunk or a range in device memory.
  struct piece_layout {
    std::size_t values_at, bytes;
  };
  piece_layout layout_of(index_t n) const {
    memory_layout layout;
    (void)layout.add(static_cast<std::size_t>(n) * sizeof(Key));
    std::size_t const values_at = layout.add(static_cast<std::size_t>(n) * value_bytes_);
    return {values_at, layout.bytes()};
  }

  chunk_plan plan() const {
    auto const bytes_of = [this](index_t n) {
      return at_once * layout_of(n).bytes +
             device_sort<Machine, Key>::workspace_bytes(n, call_.value_bytes);
    };
    std::size_t const usable = transfer<Machine>::usable_bytes(on_);
    auto const shortest = static_cast<index_t>(min_chunk_bytes(on_) / (sizeof(Key) + value_bytes_));
    chunk_plan const plan{call_.n, detail::sort_chunk_items(call_.n, shortest, usable, bytes_of)};
    std::size_t const fixed =
        bytes_of(plan.length) + static_cast<std::size_t>(plan.all_samples()) * sizeof(word);
    return detail::with_residents(plan, usable, fixed, layout_of(plan.length).bytes);
  }

  /// Takes memory for resident chunks; for fewer, if others took some since it was free.
  void take_residents() {
    while (!resident_) {
      try {
        resident_.emplace(on_, static_cast<std::size_t>(plan_.resident) * layout_.bytes);
      } catch (device_error const&) {
        if (plan_.resident == 0) throw;
        plan_.resident /= 2;
      }
    }
  }

  /// Keys of all spilled chunks. Only the last chunk is shorter.
  index_t spilled() const { return std::min(plan_.spilled_begin(plan_.chunks()), plan_.n); }

  /// A sorted chunk that stays.
  std::byte* resident(index_t chunk) const {
    return resident_->data() +
           static_cast<std::size_t>(plan_.resident_before(chunk)) * layout_.bytes;
  }
  Key const* resident_keys(index_t chunk) const {
    return reinterpret_cast<Key const*>(resident(chunk));
  }

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
    add(values, value_bytes_, layout_.values_at);
  }

  /// Sorts n items of a piece to `to`, which may be the piece.
  void enqueue_sort(device_piece const& piece, index_t n, std::byte* to) const {
    auto const values = [this](std::byte* memory) -> void* {
      return value_bytes_ == 0 ? nullptr : memory + layout_.values_at;
    };
    device_sort<Machine, Key>::enqueue(on_, place_of(piece, 0, ws_bytes_),
                                       {.keys = piece.memory,
                                        .out = to,
                                        .values = values(piece.memory),
                                        .values_out = values(to),
                                        .value_bytes = call_.value_bytes,
                                        .n = n},
                                       order_);
  }

  void enqueue_positions(device_piece const& piece) const {
    index_t const n = plan_.size(piece.number);
    auto how = device::spread(n);
    how.on = device::stream_of(place_of(piece, 0, ws_bytes_));
    auto const write = [&]<class Word>(Word* to) {
      simt::launch<device::positions_kernel>(how, to, n, plan_.begin(piece.number));
    };
    void* const to = piece.memory + layout_.values_at;
    call_.value_bytes == 4 ? write(static_cast<std::uint32_t*>(to))
                           : write(static_cast<std::uint64_t*>(to));
  }

  template <class Inputs, class Enqueue, class Outputs>
  void pass(index_t pieces, Inputs const& inputs, Enqueue const& enqueue, Outputs const& outputs,
            void const* array) const {
    std::vector<void const*> arrays{array};
    if (keys_.size() != 0) arrays.push_back(keys_.data());
    transfer<Machine>::in_pieces(on_, {.pieces = pieces,
                                       .device_bytes = layout_.bytes,
                                       .inputs = inputs,
                                       .enqueue = enqueue,
                                       .outputs = outputs,
                                       .arrays = (std::move)(arrays),
                                       .workspace_bytes = ws_bytes_,
                                       .at_once = at_once});
  }

  void sort_chunks() {
    bool const to_positions = value_bytes_ != 0 && call_.values == nullptr;
    auto const inputs = [&](index_t chunk, std::vector<host_part>& parts) {
      list(call_.keys, call_.values, plan_.begin(chunk), plan_.begin(chunk + 1), 0, parts);
    };
    auto const kernels = [&](device_piece const& piece) {
      index_t const chunk = piece.number, n = plan_.size(chunk);
      std::byte* const to = plan_.stays(chunk) ? resident(chunk) : piece.memory;
      if (to_positions) enqueue_positions(piece);
      enqueue_sort(piece, n, to);
      runs::sample(on_, place_of(piece, 0, ws_bytes_), reinterpret_cast<Key const*>(to), n,
                   samples_.data() + chunk * plan_.samples(0), plan_.samples(chunk), order_);
    };
    auto const outputs = [&](index_t chunk, index_t const*, std::vector<host_part>& parts) {
      if (plan_.stays(chunk)) return;
      index_t const first = plan_.spilled_begin(chunk);
      list(keys_.data(), values_.data(), first, first + plan_.size(chunk), 0, parts);
    };
    pass(plan_.chunks(), inputs, kernels, outputs, call_.keys);
  }

  /// The words at which ranges begin, about; of the first range none.
  std::vector<word> first_words() const {
    buffer<word> all(plan_.all_samples());
    samples_.read_sync(all.data(), plan_.all_samples());
    std::vector<std::span<word const>> of_chunks;
    for (index_t c = 0; c < plan_.chunks(); ++c) {
      of_chunks.emplace_back(all.data() + c * plan_.samples(0),
                             static_cast<std::size_t>(plan_.samples(c)));
    }
    std::vector<word> words(static_cast<std::size_t>(plan_.ranges() - 1));
    cpu::for_each_index(
        cpu::default_threads(), plan_.ranges() - 1,
        [&](index_t r) {
          index_t const rank = ceil_div(plan_.range_begin(r + 1), plan_.distance());
          words[static_cast<std::size_t>(r)] = detail::word_of_rank(of_chunks, rank);
        },
        1);
    return words;
  }

  /// For each chunk and each of the words, how many keys are below it, and how many not above it.
  std::vector<index_t> places_of(std::vector<word> const& words) const {
    auto const count = static_cast<index_t>(words.size());
    index_t const of_chunk = 2 * count;
    std::vector<index_t> places(static_cast<std::size_t>(of_chunk * plan_.chunks()));
    std::vector<index_t> resident_places(static_cast<std::size_t>(of_chunk * plan_.resident));
    device::transfer_buffer<word> const d_words{std::span<word const>(words)};
    device::transfer_buffer<index_t> const d_places(of_chunk * plan_.resident);
    for (index_t c = 0; c < plan_.chunks() && count > 0; ++c) {
      if (!plan_.stays(c)) continue;
      runs::search(on_, {}, resident_keys(c), plan_.size(c), d_words.data(), count,
                   d_places.data() + of_chunk * plan_.resident_before(c), order_);
    }
    cpu::for_each_index(
        cpu::default_threads(), plan_.chunks(),
        [&](index_t c) {
          if (!plan_.stays(c)) search_spilled(c, words, places.data() + of_chunk * c);
        },
        1);
    d_places.read_sync(resident_places.data(), d_places.size());
    for (index_t c = 0; c < plan_.chunks(); ++c) {
      if (!plan_.stays(c)) continue;
      auto const* const found = resident_places.data() + of_chunk * plan_.resident_before(c);
      std::copy(found, found + of_chunk, places.data() + of_chunk * c);
    }
    return places;
  }

  /// The same of a spilled chunk.
  void search_spilled(index_t chunk, std::vector<word> const& words, index_t* places) const {
    std::span<Key const> const keys(keys_.data() + plan_.spilled_begin(chunk),
                                    static_cast<std::size_t>(plan_.size(chunk)));
    auto const compared = order_.counting(0);
    auto const count_while = [&](auto const& precedes) {
      return std::ranges::partition_point(
                 keys, precedes,
                 [&](Key const& key) { return static_cast<word>(order_.word(key) & compared); }) -
             keys.begin();
    };
    for (word const at : words) {
      *places++ = count_while([at](word each) { return each < at; });
      *places++ = count_while([at](word each) { return each <= at; });
    }
  }

  void find_cuts() {
    auto const words = first_words();
    auto const places = places_of(words);
    auto const chunks = static_cast<std::size_t>(plan_.chunks());
    cuts_.assign(1, std::vector<index_t>(chunks));
    for (std::size_t w = 0; w < words.size(); ++w) {
      std::vector<index_t> below(chunks), not_above(chunks);
      for (std::size_t c = 0; c < chunks; ++c) {
        below[c] = places[2 * (c * words.size() + w)];
        not_above[c] = places[2 * (c * words.size() + w) + 1];
      }
      index_t const rank = plan_.range_begin(static_cast<index_t>(w) + 1);
      cuts_.push_back(detail::cut_chunks((std::move)(below), not_above, rank));
    }
    cuts_.emplace_back();
    for (index_t c = 0; c < plan_.chunks(); ++c) cuts_.back().push_back(plan_.size(c));
    for (auto const& cut : cuts_) {
      begins_.push_back(std::accumulate(cut.begin(), cut.end(), index_t{0}));
    }
  }

  /// use(chunk, begin, end, at) for what a range takes of each chunk, from item `at` of the range
  /// on.
  template <class Use>
  void each_part(index_t range, Use const& use) const {
    auto const& from = cuts_[static_cast<std::size_t>(range)];
    auto const& to = cuts_[static_cast<std::size_t>(range + 1)];
    index_t at = 0;
    for (std::size_t c = 0; c < from.size(); ++c) {
      if (from[c] < to[c]) use(static_cast<index_t>(c), from[c], to[c], at);
      at += to[c] - from[c];
    }
  }

  /// Copies what a range takes of resident chunks to its piece.
  void enqueue_copies(device_piece const& piece) const {
    auto const stream = device::stream_of(place_of(piece, 0, ws_bytes_));
    each_part(piece.number, [&](index_t chunk, index_t begin, index_t end, index_t at) {
      if (!plan_.stays(chunk)) return;
      auto const copy = [&](std::size_t offset, std::size_t bytes) {
        simt::copy_async(piece.memory + offset + static_cast<std::size_t>(at) * bytes,
                         resident(chunk) + offset + static_cast<std::size_t>(begin) * bytes,
                         static_cast<std::size_t>(end - begin) * bytes, stream);
      };
      copy(0, sizeof(Key));
      copy(layout_.values_at, value_bytes_);
    });
  }

  void sort_ranges() {
    auto const begin_of = [this](index_t r) { return begins_[static_cast<std::size_t>(r)]; };
    auto const inputs = [&](index_t range, std::vector<host_part>& parts) {
      each_part(range, [&](index_t chunk, index_t begin, index_t end, index_t at) {
        if (plan_.stays(chunk)) return;
        index_t const first = plan_.spilled_begin(chunk);
        list(keys_.data(), values_.data(), first + begin, first + end, at, parts);
      });
    };
    auto const kernels = [&](device_piece const& piece) {
      enqueue_copies(piece);
      enqueue_sort(piece, begin_of(piece.number + 1) - begin_of(piece.number), piece.memory);
    };
    auto const outputs = [&](index_t range, index_t const*, std::vector<host_part>& parts) {
      list(call_.out, call_.values_out, begin_of(range), begin_of(range + 1), 0, parts);
    };
    pass(plan_.ranges(), inputs, kernels, outputs,
         call_.out != nullptr ? call_.out : call_.values_out);
  }

  Machine on_;
  host_sort call_;
  sort_order<Key> order_;
  std::size_t value_bytes_;
  chunk_plan plan_;
  piece_layout layout_;  // of a chunk
  std::size_t ws_bytes_;
  buffer<Key> keys_;  // the sorted chunks that do not stay
  buffer<std::byte> values_;
  std::optional<taken_memory<Machine>> resident_;  // the others
  device::transfer_buffer<word> samples_;
  std::vector<std::vector<index_t>> cuts_;  // of each range's begin, in each chunk
  std::vector<index_t> begins_;             // of ranges
};

/// Sorts in pieces if the device does not hold all.
template <class Machine, class Key>
bool sorted_in_pieces(Machine on, host_sort const& call, sort_order<Key> const& order) {
  if (!sort_in_pieces<Machine, Key>::suits(on, call)) return false;
  sort_in_pieces<Machine, Key>(on, call, order).run();
  return true;
}

}  // namespace libscan::inline v1::detail
