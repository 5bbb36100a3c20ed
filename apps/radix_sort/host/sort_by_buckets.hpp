// SPDX-License-Identifier: Apache-2.0
// The sort of many keys over GPUs that reach each other's memory. Each rank splits its keys into
// buckets by their highest digit. Exact splitters cut the buckets where a rank's part of the result
// ends. Then each rank copies its buckets from all ranks, and sorts those that have come while the
// next ones come. Internal.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include <apps/radix_sort/host/sort_device.hpp>
#include <apps/radix_sort/host/sorted_runs.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/splitters.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/sort_device_calls.hpp>

namespace libscan::inline v1::detail {

/// Keys of a distributed sort and, unless Value is `keys_only`, as many values.
template <class Key, class Value>
struct device_pairs {
  Key* keys;
  Value* values;

  device_pairs from(index_t i) const {
    return {keys + i, values == nullptr ? nullptr : values + i};
  }
};

/// Memory for n of them.
template <class Key, class Value>
class device_pairs_array {
 public:
  device_pairs_array(device_queue const& queue, index_t n) : keys_(queue, n) {
    if constexpr (!std::is_same_v<Value, keys_only>) values_.emplace(queue, n);
  }
  device_pairs<Key, Value> get() const {
    return {keys_.data(), values_ ? values_->data() : nullptr};
  }

