// SPDX-License-Identifier: Apache-2.0
// The sort of keys in host memory over ranks, also with values, or to positions. Each rank splits
// its keys into buckets, the same on all ranks, and sorts only the buckets in which parts of the
// result begin and end. So it knows which keys go to whom. After one exchange each rank sorts the
// buckets that it has got. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <apps/radix_sort/cpu/sort_items.hpp>
#include <apps/radix_sort/host/key_buckets.hpp>
#include <libscan/core/function_ref.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/splitters.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1::detail {

/// What moves with the keys of a sort over ranks.
struct values_on_ranks {
  void const* in = nullptr;
  void* out = nullptr;
  std::size_t size = 0;    ///< of one; 0: there are none
  bool positions = false;  ///< of the keys of all ranks, as index_t, instead of values
};

/// A sort over ranks, on one rank.
template <class Key>
class rank_sort {
 public:
  /// `n_out` items are this rank's part of the result. `out` may be null, if the values are
  /// positions.
  rank_sort(ranks const& on, collective_call& call, std::span<Key const> in, Key* out,
            std::size_t n_out, values_on_ranks const& values, sort_options const& options)
      : on_(on),
        call_(call),
        in_(in),
        out_(out),
        n_out_(static_cast<index_t>(n_out)),
        values_(values),
        options_(options),
        order_{options.direction, options.first_bit, options.end_bit, {}} {}

  /// `check_here` may throw.
  void run(function_ref<void()> check_here) {
    auto const all = call_.gather("lengths", [&] {
      check_here();
      return numbers_here();
    });
    auto const d = detail::lengths_in(call_, all);
    if (on_.size() == 1) return call_.agree("sort", [&] { sort_alone(); });
    if (are_sorted(all)) return rebalance_sorted(d);
    gather_sample();
    if (values_.size != 0) {
      carried_ = values_.size;
      if (!moves_with_keys()) carried_ = d.in.total() <= index_t{1} << 32 ? 4 : 8;
    }
    rule_.total = d.in.total();
    rule_.bucket_items = all[0].bucket_items;
    rule_.item_bytes = carried_ == 0 ? sizeof(word) : 2 * std::max(sizeof(word), carried_);
    sort_by_buckets(d);
  }

 private:
  using word = typename sort_order<Key>::word_type;

  struct numbers {
    index_t in, out;
    index_t bucket_items;
    bool sorted;
    word first, last;  // if there are keys
  };

  word word_of(Key const& key) const {
    return static_cast<word>(order_.word(key) & order_.counting(0));
  }

  numbers numbers_here() const {
    cpu::detail::require_aligned(in_.data());
    cpu::detail::require_aligned(out_);
    order_.check_bits();
    numbers mine{std::ssize(in_), n_out_, compiled_buckets<Key>::bucket_items(), false, 0, 0};
    if (on_.size() == 1) return mine;
    mine.sorted =
        compiled_buckets<Key>::are_sorted(on_.threads(), in_.data(), std::ssize(in_), order_);
    if (in_.empty()) return mine;
    mine.first = word_of(in_.front());
    mine.last = word_of(in_.back());
    return mine;
  }

  /// Whether the keys of all ranks are sorted as they are.
  static bool are_sorted(std::vector<numbers> const& all) {
    numbers const* before = nullptr;
    for (numbers const& one : all) {
      if (one.in == 0) continue;
      if (!one.sorted || (before != nullptr && one.first < before->last)) return false;
      before = &one;
    }
    return true;
  }

  /// Whether values are next to their keys in all steps. Positions of the keys take the place of
  /// values of other sizes, which are moved before the exchange and after the last step.
  bool moves_with_keys() const {
    return !values_.positions && (values_.size == 4 || values_.size == 8);
  }
  bool moves_by_place() const {
    return values_.size != 0 && !values_.positions && !moves_with_keys();
  }
  /// Bytes of a value in the exchange.
  std::size_t sent_bytes() const { return values_.positions ? carried_ : values_.size; }

  static index_t bytes_of(index_t n, std::size_t size) { return n * static_cast<index_t>(size); }
  memory_span keys_in() const { return {in_.data(), std::ssize(in_), sizeof(Key)}; }
  memory_span keys_out() const { return {out_, n_out_, sizeof(Key)}; }
  memory_span values_in() const { return {values_.in, std::ssize(in_), values_.size}; }
  memory_span values_out() const { return {values_.out, n_out_, values_.size}; }

