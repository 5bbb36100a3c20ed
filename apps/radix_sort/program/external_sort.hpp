// SPDX-License-Identifier: Apache-2.0
// The sort of more records than fit in memory: splitters from a sample, one pass that distributes
// the records over buckets in a temporary file, one that reads, sorts and hands over bucket after
// bucket. A bucket that is too large is split again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <future>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <apps/common/on_threads.hpp>
#include <apps/radix_sort/program/bucket_splitters.hpp>
#include <apps/radix_sort/program/external_plan.hpp>
#include <apps/radix_sort/program/record_file.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::apps {

/// What an external sort does, apart from its types.
struct external_request {
  engine on;
  sort_options options;
  bool unique = false;         ///< only the first of equal keys
  bool positions = false;      ///< the values are the positions of the keys
  std::string directory = {};  ///< of temporary files, unless another one was set for all of them
  /// Receives the sorted records, piece by piece, on one thread at a time.
  std::function<void(record_piece const&)> put = {};
};

/// The keys of records without values.
struct no_value {};

/// Moves the first of each run of equal items to the front; returns their number.
template <class Same, class Move>
std::size_t keep_first(std::size_t n, Same same, Move move) {
  if (n == 0) return 0;
  std::size_t kept = 1;
  for (std::size_t i = 1; i < n; ++i) {
    if (!same(kept - 1, i)) move(kept++, i);
  }
  return kept;
}

/// Sorts records of keys of type Key and values of type Value. Only the size of Value matters.
template <class Key, class Value>
class external_sort {
 public:
  external_sort(external_request const& request, external_plan const& plan)
      : request_(request),
        plan_(plan),
        order_{request.options.direction, request.options.first_bit, request.options.end_bit} {
    order_.check_bits();
    counting_ = order_.counting(0);
  }

  /// Sorts all records of a list.
  void run(record_list const& from) {
    if (from.count <= plan_.bucket_items) {
      sort_buckets({&from, 1});
    } else {
      split_and_sort(from, request_.positions);
    }
    finish_put();
  }

 private:
  using word = typename sort_order<Key>::word_type;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr std::size_t value_bytes = has_values ? sizeof(Value) : 0;

  /// Records in memory.
  struct records {
    lazy_buffer<Key> keys;
    lazy_buffer<Value> values;
    std::size_t count = 0;

    explicit records(std::size_t max_records)
        : keys(max_records), values(has_values ? max_records : 0) {}
    record_piece piece() {
      return {std::as_bytes(keys.items().first(count)),
              has_values ? std::as_bytes(values.items().first(count)) : std::span<std::byte>{}};
    }
  };

  word word_of(Key const& key) const { return static_cast<word>(order_.word(key) & counting_); }

  /// Keys of some blocks that are spread over the list.
  std::vector<word> sample(record_list const& from, std::size_t blocks) const {
    constexpr std::uint64_t block = 4096;
    std::mt19937_64 random(from.extents.size());
    std::vector<byte_range> ranges;
    for (std::size_t i = 0; i < blocks; ++i) {
      // One from each stretch of equal length: sorted keys are split well, too.
      auto const stretch = static_cast<double>(from.extents.size()) / static_cast<double>(blocks);
      std::uniform_real_distribution<double> within(0, stretch);
      auto const at = static_cast<std::size_t>(static_cast<double>(i) * stretch + within(random));
      record_extent const& extent = from.extents[std::min(at, from.extents.size() - 1)];
      std::uint64_t const end =
          extent.keys + static_cast<std::uint64_t>(extent.count) * sizeof(Key);
      std::uint64_t first = extent.keys;
      if (std::uint64_t const blocks_here = (end - first) / block; blocks_here > 1) {
        first += random() % blocks_here * block;
        first = (first + block - 1) / block * block;  // of the file: one block is read, not two
      }
      ranges.push_back({first, std::min(first + block, end)});
    }
    std::vector<word> words;
    block_reader in(from.keys, from.name, std::move(ranges));
    for (auto bytes = in.next(); !bytes.empty(); bytes = in.next()) {
      std::size_t const n = bytes.size() / sizeof(Key);
      std::size_t const step = std::max<std::size_t>(1, n / plan_.sampled_keys);
      for (std::size_t k = random() % step; k < n; k += step) {
        Key key;
        std::memcpy(&key, bytes.data() + k * sizeof(Key), sizeof key);
        words.push_back(word_of(key));
      }
    }
    return words;
  }