 private:
  device_array<Key> keys_;
  std::optional<device_array<Value>> values_;
};

/// Sorts n of this rank's own.
template <class Key, class Value>
void sort_own(ranks const& on, device_pairs<Key const, Value const> in, index_t n,
              device_pairs<Key, Value> out, sort_options const& options) {
  device_span<Key const> const keys{in.keys, n};
  if constexpr (std::is_same_v<Value, keys_only>) {
    libscan::sort_keys(on.queue(), keys, out.keys, options);
  } else {
    libscan::sort_pairs(on.queue(), keys, out.keys, in.values, out.values, options);
  }
}

/// Groups n of this rank's own by some bits, before a sort by the bits below. `all_bits`: the whole
/// sort compares all bits. Then keys without values come in any order within a group.
template <class Key, class Value>
void group_own(ranks const& on, device_pairs<Key const, Value const> in, index_t n,
               device_pairs<Key, Value> out, sort_options const& options, bool all_bits) {
  if constexpr (std::is_same_v<Value, keys_only>) {
    sort_call call = detail::sort_of_keys(device_span<Key const>{in.keys, n}, out.keys);
    call.any_order = all_bits;
    sort_of<Key>::enqueue(on.queue(), call, options);
  } else {
    detail::sort_own(on, in, n, out, options);
  }
}

/// How many of this rank's sorted keys each rank gets.
template <class Key>
std::vector<index_t> split_device_keys(collective_call& call, ranks const& on,
                                       distribution const& out, Key const* keys, index_t n,
                                       sort_order<Key> const& order) {
  using word = typename sort_order<Key>::word_type;
  return detail::split_counts_by<word>(call, out, n, [&](std::span<word const> words) {
    return compiled_runs<Key>::search(on.queue(), keys, n, words, order);
  });
}

inline constexpr int bucket_bits = sort_digit_bits;
inline constexpr std::size_t buckets = std::size_t{1} << bucket_bits;

/// Where the buckets of a rank begin, and where the last one ends.
using bucket_bounds = std::array<index_t, buckets + 1>;

/// The buckets in which parts of ranks begin, except those that begin with the first item of all.
/// `bounds`: of the buckets of all ranks together.
template <class Number>
std::set<std::size_t> cut_buckets(std::array<Number, buckets + 1> const& bounds,
                                  distribution const& out) {
  std::set<std::size_t> found;
  for (int r = 1; r < out.ranks(); ++r) {
    if (out.begin(r) == 0) continue;
    if (out.begin(r) == out.total()) break;
    auto const past = std::ranges::upper_bound(bounds, static_cast<Number>(out.begin(r)));
    auto const bucket = static_cast<std::size_t>(past - bounds.begin());
    found.insert(std::clamp(bucket, std::size_t{1}, buckets) - 1);
  }
  return found;
}

/// What ranks exchange before a sort: how many items they have and get, and the words of some keys
/// at equal distances.
template <class Key>
struct sort_numbers {
  index_t in, out;
  bool fast;  // the rank sorts within many buckets together
  bool sampled;
  std::array<typename sort_order<Key>::word_type, 256> words;
};

/// The fewest items of a rank, in the mean, for a sort by buckets. In the executor few, so that
/// tests of few items sort by buckets, too.
inline index_t min_bucket_items(engine const& on) {
  return on.is_cuda() ? index_t{1} << 22 : index_t{1} << 10;
}

/// The fewest items of a rank that are sampled, and of a group of buckets.
inline index_t min_group_items(engine const& on) { return detail::min_bucket_items(on) / 16; }

/// Whether the keys' type and the order's bits permit a sort by buckets.
template <class Key>
bool may_use_buckets(sort_order<Key> const& order) {
  return sizeof(Key) >= 4 && order.end() - order.first_bit > 2 * bucket_bits;
}

/// Whether a sort by buckets is faster than local sorts and a merge: of many items, unless the
/// samples say that many are in buckets that the ranks share.
template <class Key>
bool suits_buckets(std::vector<sort_numbers<Key>> const& all, in_and_out const& d, engine const& on,
                   sort_order<Key> const& order) {
  if (d.in.total() < detail::min_bucket_items(on) * d.in.ranks()) return false;
  std::array<double, buckets + 1> bounds{};  // first: how many are in the bucket before
  for (auto const& one : all) {
    if (!one.fast) return false;
    if (!one.sampled) continue;
    double const each = static_cast<double>(one.in) / static_cast<double>(one.words.size());
    for (auto const word : one.words) {
      bounds[static_cast<std::size_t>(word >> (order.end() - bucket_bits)) + 1] += each;
    }
  }
  for (std::size_t b = 0; b < buckets; ++b) bounds[b + 1] += bounds[b];
  double shared = 0;
  for (std::size_t const b : detail::cut_buckets(bounds, d.out))
    shared += bounds[b + 1] - bounds[b];
  return shared <= static_cast<double>(d.in.total()) / 16;
}

/// The bounds of buckets that follow one another.
template <class Key>
bucket_bounds bounds_of(ranks const& on, Key const* keys, index_t n, sort_order<Key> const& order) {
  using word = typename sort_order<Key>::word_type;
  std::vector<word> firsts;
  for (std::size_t b = 0; b < buckets; ++b) {
    firsts.push_back(static_cast<word>(static_cast<word>(b) << (order.end() - bucket_bits)));
  }
  auto const found = compiled_runs<Key>::search(on.queue(), keys, n, firsts, order);
  bucket_bounds bounds;
  for (std::size_t b = 0; b < buckets; ++b) bounds[b] = found[2 * b];
  bounds[buckets] = n;
  return bounds;
}

/// Which items of each rank's buckets a rank gets: [begins[q], begins[q] + sizes[q]) of rank q.
struct bucket_share {
  std::vector<index_t> begins, sizes;
};

/// The share between two cuts, which are positions in each rank's buckets.
inline bucket_share share_between(std::vector<index_t> const& from,
                                  std::vector<index_t> const& to) {
  bucket_share share{from, to};
  for (std::size_t q = 0; q < from.size(); ++q) share.sizes[q] -= from[q];
  return share;
}

/// A copy of a part of a rank's buckets.
struct bucket_copy {
  std::size_t from;  // rank
  index_t begin;     // there
  index_t target;    // here
  index_t size;
};

/// Buckets that are sorted together: which of the pieces and segments of all, and what other ranks
/// have of them. Those pieces come to the place of the group's own result.
struct bucket_group {
  std::size_t first_piece, first_segment;
  index_t begin;
  std::vector<bucket_copy> copies;
};

/// What a rank receives: buckets, each of pieces in rank order. Its own pieces stay where they are.
struct received_buckets {
  std::vector<listed_piece> pieces;
  std::vector<listed_piece> segments;
  std::vector<bucket_group> groups;  // and one more, which is the end

  /// For rank `me`, with groups of at least so many items.
  received_buckets(std::span<bucket_bounds const> bounds, bucket_share const& share, std::size_t me,
                   index_t least) {
    index_t const n = std::accumulate(share.sizes.begin(), share.sizes.end(), index_t{0});
    index_t end = 0;
    for (std::size_t b = 0; b < buckets;) {
      // What is copied during a sort takes less time if it is no more than what is sorted.
      index_t const wanted = std::max({end, n / 32, least});
      bucket_group group{pieces.size(), segments.size(), end, {}};
      std::size_t const first = b;
      do {
        index_t size = 0;
        for (std::size_t q = 0; q < bounds.size(); ++q) {
          size += within(bounds, share, q, b, b + 1).size;
        }
        if (size > 0) segments.push_back({end, size, static_cast<int>(segments.size()), 0});
        end += size;
        ++b;
      } while (b < buckets && end - group.begin < wanted &&
               (b + 1 - first) * bounds.size() <= max_listed_pieces);
      add_pieces(bounds, share, me, first, b, group);
      if (end > group.begin) groups.push_back((std::move)(group));
    }
    groups.push_back({pieces.size(), segments.size(), end, {}});
  }

