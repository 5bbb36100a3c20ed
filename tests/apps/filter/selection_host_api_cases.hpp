// SPDX-License-Identifier: Apache-2.0
// What the tests of the host API of masks, splits and runs share, on any engine: choices, what they
// divide items into, runs, and all calls between canaries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/selection.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {

/// A choice among n items in both forms; flags of any nonzero value, bits after the last item set.
struct choice {
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> words;

  choice(index_t n, int per_mille)
      : words(static_cast<std::size_t>(ceil_div(n, index_t{32})), ~0u) {
    random_words random(static_cast<std::uint64_t>(n + per_mille));
    for (index_t i = 0; i < n; ++i) {
      bool const chosen = static_cast<int>(random.below(1000)) < per_mille;
      flags.push_back(static_cast<std::uint8_t>(chosen ? 1 + random.below(255) : 0));
      if (!chosen) words[static_cast<std::size_t>(i / 32)] &= ~(1u << i % 32);
    }
  }
  index_t size() const { return static_cast<index_t>(flags.size()); }
  item_mask as_flags() const { return item_mask::of_flags(flags); }
  item_mask as_bits() const { return item_mask::of_bits(words, size()); }
};

/// What a choice divides items into.
template <class T>
struct division {
  std::vector<T> kept, rejected, joined;  // joined: the kept, then the rejected
  std::vector<index_t> positions;

  template <class Chosen>
  division(std::vector<T> const& items, Chosen chosen) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      (chosen(i) ? kept : rejected).push_back(items[i]);
      if (chosen(i)) positions.push_back(static_cast<index_t>(i));
    }
    joined = kept;
    joined.insert(joined.end(), rejected.begin(), rejected.end());
  }
  index_t count() const { return static_cast<index_t>(kept.size()); }
};

/// What runs of equal items there are.
template <class T>
struct expected_runs {
  std::vector<T> firsts;
  std::vector<index_t> lengths, offsets;

  explicit expected_runs(std::vector<T> const& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i == 0 || !(items[i - 1] == items[i])) {
        firsts.push_back(items[i]);
        lengths.push_back(0);
        offsets.push_back(static_cast<index_t>(i));
      }
      ++lengths.back();
    }
  }
  index_t count() const { return static_cast<index_t>(firsts.size()); }

  /// The runs of at least `min_length` items.
  expected_runs of_at_least(index_t min_length) const {
    expected_runs<T> kept({});
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      if (lengths[r] < min_length) continue;
      kept.firsts.push_back(firsts[r]);
      kept.lengths.push_back(lengths[r]);
      kept.offsets.push_back(offsets[r]);
    }
    return kept;
  }
};

/// n items in runs of 1 to `longest`; no run equals its neighbors.
template <class T>
std::vector<T> runs_of(index_t n, index_t longest) {
  random_words words(static_cast<std::uint64_t>(n * 4096 + longest));
  std::vector<T> items;
  for (int number = 0; static_cast<index_t>(items.size()) < n; number = (number + 1) % 100) {
    auto const run = 1 + words.below(static_cast<std::uint64_t>(longest));
    auto const left = static_cast<std::size_t>(n) - items.size();
    items.insert(items.end(), std::min<std::size_t>(run, left), static_cast<T>(number));
  }
  return items;
}

/// Empty if the first items of `out` are `expected`, and nothing else was written.
template <class T>
std::string wrong(guarded_buffer<T>& out, std::vector<T> const& expected) {
  auto got = out.copy();
  got.resize(expected.size());
  if (auto const found = bit_difference(expected, got); !found.empty()) return found;
  auto const count = static_cast<index_t>(expected.size());
  if (auto const found = out.written_from(count); !found.empty()) return found;
  return out.damage();
}

/// Splits by a mask or a predicate into two buffers and into one; empty if all is well.
template <class T, class Keep>
std::string split_error(engine const& on, std::vector<T> const& in, Keep const& keep,
                        division<T> const& expected, int offset) {
  // More capacity than is needed: nothing after it is to be touched.
  auto const capacity = static_cast<index_t>(in.size()) + 5;
  guarded_buffer<T> kept(capacity, offset), rejected(capacity, offset), joined(capacity, offset);
  if (split<T>(on, in, kept.items(), rejected.items(), keep) != expected.count()) {
    return "split: wrong count";
  }
  if (auto const found = wrong(kept, expected.kept); !found.empty()) return "split: " + found;
  if (auto const found = wrong(rejected, expected.rejected); !found.empty()) {
    return "rejected: " + found;
  }
  if (split<T>(on, in, joined.items(), keep) != expected.count()) return "joined: wrong count";
  auto const found = wrong(joined, expected.joined);
  return found.empty() ? "" : "joined: " + found;
}