  /// Distributes the records of a list. `count_positions`: their values are their positions. Each
  /// thread takes a part of the list.
  std::vector<record_list> split(record_list const& from, splitters<word> const& by,
                                 bool count_positions) const {
    record_file to(from.count, sizeof(Key), value_bytes, request_.directory);
    std::size_t const threads = plan_.splitting_threads(by.count());
    std::size_t const extent = plan_.extent_items(by.count() * threads);
    auto const parts = from.in_parts(threads);
    std::vector<index_t> begins{0};
    for (record_list const& part : parts) begins.push_back(begins.back() + part.count);
    std::vector<std::vector<record_list>> found(parts.size());
    for_each_on_threads(parts.size(), static_cast<int>(threads), [&](std::size_t p) {
      bucket_writer writer(to, by.count(), extent);
      split_part(parts[p], by, count_positions ? std::optional(begins[p]) : std::nullopt, writer);
      found[p] = writer.buckets();
    });
    to.finish();
    std::vector<record_list> all(by.count(), to.list());
    for (auto const& lists : found) {
      for (std::size_t b = 0; b < all.size(); ++b) all[b].add(lists[b]);
    }
    return all;
  }

  /// Where the next record of a bucket goes.
  struct staging {
    Key* key;
    Key* end;
    std::byte* value;
  };

  /// Distributes the records of a list. `position`: their values are their positions, from here on.
  void split_part(record_list const& from, splitters<word> const& by,
                  std::optional<index_t> position, bucket_writer& to) const {
    std::vector<staging> next;
    auto const empty = [&](std::size_t b) -> staging {
      auto* const keys = reinterpret_cast<Key*>(to.keys(b));
      return {keys, keys + to.extent(), to.values(b)};
    };
    for (std::size_t b = 0; b < by.count(); ++b) next.push_back(empty(b));
    record_reader in(from, sizeof(Key), value_bytes);
    while (auto const piece = in.next()) {
      std::size_t const n = piece->keys.size() / sizeof(Key);
      auto const* const keys = reinterpret_cast<Key const*>(piece->keys.data());
      std::byte const* const values = piece->values.data();
      constexpr std::size_t some = 512;
      for (std::size_t begin = 0; begin < n; begin += some) {
        std::size_t const end = std::min(n, begin + some);
        std::uint32_t found[some];
        by.find(
            end - begin, [&](std::size_t i) { return word_of(keys[begin + i]); }, found);
        for (std::size_t i = begin; i < end; ++i) {
          std::size_t const b = found[i - begin];
          staging& at = next[b];
          *at.key++ = keys[i];
          if constexpr (has_values) {
            if (position) {
              auto const here = *position + static_cast<index_t>(i);
              std::memcpy(at.value, &here, sizeof(Value));
            } else {
              std::memcpy(at.value, values + i * sizeof(Value), sizeof(Value));
            }
            at.value += sizeof(Value);
          }
          if (at.key != at.end) continue;
          to.flush(b, to.extent());
          at = empty(b);
        }
      }
      if (position) *position += static_cast<index_t>(n);
    }
    for (std::size_t b = 0; b < by.count(); ++b) {
      to.flush(b, to.extent() - static_cast<std::size_t>(next[b].end - next[b].key));
    }
  }

  void split_and_sort(record_list const& from, bool count_positions) {
    std::size_t const wanted = plan_.buckets(from.count);
    splitters<word> const by(sample(from, external_plan::sampled_blocks(wanted)), wanted);
    std::vector<record_list> const buckets = split(from, by, count_positions);
    auto const fits = [&](std::size_t b) {
      return !by.is_single(b) && buckets[b].count <= plan_.bucket_items;
    };
    for (std::size_t b = 0; b < buckets.size();) {
      std::size_t const first = b;
      while (b < buckets.size() && fits(b)) ++b;
      sort_buckets(std::span(buckets).subspan(first, b - first));
      if (b == buckets.size()) break;
      if (by.is_single(b)) {
        pass_on(buckets[b]);
      } else {
        split_and_sort(buckets[b], false);
      }
      ++b;
    }
  }