 private:
  /// The part of buckets [first, past) of rank q that is in the share.
  static bucket_copy within(std::span<bucket_bounds const> bounds, bucket_share const& share,
                            std::size_t q, std::size_t first, std::size_t past) {
    index_t const from = std::max(bounds[q][first], share.begins[q]);
    index_t const to = std::min(bounds[q][past], share.begins[q] + share.sizes[q]);
    return {q, from, 0, std::max(to - from, index_t{0})};
  }

  void add_pieces(std::span<bucket_bounds const> bounds, bucket_share const& share, std::size_t me,
                  std::size_t first, std::size_t past, bucket_group& group) {
    // Where the parts of other ranks come to. Each rank begins with another one.
    std::vector<index_t> shift(bounds.size(), 0);
    index_t target = group.begin;
    for (std::size_t turn = 1; turn < bounds.size(); ++turn) {
      std::size_t const q = (me + turn) % bounds.size();
      bucket_copy copy = within(bounds, share, q, first, past);
      if (copy.size == 0) continue;
      copy.target = target;
      shift[q] = target - copy.begin;
      target += copy.size;
      group.copies.push_back(copy);
    }
    auto segment = static_cast<int>(group.first_segment);
    for (std::size_t b = first; b < past; ++b) {
      std::size_t const before = pieces.size();
      for (std::size_t q = 0; q < bounds.size(); ++q) {
        bucket_copy const own = within(bounds, share, q, b, b + 1);
        if (own.size == 0) continue;
        pieces.push_back({own.begin + shift[q], own.size, segment, q == me ? 1 : 0});
      }
      if (pieces.size() > before) ++segment;
    }
  }
};

/// Copies buckets out of all ranks' memory to `into`, and sorts each between it and `other`.
/// `order`: the bits below those that make the buckets.
template <class Key, class Value>
void receive_and_sort(ranks const& on, std::span<device_pairs<Key, Value> const> all,
                      received_buckets const& received, device_pairs<Key, Value> into,
                      device_pairs<Key, Value> other, sort_order<Key> const& order,
                      bool agree_above) {
  auto const& [pieces, segments, groups] = received;
  device_array<listed_piece> const d_pieces(on.queue(), static_cast<index_t>(pieces.size()));
  device_array<listed_piece> const d_segments(on.queue(), static_cast<index_t>(segments.size()));
  d_pieces.upload(pieces);
  d_segments.upload(segments);
  own_stream const copying(on.local());
  auto const& mine = all[static_cast<std::size_t>(on.rank())];
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    for (bucket_copy const& one : groups[g].copies) {
      auto const from = all[one.from].from(one.begin), to = into.from(one.target);
      auto const size = static_cast<std::size_t>(one.size);
      detail::copy(copying.queue(), to.keys, from.keys, size * sizeof(Key));
      if (to.values != nullptr) {
        detail::copy(copying.queue(), to.values, from.values, size * sizeof(Value));
      }
    }
    detail::follow(on.queue(), copying.queue().stream);
    auto const part = [](auto const& list, auto const& d_list, std::size_t begin, std::size_t end) {
      return listed_pieces{std::span(list).subspan(begin, end - begin), d_list.data() + begin};
    };
    listed_sort_call call{
        .keys = into.keys,
        .other_keys = other.keys,
        .more_keys = mine.keys,
        .pieces = part(pieces, d_pieces, groups[g].first_piece, groups[g + 1].first_piece),
        .segments =
            part(segments, d_segments, groups[g].first_segment, groups[g + 1].first_segment),
        .agree_above = agree_above};
    if constexpr (!std::is_same_v<Value, keys_only>) {
      call.values = into.values;
      call.other_values = other.values;
      call.more_values = mine.values;
      call.value_bytes = sizeof(Value);
    }
    compiled_runs<Key>::sort_segments(on.queue(), call, order);
  }
  detail::synchronize(on.queue());
}

/// The share of a rank of two: where the cut between them is. Their buckets have these bounds; the
/// one that holds the cut is sorted.
template <class Key, class Value>
bucket_share share_of_two(ranks const& on, std::span<device_pairs<Key, Value> const> all,
                          std::span<bucket_bounds const> bounds, index_t cut,
                          sort_order<Key> const& order) {
  std::size_t b = 0;  // that holds the cut
  while (b + 1 < buckets && bounds[0][b + 1] + bounds[1][b + 1] <= cut) ++b;
  sorted_run<Key> runs[2];
  for (std::size_t q : {std::size_t{0}, std::size_t{1}}) {
    runs[q] = {all[q].keys + bounds[q][b], nullptr, bounds[q][b + 1] - bounds[q][b]};
  }
  index_t const before =
      std::clamp(cut - bounds[0][b] - bounds[1][b], index_t{0}, runs[0].size + runs[1].size);
  index_t const of_first =
      compiled_runs<Key>::merge_cut(on.queue(), runs[0], runs[1], before, order);
  std::vector<index_t> const at_cut{bounds[0][b] + of_first, bounds[1][b] + before - of_first};
  if (on.rank() == 0) return detail::share_between({0, 0}, at_cut);
  return detail::share_between(at_cut, {bounds[0][buckets], bounds[1][buckets]});
}

