// SPDX-License-Identifier: Apache-2.0
// Scans and sums of host memory that passes through the device in pieces: within segments, in
// reverse, and of items that are narrower than their sums. Internal.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <libscan/cpu/segment_readers.hpp>
#include <libscan/host/convert_items.cuh>
#include <libscan/host/device_items.cuh>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/transfer.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A piece's items as accumulators, after 32 more. The last of these is what comes before the
/// piece, in a segment that goes on; the others are unused, and a segment of their own.
template <class Word>
struct piece_words {
  static constexpr index_t before = 32;
  Word* words;
  std::uint32_t* heads;  // bits, also of the 32
  index_t n;

  __device__ bool is_head(index_t i) const {
    index_t const at = before + i;
    return (heads[at / 32] >> at % 32 & 1u) != 0;
  }
};

/// Converts a piece. The first item of each segment takes in `init`, so that the scan begins with
/// the identity; `carry` is null in the first piece. Keeps the last item in *last.
template <class T>
struct begin_piece_kernel {
  static constexpr int block_threads = 256;
  template <class Op, class Word>
  __device__ void operator()(void const* items, libscan::detail::input_type type, bool reverse,
                             piece_words<Word> to, Op op, Word init, Word const* carry,
                             Word* last) const {
    each_item(to.n, [=](index_t i) {
      Word item = static_cast<Word>(item_at<T>(items, type, reverse ? to.n - 1 - i : i));
      if (to.is_head(i)) item = op(init, item);
      to.words[to.before + i] = item;
      if (i == to.n - 1) *last = item;
    });
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (index_t i = 0; i + 1 < to.before; ++i) to.words[i] = op.identity();
    to.words[to.before - 1] = carry == nullptr ? op.identity() : *carry;
    to.heads[0] = 1u | 1u << 31;
  }
};

/// After the scan of a piece: *next receives what comes before the next piece. Exclusive scans
/// begin segments with `init`, not the identity.
struct end_piece_kernel {
  static constexpr int block_threads = 256;
  template <class Op, class Word>
  __device__ void operator()(piece_words<Word> scanned, bool inclusive, Op op, Word init,
                             Word const* last, Word* next) const {
    each_item(scanned.n, [=](index_t i) {
      Word& result = scanned.words[scanned.before + i];
      if (i == scanned.n - 1) *next = inclusive ? result : op(result, *last);
      if (!inclusive && scanned.is_head(i)) result = init;
    });
  }
};