  /// Sorts buckets of one file that fit in memory, and hands them over. While one is sorted, the
  /// next one is loaded, and the last one is written. One reader serves all of them: it never
  /// pauses at the end of a bucket.
  void sort_buckets(std::span<record_list const> buckets) {
    if (buckets.empty()) return;
    record_list all = buckets[0];
    for (record_list const& bucket : buckets.subspan(1)) all.add(bucket);
    record_reader in(all, sizeof(Key), value_bytes);
    load(in, buckets[0].count, 0);
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      int const side = static_cast<int>(b % 2);
      std::future<void> loading;
      if (b + 1 < buckets.size()) {
        loading = in_background(
            [this, &in, count = buckets[b + 1].count, side] { load(in, count, 1 - side); });
      }
      sort(side);
      if (loading.valid()) loading.get();
    }
  }

  /// Reads the next `count` records, which are whole extents, into one of two places.
  void load(record_reader& in, index_t count, int side) {
    records& to = place(loaded_[side]);
    to.count = 0;
    while (static_cast<index_t>(to.count) < count) {
      auto const piece = in.next();
      std::size_t const n = piece->keys.size() / sizeof(Key);
      std::memcpy(to.keys.items().data() + to.count, piece->keys.data(), piece->keys.size());
      if constexpr (has_values) {
        Value* const values = to.values.items().data() + to.count;
        if (!piece->values.empty()) {
          std::memcpy(values, piece->values.data(), piece->values.size());
        } else {
          for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<Value>(to.count + i);
        }
      }
      to.count += n;
    }
  }

  /// Sorts what was loaded. It is handed over while the next bucket is sorted.
  void sort(int side) {
    records& in = place(loaded_[side]);
    records& out = place(sorted_[putting_side_]);
    auto const keys = out.keys.items();
    std::span<Key const> const from = in.keys.items().first(in.count);
    out.count = in.count;
    if constexpr (has_values) {
      auto const values = out.values.items();
      std::span<Value const> const moved = in.values.items().first(in.count);
      sort_pairs(request_.on, from, keys, moved, values, request_.options);
      if (request_.unique) {
        out.count = keep_first(
            in.count, [&](std::size_t a, std::size_t b) { return keys[a] == keys[b]; },
            [&](std::size_t to, std::size_t i) {
              keys[to] = keys[i];
              values[to] = values[i];
            });
      }
    } else {
      sort_keys(request_.on, from, keys, request_.options);
      if (request_.unique) {
        out.count = keep_first(
            in.count, [&](std::size_t a, std::size_t b) { return keys[a] == keys[b]; },
            [&](std::size_t to, std::size_t i) { keys[to] = keys[i]; });
      }
    }
    finish_put();
    putting_ = in_background([this, &out] { request_.put(out.piece()); });
    putting_side_ = 1 - putting_side_;
  }

  /// Hands over a bucket of equal keys, which is in order.
  void pass_on(record_list const& from) {
    finish_put();
    record_reader in(from, sizeof(Key), value_bytes);
    while (auto piece = in.next()) {
      Key key;
      std::memcpy(&key, piece->keys.data(), sizeof key);
      bool const one = request_.unique && libscan::detail::equal(key, key);
      if (one) {
        piece->keys = piece->keys.first(sizeof(Key));
        if (has_values) piece->values = piece->values.first(value_bytes);
      }
      request_.put(*piece);
      if (one) return;
    }
  }

  void finish_put() {
    if (putting_.valid()) putting_.get();
  }

  records& place(std::optional<records>& buffers) const {
    if (!buffers) buffers.emplace(static_cast<std::size_t>(plan_.bucket_items));
    return *buffers;
  }

  external_request const& request_;
  external_plan const plan_;
  sort_order<Key> order_;
  word counting_ = 0;
  std::optional<records> loaded_[2], sorted_[2];
  int putting_side_ = 0;
  std::future<void> putting_;  // ends before what it reads
};

}  // namespace libscan::apps