  /// Memory for keys and values: outputs of the call, or other.
  struct item_memory {
    Key* keys = nullptr;
    void* values = nullptr;
    cpu::detail::sort_memory<Key> own_keys{};
    cpu::detail::sort_memory<std::byte> own_values{};

    void allocate_keys(index_t n) {
      own_keys = cpu::detail::sort_memory<Key>(n);
      keys = own_keys.data();
    }
    void allocate_values(index_t bytes) {
      own_values = cpu::detail::sort_memory<std::byte>(bytes);
      values = own_values.data();
    }
  };

  /// The outputs, or memory for as many items, if they overlap inputs. `in_place`: each output may
  /// begin where its input does.
  item_memory apart(bool in_place) const {
    detail::require_no_overlap("sort", "output keys and output values", keys_out(), values_out());
    auto const overlaps = [&](memory_span const& out, memory_span const& in,
                              memory_span const& other) {
      return (out.overlaps(in) && !(in_place && out.begin == in.begin)) || out.overlaps(other);
    };
    item_memory to{out_, values_.out};
    if (overlaps(keys_out(), keys_in(), values_in())) to.allocate_keys(n_out_);
    if (overlaps(values_out(), values_in(), keys_in())) {
      to.allocate_values(bytes_of(n_out_, values_.size));
    }
    return to;
  }

  /// Copies complete results to the outputs.
  void finish(item_memory const& to) const {
    if (to.keys != out_) std::copy_n(to.keys, n_out_, out_);
    if (to.values != values_.out) {
      std::memcpy(values_.out, to.values, static_cast<std::size_t>(values_out().bytes()));
    }
  }

  void sort_alone() const {
    item_memory const to = apart(true);
    if (values_.positions) {
      compiled_sort<Key>::positions(on_.local(), in_.data(), static_cast<index_t*>(to.values),
                                    n_out_, options_);
    } else {
      compiled_sort<Key>::items(on_.local(), in_.data(), to.keys,
                                {values_.in, to.values, values_.size}, n_out_, options_);
    }
    finish(to);
  }

  /// Sends items of `size` bytes.
  void exchange(char const* step, void const* from, void* to, std::size_t size,
                std::vector<index_t> send, std::vector<index_t> receive) {
    for (index_t& count : send) count = bytes_of(count, size);
    for (index_t& count : receive) count = bytes_of(count, size);
    std::span const in(static_cast<std::byte const*>(from), in_.size() * size);
    std::span const out(static_cast<std::byte*>(to),
                        static_cast<std::size_t>(bytes_of(n_out_, size)));
    detail::exchange_pieces(call_, step, in, std::span<index_t const>(send), out,
                            std::span<index_t const>(receive));
  }

  void rebalance_sorted(in_and_out const& d) {
    if (values_.positions) {
      std::span const to(static_cast<index_t*>(values_.out), static_cast<std::size_t>(n_out_));
      return std::iota(to.begin(), to.end(), d.out.begin(on_.rank()));
    }
    auto const pieces = detail::rebalanced_pieces(d, on_.rank());
    item_memory to;
    call_.agree("space", [&] { to = apart(false); });
    exchange("keys", in_.data(), to.keys, sizeof(Key), pieces.send, pieces.receive);
    if (values_.size != 0) {
      exchange("values", values_.in, to.values, values_.size, pieces.send, pieces.receive);
    }
    call_.agree("end", [] {});
    finish(to);
  }

  /// Words of some keys of all ranks.
  void gather_sample() {
    std::size_t const each =
        std::clamp<std::size_t>(2048 / static_cast<std::size_t>(on_.size()), 16, 1024);
    auto const bytes = call_.gather_bytes("sample", (each + 1) * sizeof(word), [&](auto to) {
      std::vector<word> words(each + 1);
      std::size_t const count = std::min(each, in_.size());
      words[0] = static_cast<word>(count > 0 ? 1 : 0);
      for (std::size_t i = 0; i < each && count > 0; ++i) {
        words[i + 1] = word_of(in_[i % count * (in_.size() / count)]);
      }
      std::memcpy(to.data(), words.data(), to.size());
    });
    std::vector<word> words(bytes.size() / sizeof(word));
    std::memcpy(words.data(), bytes.data(), bytes.size());
    for (std::size_t at = 0; at < words.size(); at += each + 1) {
      if (words[at] == 0) continue;
      sample_.insert(sample_.end(), words.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     words.begin() + static_cast<std::ptrdiff_t>(at + each + 1));
    }
    rule_.sample = sample_;
  }