/// *next = the last total.
struct last_total_kernel {
  static constexpr int block_threads = 32;
  template <class Word>
  __device__ void operator()(Word const* totals, index_t const* d_segments, Word* next) const {
    if (threadIdx.x == 0) *next = totals[*d_segments - 1];
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan::inline v1::detail {

/// Which totals of a piece belong to segments that end in it: [begin, end) of `count`. Total 0 is
/// that of the unused words. Total 1 is that of the segment which goes on from earlier
/// pieces. The last segment goes on in the next piece.
struct ended_segments {
  index_t begin, end;

  ended_segments(bool first_piece, bool last_piece, index_t count)
      : begin(first_piece ? 2 : 1), end(last_piece ? count : count - 1) {}

  index_t count() const { return end - begin; }
};

/// The word that the kernels of this file read items of T as. They are compiled once for all
/// operators and signs.
template <class T>
using operator_word = typename decltype(operator_on_words<T>(operator_kind::plus))::value_type;

/// Items of a call of the host API, with accumulators of T, in pieces.
template <class T>
class host_pieces {
 public:
  template <class Call>
  host_pieces(Call const& call, scan_direction direction, std::size_t out_bytes,
              std::size_t max_bytes)
      : in_(call.in),
        type_(call.type),
        in_bytes_(detail::size_of(call.type)),
        segments_(call.segments),
        direction_(direction),
        pieces_(call.n, std::max(in_bytes_, out_bytes), max_bytes) {
    auto const items = static_cast<std::size_t>(pieces_.piece_items);
    items_at_ = layout_.add(items * in_bytes_);
    words_at_ = layout_.add((items + 32) * sizeof(T));
    heads_at_ = layout_.add(head_bytes(pieces_.piece_items) + sizeof(std::uint32_t));
    totals_at_ = layout_.add((items + 32) * std::max(sizeof(T), out_bytes));
    count_at_ = layout_.add(sizeof(index_t));
  }

  item_pieces const& pieces() const { return pieces_; }
  bool has_segments() const { return segments_.how() != segmentation::form::none; }
  bool in_reverse() const { return direction_ == scan_direction::reverse; }
  input_type type() const { return type_; }

  void list_inputs(index_t piece, std::vector<host_part>& parts) const {
    parts.push_back(part(in_, in_bytes_, piece, items_at_));
    if (has_segments()) {
      parts.push_back(
          {nullptr, head_bytes(pieces_.size(piece)), heads_at_ + sizeof(std::uint32_t)});
    }
  }

  /// Writes the head bits of a piece.
  void fill(index_t piece, std::byte* to) const {
    index_t const begin = pieces_.begin(piece);
    cpu::mark_positions(described_heads(segments_, pieces_.n), direction_, pieces_.n, begin,
                        begin + pieces_.size(piece), reinterpret_cast<cpu::head_word*>(to));
  }

  /// The items of a piece in an array of the host.
  host_part part(void const* array, std::size_t bytes, index_t piece, std::size_t at) const {
    index_t const begin = pieces_.begin(piece), size = pieces_.size(piece);
    index_t const from = in_reverse() ? pieces_.n - begin - size : begin;
    return host_part::of_items(array, from, size, bytes, at);
  }

  void const* items(device_piece const& piece) const { return piece.memory + items_at_; }
  T* words(device_piece const& piece) const {
    return reinterpret_cast<T*>(piece.memory + words_at_);
  }
  device::piece_words<operator_word<T>> piece_words(device_piece const& piece) const {
    return {reinterpret_cast<operator_word<T>*>(piece.memory + words_at_),
            reinterpret_cast<std::uint32_t*>(piece.memory + heads_at_), pieces_.size(piece.number)};
  }
  T* totals(device_piece const& piece) const {
    return reinterpret_cast<T*>(piece.memory + totals_at_);
  }
  index_t* count(device_piece const& piece) const {
    return reinterpret_cast<index_t*>(piece.memory + count_at_);
  }
  std::size_t results_at() const { return words_at_ + 32 * sizeof(T); }
  std::size_t totals_at() const { return totals_at_; }
  std::size_t count_at() const { return count_at_; }
  std::size_t device_bytes() const { return layout_.bytes(); }

 private:
  static std::size_t head_bytes(index_t n) {
    return static_cast<std::size_t>(ceil_div(n, index_t{64})) * 8;
  }

  void const* in_;
  input_type type_;
  std::size_t in_bytes_;
  segmentation segments_;
  scan_direction direction_;
  item_pieces pieces_;
  memory_layout layout_;
  std::size_t items_at_ = 0, words_at_ = 0, heads_at_ = 0, totals_at_ = 0, count_at_ = 0;
};

/// Whether a scan or sum of host items goes through the machine in pieces.
template <class Machine, class Call>
bool goes_in_pieces(Machine on, Call const& call) {
  return static_cast<std::size_t>(call.n) * detail::size_of(call.type) >=
         detail::min_bytes_in_pieces(on);
}

/// Device memory that kernels of all pieces share: carries from piece to piece, and workspace.
template <class Machine, class T>
class piece_carries {
 public:
  explicit piece_carries(index_t piece_items)
      : ws_bytes_(std::max(
            device_items<Machine, T>::workspace_bytes(piece_items),
            segmented_reduce_kernels<Machine, T>::workspace_bytes(piece_items + 32, some_bits()))),
        carries_at_(layout_.add(3 * sizeof(T))),
        ws_at_(layout_.add(ws_bytes_)) {}

  std::size_t bytes() const { return layout_.bytes(); }
  queue_place place(device_piece const& piece) const {
    return detail::place_of(piece, ws_at_, ws_bytes_);
  }
  /// What comes before a piece; null before the first.
  T* before(device_piece const& piece) const {
    return piece.number == 0 ? nullptr : carries(piece) + piece.number % 2;
  }
  /// What comes before the next one.
  T* next(device_piece const& piece) const { return carries(piece) + (piece.number + 1) % 2; }
  T* last_item(device_piece const& piece) const { return carries(piece) + 2; }

  /// What comes after all pieces, to be copied to `result`.
  host_part after(index_t pieces, void* result) const {
    return {result, sizeof(T), carries_at_ + static_cast<std::size_t>(pieces % 2) * sizeof(T)};
  }

 private:
  T* carries(device_piece const& piece) const {
    return reinterpret_cast<T*>(piece.workspace + carries_at_);
  }

  memory_layout layout_;
  std::size_t ws_bytes_, carries_at_, ws_at_;
};

/// Converts a piece for kernels that begin with the identity.
template <class T, class Machine>
void begin_piece(host_pieces<T> const& work, piece_carries<Machine, T> const& carries,
                 device_piece const& piece, operator_kind op, void const* init) {
  using word = operator_word<T>;
  auto const to = work.piece_words(piece);
  auto how = device::spread(to.n);
  how.on = device::stream_of(carries.place(piece));
  simt::launch<device::begin_piece_kernel<T>>(
      how, work.items(piece), work.type(), work.in_reverse(), to, operator_on_words<T>(op),
      *static_cast<word const*>(init), reinterpret_cast<word const*>(carries.before(piece)),
      reinterpret_cast<word*>(carries.last_item(piece)));
}

/// A call on the accumulators of a piece, and on the 32 before them.
template <class T>
device_call piece_call(host_pieces<T> const& work, device_piece const& piece, operator_kind op,
                       operator_word<T> const& identity, void* out) {
  return {.type = item_type_of<T>::value,
          .op = op,
          .in = work.words(piece),
          .out = out,
          .n = work.pieces().size(piece.number) + 32,
          .init = &identity};
}

/// Runs the kernels of a scan of call.kind.
template <class T, class Machine>
void enqueue_segmented_scan(Machine on, queue_place const& place, device_call const& call,
                            segmentation const& segments) {
  if (call.kind == scan_kind::inclusive) {
    segmented_scan_kernels<Machine, scan_kind::inclusive, T>::enqueue(on, place, call, segments);
  } else {
    segmented_scan_kernels<Machine, scan_kind::exclusive, T>::enqueue(on, place, call, segments);
  }
}

/// Puts the scan of a piece into its stream.
template <class T, class Machine>
void enqueue_piece_scan(Machine on, host_scan const& call, host_pieces<T> const& work,
                        piece_carries<Machine, T> const& carries, device_piece const& piece) {
  using word = operator_word<T>;
  queue_place const place = carries.place(piece);
  auto const all = work.piece_words(piece);
  auto how = device::spread(all.n);
  how.on = device::stream_of(place);
  T* const results = work.words(piece) + 32;
  if (work.has_segments()) {
    begin_piece(work, carries, piece, call.op, call.init);
    auto const op = operator_on_words<T>(call.op);
    word const identity = op.identity();
    device_call each = piece_call(work, piece, call.op, identity, work.words(piece));
    each.kind = call.kind;
    enqueue_segmented_scan<T>(on, place, each, segments_of_bits(all.heads, each.n));
    simt::launch<device::end_piece_kernel>(how, all, call.kind == scan_kind::inclusive, op,
                                           *static_cast<word const*>(call.init),
                                           reinterpret_cast<word const*>(carries.last_item(piece)),
                                           reinterpret_cast<word*>(carries.next(piece)));
  } else {
    simt::launch<device::convert_kernel>(how, work.items(piece), work.type(), item_count(all.n),
                                         work.in_reverse(), results);
    device_items<Machine, T>::enqueue_scan(on, place,
                                           {.type = item_type_of<T>::value,
                                            .op = call.op,
                                            .kind = call.kind,
                                            .in = results,
                                            .out = results,
                                            .n = all.n,
                                            .init = call.init,
                                            .d_total = carries.next(piece),
                                            .d_init = carries.before(piece)});
  }
  if (work.in_reverse()) simt::launch<device::turn_round_kernel>(how, results, all.n);
  if constexpr (std::is_same_v<T, float>) {
    auto const write_rounded = [&]<class Half>(Half* to) {
      simt::launch<device::round_kernel>(how, static_cast<float const*>(results), item_count(all.n),
                                         to);
    };
    if (call.out_type == input_type::f16)
      write_rounded(reinterpret_cast<float16*>(work.totals(piece)));
    if (call.out_type == input_type::bf16)
      write_rounded(reinterpret_cast<bfloat16*>(work.totals(piece)));
  }
}

/// A scan of host memory in pieces.
template <class T, class Machine>
void scan_in_pieces(Machine on, host_scan const& call) {
  std::size_t const out_bytes = detail::size_of(call.out_type);
  host_pieces<T> const work(call, call.direction, out_bytes, detail::max_piece_bytes(on));
  piece_carries<Machine, T> const carries(work.pieces().piece_items);
  T total;
  bool const rounds = call.out_type != input_type_of<T>::value;
  auto const inputs = [&](index_t piece, std::vector<host_part>& parts) {
    work.list_inputs(piece, parts);
  };
  auto const fill = [&](index_t piece, std::byte* to) { work.fill(piece, to); };
  auto const kernels = [&](device_piece const& piece) {
    enqueue_piece_scan<T>(on, call, work, carries, piece);
  };
  auto const outputs = [&](index_t piece, index_t const*, std::vector<host_part>& parts) {
    std::size_t const at = rounds ? work.totals_at() : work.results_at();
    parts.push_back(work.part(call.out, out_bytes, piece, at));
  };
  transfer<Machine>::in_pieces(on, {.pieces = work.pieces().count(),
                                    .device_bytes = work.device_bytes(),
                                    .inputs = inputs,
                                    .enqueue = kernels,
                                    .outputs = outputs,
                                    .arrays = {call.in, call.out},
                                    .workspace_bytes = carries.bytes(),
                                    .result = carries.after(work.pieces().count(), &total),
                                    .fill = fill,
                                    .makes_inputs = work.has_segments()});
  if (call.total != nullptr && !work.has_segments()) *static_cast<T*>(call.total) = total;
}

/// Puts the sums of a piece into its stream.
template <class T, class Machine>
void enqueue_piece_sums(Machine on, host_reduction const& call, host_pieces<T> const& work,
                        piece_carries<Machine, T> const& carries, device_piece const& piece) {
  using word = operator_word<T>;
  queue_place const place = carries.place(piece);
  auto const all = work.piece_words(piece);
  if (!work.has_segments()) {
    auto how = device::spread(all.n);
    how.on = device::stream_of(place);
    T* const items = work.words(piece);
    simt::launch<device::convert_kernel>(how, work.items(piece), work.type(), item_count(all.n),
                                         false, items);
    return device_items<Machine, T>::enqueue_reduce(on, place,
                                                    {.type = item_type_of<T>::value,
                                                     .op = call.op,
                                                     .in = items,
                                                     .out = carries.next(piece),
                                                     .n = all.n,
                                                     .init = call.init,
                                                     .d_init = carries.before(piece)});
  }
  begin_piece(work, carries, piece, call.op, call.init);
  word const identity = operator_on_words<T>(call.op).identity();
  auto* const count = work.count(piece);
  device_call each = piece_call(work, piece, call.op, identity, work.totals(piece));
  each.d_total = count;
  segmented_reduce_kernels<Machine, T>::enqueue(on, place, each,
                                                segments_of_bits(all.heads, each.n));
  simt::launch<device::last_total_kernel>(
      {.blocks = 1, .threads = 32, .on = device::stream_of(place)},
      reinterpret_cast<word const*>(work.totals(piece)), static_cast<index_t const*>(count),
      reinterpret_cast<word*>(carries.next(piece)));
}

/// Sums of host memory in pieces, of all or of segments that head bits describe. Returns how many.
template <class T, class Machine>
index_t reduce_in_pieces(Machine on, host_reduction const& call) {
  host_pieces<T> const work(call, scan_direction::forward, sizeof(T), detail::max_piece_bytes(on));
  piece_carries<Machine, T> const carries(work.pieces().piece_items);
  index_t const pieces = work.pieces().count();
  index_t segments = 0;
  T total;
  auto const inputs = [&](index_t piece, std::vector<host_part>& parts) {
    work.list_inputs(piece, parts);
  };
  auto const fill = [&](index_t piece, std::byte* to) { work.fill(piece, to); };
  auto const kernels = [&](device_piece const& piece) {
    enqueue_piece_sums<T>(on, call, work, carries, piece);
  };
  auto const outputs = [&](index_t piece, index_t const* counts, std::vector<host_part>& parts) {
    if (!work.has_segments()) return;
    ended_segments const ended(piece == 0, piece == pieces - 1, counts[0]);
    parts.push_back({static_cast<T*>(call.totals) + segments,
                     static_cast<std::size_t>(ended.count()) * sizeof(T),
                     work.totals_at() + static_cast<std::size_t>(ended.begin) * sizeof(T)});
    segments += ended.count();
  };
  transfer<Machine>::in_pieces(on, {.pieces = pieces,
                                    .device_bytes = work.device_bytes(),
                                    .inputs = inputs,
                                    .enqueue = kernels,
                                    .outputs = outputs,
                                    .arrays = {call.in},
                                    .counts_at = work.count_at(),
                                    .counts = work.has_segments() ? 1 : 0,
                                    .workspace_bytes = carries.bytes(),
                                    .result = carries.after(pieces, &total),
                                    .fill = fill,
                                    .makes_inputs = work.has_segments()});
  if (work.has_segments()) return segments;
  *static_cast<T*>(call.totals) = total;
  return 1;
}

}  // namespace libscan::inline v1::detail