/// Runs all functions that take a mask; empty if all is well.
template <class T>
std::string mask_error(engine const& on, std::vector<T> const& in, item_mask const& mask,
                       division<T> const& expected, int offset) {
  auto const n = static_cast<index_t>(in.size());
  guarded_buffer<T> out(n, offset), both(in, offset);
  guarded_buffer<index_t> at(n, offset);
  if (filter<T>(on, in, out.items(), mask) != expected.count()) return "filter: wrong count";
  if (auto const found = wrong(out, expected.kept); !found.empty()) return "filter: " + found;
  if (mask_indices(on, mask, at.items()) != expected.count()) return "indices: wrong count";
  if (auto const found = wrong(at, expected.positions); !found.empty()) return "indices: " + found;
  if (count_marked(on, mask) != expected.count()) return "wrong count";
  guarded_buffer<T> with(n, offset);
  guarded_buffer<index_t> with_at(n, offset);
  if (filter_with_indices<T>(on, in, with.items(), with_at.items(), mask) != expected.count()) {
    return "with indices: wrong count";
  }
  if (auto const found = wrong(with, expected.kept); !found.empty()) return "with: " + found;
  if (auto const found = wrong(with_at, expected.positions); !found.empty()) {
    return "indices with: " + found;
  }
  if (auto const found = split_error(on, in, mask, expected, offset); !found.empty()) return found;
  filter<T>(on, both.items(), both.items(), mask);
  auto in_place = both.copy();
  in_place.resize(expected.kept.size());
  return bit_difference(expected.kept, in_place) + both.damage();
}

/// Splits integers by each of a few bits; empty if all is well.
template <class T>
std::string bit_split_error(engine const& on, std::vector<T> const& in, int offset) {
  for (int const bit : {0, 3, 8 * static_cast<int>(sizeof(T)) - 1}) {
    division<T> const expected(
        in, [&](std::size_t i) { return (static_cast<std::uint64_t>(in[i]) >> bit & 1) == 0; });
    guarded_buffer<T> out(static_cast<index_t>(in.size()) + 5, offset);
    if (split_by_bit<T>(on, in, out.items(), bit) != expected.count()) return "bits: wrong count";
    if (auto const found = wrong(out, expected.joined); !found.empty()) return "bits: " + found;
  }
  return "";
}

/// Finds and encodes the runs of items; empty if all is well.
template <class T>
std::string runs_error(engine const& on, std::vector<T> const& in, expected_runs<T> const& expected,
                       int offset = 0) {
  auto const n = static_cast<index_t>(in.size());
  guarded_buffer<T> firsts(n, offset), values(n, offset), exact(expected.count(), offset);
  guarded_buffer<index_t> lengths(n, offset), exact_lengths(expected.count(), offset);
  if (unique<T>(on, in, firsts.items()) != expected.count()) return "unique: wrong count";
  if (auto const found = wrong(firsts, expected.firsts); !found.empty()) return "unique: " + found;
  if (run_length_encode<T>(on, in, values.items(), lengths.items()) != expected.count()) {
    return "runs: wrong count";
  }
  if (auto const found = wrong(values, expected.firsts); !found.empty()) return "values: " + found;
  if (auto const found = wrong(lengths, expected.lengths); !found.empty()) {
    return "lengths: " + found;
  }
  run_length_encode<T>(on, in, exact.items(), exact_lengths.items());
  return wrong(exact, expected.firsts) + wrong(exact_lengths, expected.lengths);
}

/// Encodes the runs of at least `min_length` items, which are `expected`; empty if all is well.
template <class T>
std::string long_runs_error(engine const& on, std::vector<T> const& in, index_t min_length,
                            expected_runs<T> const& expected, int offset = 0) {
  index_t const capacity = expected.count() + 3;
  guarded_buffer<T> values(capacity, offset);
  guarded_buffer<index_t> lengths(capacity, offset), offsets(capacity, offset);
  if (run_length_encode<T>(on, in, values.items(), lengths.items(), offsets.items(), min_length) !=
      expected.count()) {
    return "long runs: wrong count";
  }
  if (auto const found = wrong(values, expected.firsts); !found.empty()) return "values: " + found;
  if (auto const found = wrong(lengths, expected.lengths); !found.empty()) {
    return "lengths: " + found;
  }
  auto const found = wrong(offsets, expected.offsets);
  return found.empty() ? "" : "offsets: " + found;
}

}  // namespace libscan::test