  /// Whether `bytes` bytes of an output can be used before the results are there.
  bool is_free(memory_span const& out, index_t bytes) const {
    return out.bytes() >= bytes && !out.overlaps(keys_in()) && !out.overlaps(values_in());
  }

  /// Memory for this rank's items in the order of their buckets: outputs, where these are free.
  item_memory split_memory() const {
    index_t const n = std::ssize(in_), keys = bytes_of(n, sizeof(Key)),
                  values = bytes_of(n, carried_);
    detail::require_no_overlap("sort", "output keys and output values", keys_out(), values_out());
    item_memory to{out_, values_.out};
    if (!is_free(keys_out(), keys)) to.allocate_keys(n);
    if (moves_by_place() || !is_free(values_out(), values)) to.allocate_values(values);
    if (!compiled_buckets<Key>::can_split_to(to.keys, {.size = carried_, .out = to.values})) {
      to.allocate_keys(n);
      to.allocate_values(values);
    }
    return to;
  }

  void sort_by_buckets(in_and_out const& d) {
    index_t const n = std::ssize(in_);
    item_memory split, received;
    bool reused = false;  // memory of split keys, for received values
    call_.agree("split", [&] {
      split = split_memory();
      received.allocate_keys(n_out_);
      // New memory takes time: values come to that of the keys, which have left by then.
      reused =
          !split.own_keys.empty() && bytes_of(n, sizeof(Key)) >= bytes_of(n_out_, sent_bytes());
      if (!reused) received.allocate_values(bytes_of(n_out_, sent_bytes()));
      carried_values values{.size = carried_, .out = split.values};
      if (moves_with_keys()) values.in = values_.in;
      if (values_.positions) values.first = d.in.begin(on_.rank());
      bounds_ = compiled_buckets<Key>::split(on_.threads(), in_.data(), n, split.keys, values,
                                             rule_, order_);
    });
    auto const send = split_counts(d.out, split);
    std::vector<index_t> receive(send.size());
    call_.through().transpose(call_.at("counts"), send, receive);
    if (moves_by_place()) call_.agree("values", [&] { move_values(split); });
    exchange("keys", split.keys, received.keys, sizeof(Key), send, receive);
    if (reused) received.values = split.keys;
    if (carried_ != 0) {
      exchange("values", split.values, received.values, sent_bytes(), send, receive);
    }
    split.own_values = {};
    if (!reused) split.own_keys = {};
    call_.agree("sort", [&] {
      on_.local().runs_kernels() ? sort_on_machine(received) : sort_received(received, receive);
    });
  }

  /// Values in the order of their positions, which they replace.
  void move_values(item_memory& split) const {
    item_memory to{nullptr, values_.out};
    index_t const n = std::ssize(in_), bytes = bytes_of(n, values_.size);
    if (!is_free(values_out(), bytes)) to.allocate_values(bytes);
    detail::gather_values(on_.threads(), values_.in, to.values, values_.size, split.values,
                          carried_, n);
    split.values = to.values;
    split.own_values = (std::move)(to.own_values);
  }

  void sort_received(item_memory const& received, std::vector<index_t> ends) const {
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    carried_values values{carried_, received.values, 0, values_.out};
    item_memory positions;
    if (moves_by_place()) {
      positions.allocate_values(bytes_of(n_out_, carried_));
      values.in = nullptr;
      values.out = positions.values;
    }
    compiled_buckets<Key>::sort(on_.threads(), received.keys, ends, out_, values, rule_, order_);
    if (!moves_by_place()) return;
    detail::gather_values(on_.threads(), received.values, values_.out, values_.size,
                          positions.values, carried_, n_out_);
  }

  /// By an engine that runs kernels. The runs of received items are in the order of their ranks.
  void sort_on_machine(item_memory const& received) const {
    if (!values_.positions) {
      return compiled_sort<Key>::items(on_.local(), received.keys, out_,
                                       {received.values, values_.out, values_.size}, n_out_,
                                       options_);
    }
    compiled_sort<Key>::items(on_.local(), received.keys, received.keys,
                              {received.values, received.values, carried_}, n_out_, options_);
    auto* const to = static_cast<index_t*>(values_.out);
    for (index_t i = 0; i < n_out_; ++i) {
      to[i] = carried_ == 4 ? index_t{static_cast<std::uint32_t const*>(received.values)[i]}
                            : static_cast<index_t const*>(received.values)[i];
    }
  }