/// The share of any rank, of n items of its own.
template <class Key>
bucket_share share_of_many(collective_call& call, ranks const& on, distribution const& out,
                           Key const* keys, index_t n, sort_order<Key> const& order) {
  // In a bucket that is not sorted, a search ends somewhere within it. So the sums of counts up to
  // the ends of buckets are right, and cuts are in buckets that are sorted.
  auto const send = detail::split_device_keys(call, on, out, keys, n, order);
  std::vector<index_t> begins(send.size());
  std::exclusive_scan(send.begin(), send.end(), begins.begin(), index_t{0});
  bucket_share share{begins, begins};
  call.through().transpose(call.at("counts"), send, share.sizes);
  call.through().transpose(call.at("places"), begins, share.begins);
  return share;
}

/// Sorts d.in.size(rank) items of each rank, which reads all ranks' memory. Returns false on all
/// ranks, before anything is written to `out`, if one has too little memory.
template <class Key, class Value>
bool sort_by_buckets(collective_call& call, ranks const& on,
                     device_pairs<Key const, Value const> in, device_pairs<Key, Value> out,
                     in_and_out const& d, sort_options const& options) {
  sort_order<Key> const order{options.direction, options.first_bit, options.end_bit, {}};
  int const first_of_bucket = order.end() - bucket_bits;
  sort_options to_buckets = options, below = options;
  to_buckets.first_bit = below.end_bit = first_of_bucket;
  to_buckets.end_bit = order.end();

  index_t const n = d.in.size(on.rank()), n_out = d.out.size(on.rank());
  std::optional<device_pairs_array<Key, Value>> split, other;
  struct split_buckets {
    bool has_memory;
    bucket_bounds bounds;
  };
  auto const of_ranks = call.gather("buckets", [&] {
    split_buckets mine{};
    try {
      split.emplace(on.queue(), n);
      detail::group_own(on, in, n, split->get(), to_buckets, order.has_all_bits());
      mine.bounds = detail::bounds_of(on, split->get().keys, n, order);
      other.emplace(on.queue(), n_out);
      mine.has_memory = true;
    } catch (std::bad_alloc const&) {
    } catch (device_error const&) {  // if the reason is another one, the next call fails, too
    }
    return mine;
  });
  std::vector<bucket_bounds> bounds;
  bucket_bounds of_all{};
  for (split_buckets const& one : of_ranks) {
    if (!one.has_memory) return false;
    bounds.push_back(one.bounds);
    for (std::size_t b = 0; b <= buckets; ++b) of_all[b] += one.bounds[b];
  }
  for (std::size_t const b : detail::cut_buckets(of_all, d.out)) {
    index_t const begin = bounds[static_cast<std::size_t>(on.rank())][b];
    index_t const size = bounds[static_cast<std::size_t>(on.rank())][b + 1] - begin;
    auto const bucket = split->get().from(begin);
    detail::sort_own<Key, Value>(on, {bucket.keys, bucket.values}, size, bucket, below);
  }
  bucket_share share;
  if (on.size() > 2) {
    share = detail::share_of_many(call, on, d.out, split->get().keys, n, order);
  }
  auto const all = call.gather("memory", [&] {
    detail::synchronize(on.queue());
    return split->get();
  });
  call.agree("sort", [&] {
    if (on.size() == 2) {
      share = detail::share_of_two<Key, Value>(on, all, bounds, d.out.begin(1), order);
    }
    received_buckets const received(bounds, share, static_cast<std::size_t>(on.rank()),
                                    detail::min_group_items(on.local()));
    bool const odd = ceil_div(first_of_bucket - order.first_bit, bucket_bits) % 2 != 0;
    sort_order<Key> const order_below{options.direction, below.first_bit, below.end_bit, {}};
    detail::receive_and_sort<Key, Value>(on, all, received, odd ? other->get() : out,
                                         odd ? out : other->get(), order_below,
                                         order.end() == sort_order<Key>::bits);
  });
  return true;
}

}  // namespace libscan::inline v1::detail