  /// A bucket that holds the first key of a part: keys here, and keys of earlier such buckets.
  struct cut_bucket {
    index_t begin, size, before;
  };

  /// The buckets that parts cut, and the parts' cuts: in which of these buckets, or before which
  /// key here.
  struct cuts {
    std::vector<cut_bucket> buckets;
    std::vector<index_t> lengths;  // the keys of these buckets, on all ranks, in each part
    struct place {
      std::size_t bucket;  // or one past the last: none
      index_t begin;
    };
    std::vector<place> places;
    index_t keys = 0;  // here, in these buckets
  };

  /// `sizes`: of all ranks' buckets.
  cuts find_cuts(distribution const& out, std::vector<index_t> const& sizes) const {
    cuts found;
    constexpr auto none = static_cast<std::size_t>(-1);
    std::size_t b = 0;
    std::size_t last_cut = none;
    index_t begin = 0, cut_keys = 0, before = 0;  // of all ranks
    for (int r = 1; r < out.ranks(); ++r) {
      index_t const position = out.begin(r);
      for (; b < sizes.size() && begin + sizes[b] <= position; ++b) begin += sizes[b];
      index_t in_cut_buckets = cut_keys;
      if (b < sizes.size() && begin < position) {
        if (last_cut != b) {
          found.buckets.push_back({bounds_[b], bounds_[b + 1] - bounds_[b], found.keys});
          found.keys += found.buckets.back().size;
          cut_keys += sizes[b];
          last_cut = b;
        }
        in_cut_buckets = cut_keys - sizes[b] + position - begin;
        found.places.push_back({found.buckets.size() - 1, 0});
      } else {
        found.places.push_back({none, bounds_[b]});
      }
      found.lengths.push_back(in_cut_buckets - before);
      before = in_cut_buckets;
    }
    found.lengths.push_back(cut_keys - before);
    return found;
  }

  /// How many of the split keys each rank gets. Sorts the buckets that parts cut.
  std::vector<index_t> split_counts(distribution const& out, item_memory const& split) {
    std::vector<index_t> sizes;
    for (std::size_t b = 1; b < bounds_.size(); ++b) sizes.push_back(bounds_[b] - bounds_[b - 1]);
    call_.through().sum(call_.at("buckets"), sizes, summed_ranks::all);
    cuts const cut = find_cuts(out, sizes);
    call_.agree("cut buckets", [&] {
      for (cut_bucket const& one : cut.buckets) {
        Key* const keys = split.keys + one.begin;
        void* values = nullptr;
        if (carried_ != 0)
          values = static_cast<std::byte*>(split.values) + bytes_of(one.begin, carried_);
        compiled_sort<Key>::items(engine::cpu(on_.threads()), keys, keys,
                                  {values, values, carried_}, one.size, options_);
      }
    });
    auto const of_cut_buckets =
        detail::split_counts<word>(call_, distribution(cut.lengths), cut.keys, [&](index_t i) {
          auto const past = std::ranges::upper_bound(cut.buckets, i, {}, &cut_bucket::before);
          return word_of(split.keys[(past - 1)->begin + i - (past - 1)->before]);
        });
    std::vector<index_t> counts;
    index_t begin = 0, before = 0;  // `before`: keys of these buckets before the cut
    for (std::size_t c = 0; c < cut.places.size(); ++c) {
      before += of_cut_buckets[c];
      auto const& place = cut.places[c];
      index_t end = place.begin;
      if (place.bucket < cut.buckets.size()) {
        cut_bucket const& one = cut.buckets[place.bucket];
        end = one.begin + before - one.before;
      }
      counts.push_back(end - begin);
      begin = end;
    }
    counts.push_back(std::ssize(in_) - begin);
    return counts;
  }

  ranks const& on_;
  collective_call& call_;
  std::span<Key const> in_;
  Key* out_;
  index_t n_out_;
  values_on_ranks values_;
  sort_options options_;
  sort_order<Key> order_;
  std::vector<word> sample_;
  bucket_rule<word> rule_{};
  std::size_t carried_ = 0;      // bytes that are next to a key, until all is sorted
  std::vector<index_t> bounds_;  // of this rank's buckets
};

}  // namespace libscan::inline v1::detail
