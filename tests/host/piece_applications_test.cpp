// SPDX-License-Identifier: Apache-2.0
// Filters, segmented scans and sums, histograms and sorts of host memory that passes through a
// machine in pieces: the results are those of one thread of the CPU, which other tests compare with
// plain loops.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/host/transfer_tuning.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <libscan/selection.hpp>
#include <libscan/sort_device_calls.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/segments.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

/// A number of items that come in a few pieces; the last piece is short. Pieces begin with 4 KiB in
/// the executor and with 16 MiB on a GPU (transfer.cuh).
template <class T>
index_t some_pieces(engine const& on) {
  index_t const bytes = on.is_cuda() ? index_t{21} << 20 : index_t{5} << 10;
  return bytes / index_t{sizeof(T)} + 37;
}

template <class T>
std::vector<T> front(std::vector<T> const& items, index_t count) {
  return {items.begin(), items.begin() + count};
}

/// Checks that call(engine) returns on each machine what it returns on the CPU.
template <class Call>
void same_as_cpu(std::string const& what, engine const& on, Call call) {
  INFO(what << ", " << on.description());
  auto const expected = call(engine::cpu(1));
  CHECK((call(on) == expected));
}

using filtered_types =
    types_to_test<std::tuple<std::int32_t>, std::tuple<std::uint8_t, double>, no_types>;
TEMPLATE_LIST_TEST_CASE("filters in pieces put results one after the other", "", filtered_types) {
  using T = TestType;
  for (engine const& on : machines()) {
    index_t const n = some_pieces<T>(on);
    auto const values = make_input<T>(pattern::small, n);
    auto const flags = flags_of(make_offsets(segment_shape::power_law, n));
    auto const bits = bits_of(flags);
    auto const keep = parse_predicate<T>(">= 1 and < 5");
    std::vector<T> out(values.size()), rest(values.size());
    std::vector<index_t> places(values.size());
    same_as_cpu("filter", on,
                [&](engine const& by) { return front(out, filter<T>(by, values, out, keep)); });
    same_as_cpu("filter in place", on, [&](engine const& by) {
      auto items = values;
      return front(items, filter<T>(by, items, items, keep));
    });
    same_as_cpu("filter_indices", on, [&](engine const& by) {
      return front(places, filter_indices<T>(by, values, places, keep));
    });
    same_as_cpu("filter_with_indices", on, [&](engine const& by) {
      index_t const kept = filter_with_indices<T>(by, values, out, places, keep);
      return std::pair(front(out, kept), front(places, kept));
    });
    same_as_cpu("count_if", on, [&](engine const& by) { return count_if<T>(by, values, keep); });
    for (item_mask const& mask : {item_mask::of_flags(flags), item_mask::of_bits(bits, n)}) {
      same_as_cpu("filter by a mask", on,
                  [&](engine const& by) { return front(out, filter<T>(by, values, out, mask)); });
      same_as_cpu("split by a mask", on, [&](engine const& by) {
        index_t const kept = split<T>(by, values, out, rest, mask);
        return std::pair(front(out, kept), front(rest, n - kept));
      });
      same_as_cpu("mask_indices", on,
                  [&](engine const& by) { return front(places, mask_indices(by, mask, places)); });
      same_as_cpu("count_marked", on, [&](engine const& by) { return count_marked(by, mask); });
    }
    same_as_cpu("split", on, [&](engine const& by) {
      index_t const kept = split<T>(by, values, out, rest, keep);
      return std::pair(front(out, kept), front(rest, n - kept));
    });
    same_as_cpu("unique", on,
                [&](engine const& by) { return front(out, unique<T>(by, values, out)); });
    same_as_cpu("unique in place", on, [&](engine const& by) {
      auto items = values;
      return front(items, unique<T>(by, items, items));
    });
    std::vector<T> const equal(values.size(), T(1));
    same_as_cpu("unique of one run", on,
                [&](engine const& by) { return front(out, unique<T>(by, equal, out)); });
  }
}

TEST_CASE("bits without items come in pieces") {
  for (engine const& on : machines()) {
    index_t const n = on.is_cuda() ? (index_t{16} << 23) + 5 : 33'000;
    std::vector<std::uint32_t> bits(static_cast<std::size_t>(ceil_div(n, index_t{32})));
    for (std::size_t w = 0; w < bits.size(); w += 1 + w % 5) bits[w] = 0x80030001u;
    auto const mask = item_mask::of_bits(bits, n);
    std::vector<index_t> places(static_cast<std::size_t>(n));
    same_as_cpu("mask_indices", on,
                [&](engine const& by) { return front(places, mask_indices(by, mask, places)); });
    same_as_cpu("count_marked", on, [&](engine const& by) { return count_marked(by, mask); });
  }
}

TEST_CASE("a filter in pieces writes nothing past an output that is too short") {
  for (engine const& on : machines()) {
    INFO(on.description());
    index_t const n = some_pieces<std::uint32_t>(on);
    auto const values = make_input<std::uint32_t>(pattern::small, n);
    auto const keep = parse_predicate<std::uint32_t>(">= 1");
    std::vector<std::uint32_t> all(values.size());
    index_t const kept = filter<std::uint32_t>(engine::cpu(1), values, all, keep);
    for (index_t const space : {kept - 1, kept / 3, index_t{0}}) {
      std::vector<std::uint32_t> out(values.size(), 77);
      std::span<std::uint32_t> const begin(out.data(), static_cast<std::size_t>(space));
      CHECK_THROWS_AS(filter<std::uint32_t>(on, values, begin, keep), invalid_argument);
      CHECK(std::all_of(out.begin() + space, out.end(), [](auto item) { return item == 77; }));
      CHECK(std::equal(out.begin(), out.begin() + space, all.begin()));
    }
  }
}

/// Descriptions of the same segments.
struct described {
  std::vector<index_t> offsets;
  std::vector<std::int32_t> short_offsets;
  std::vector<std::uint64_t> unsigned_offsets;
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> bits;
  std::vector<std::uint32_t> keys;

  described(segment_shape shape, index_t n)
      : offsets(make_offsets(shape, n)),
        short_offsets(offsets.begin(), offsets.end()),
        unsigned_offsets(offsets.begin(), offsets.end()),
        flags(flags_of(offsets)),
        bits(bits_of(flags)) {
    std::uint32_t key = 0;
    for (std::uint8_t const flag : flags) keys.push_back(key += flag != 0);
  }

  std::vector<std::pair<char const*, segmentation>> all(index_t n) const {
    return {{"offsets", segmentation::of_offsets(offsets)},
            {"offsets of 32 bits", segmentation::of_offsets(short_offsets)},
            {"unsigned offsets", segmentation::of_offsets(unsigned_offsets)},
            {"flags", segmentation::of_flags(flags)},
            {"bits", segmentation::of_bits(bits, n)},
            {"keys", segmentation::of_keys(keys)},
            {"length", segmentation::of_length(1000)}};
  }
};

using scanned_types = types_to_test<std::tuple<float>, std::tuple<std::uint8_t>,
                                    std::tuple<std::int16_t, std::uint64_t>>;
TEMPLATE_LIST_TEST_CASE("segments go on from piece to piece", "", scanned_types) {
  using T = TestType;
  for (engine const& on : machines()) {
    index_t const n = some_pieces<T>(on);
    auto const values = make_input<T>(pattern::small, n);
    for (segment_shape const shape : {segment_shape::power_law, segment_shape::one}) {
      described const segments(shape, n);
      for (auto const& form : segments.all(n)) {
        auto const what = form.first;
        auto const how = form.second;
        std::vector<T> out(values.size());
        std::vector<T> totals(values.size());
        same_as_cpu(std::string("inclusive, ") + what, on, [&](engine const& by) {
          inclusive_segmented_scan(by, values, out, how, plus<T>{}, T(3));
          return out;
        });
        same_as_cpu(std::string("exclusive in place, ") + what, on, [&](engine const& by) {
          auto items = values;
          exclusive_segmented_scan(by, items, items, how, plus<T>{}, T(3));
          return items;
        });
        same_as_cpu(std::string("maxima, ") + what, on, [&](engine const& by) {
          inclusive_segmented_scan(by, values, out, how, maximum<T>{});
          return out;
        });
        same_as_cpu(std::string("totals, ") + what, on, [&](engine const& by) {
          return front(totals, segmented_reduce(by, values, totals, how, plus<T>{}, T(2)));
        });
      }
    }
  }
}

TEST_CASE("reverse scans, and sums wider than their items, come in pieces") {
  using narrow = std::int8_t;
  using wide = std::int64_t;
  for (engine const& on : machines()) {
    index_t const n = some_pieces<narrow>(on);
    auto const values = make_input<narrow>(pattern::small, n);
    described const segments(segment_shape::power_law, n);
    std::vector<wide> sums(values.size());
    same_as_cpu("reverse", on, [&](engine const& by) {
      wide const total = reverse_exclusive_scan(by, values, sums, plus<wide>{}, wide{9});
      return std::pair(total, sums);
    });
    same_as_cpu("reverse in place", on, [&](engine const& by) {
      auto items = values;
      reverse_inclusive_scan(by, items, items, maximum<narrow>{});
      return items;
    });
    same_as_cpu("wide", on, [&](engine const& by) {
      wide const total = inclusive_scan(by, values, sums, plus<wide>{}, wide{-4});
      return std::pair(total, sums);
    });
    same_as_cpu("wide, in segments", on, [&](engine const& by) {
      inclusive_segmented_scan(by, values, sums, segmentation::of_flags(segments.flags),
                               plus<wide>{}, wide{5});
      return sums;
    });
    same_as_cpu("wide total", on,
                [&](engine const& by) { return reduce(by, values, plus<wide>{}, wide{1}); });
  }
}

TEST_CASE("sums of halves come in pieces") {
  for (engine const& on : machines()) {
    index_t const n = some_pieces<float16>(on);
    std::vector<float16> values;
    std::vector<float16> out(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i) values.push_back(static_cast<float16>(i % 5 == 0 ? 1.f : 0.f));
    auto const how = segmentation::of_length(700);
    same_as_cpu("halves", on, [&](engine const& by) {
      inclusive_segmented_scan(by, values, out, how, plus<float>{});
      std::vector<float> result;
      for (float16 const each : out) result.push_back(static_cast<float>(each));
      return result;
    });
  }
}

using sample_types = std::tuple<std::uint8_t, std::uint32_t, double>;
TEMPLATE_LIST_TEST_CASE("histograms add up over pieces", "", sample_types) {
  using T = TestType;
  for (engine const& on : machines()) {
    index_t const n = some_pieces<T>(on);
    auto const samples = make_input<T>(pattern::small, n);
    for (int const bins : {7, 300}) {
      same_as_cpu("histogram", on, [&](engine const& by) {
        std::vector<std::uint64_t> counts(static_cast<std::size_t>(bins));
        auto const totals = histogram(by, samples, counts, even_bins<T>(T(1), T(90), bins));
        return std::pair(totals, counts);
      });
    }
  }
}

enum class keys_like { random, equal, two_values, ascending, descending };

template <class Key>
std::vector<Key> make_keys(keys_like what, index_t n) {
  std::mt19937_64 random(seed());
  std::vector<Key> keys;
  for (index_t i = 0; i < n; ++i) {
    auto const drawn = random();
    switch (what) {
      case keys_like::random:
        keys.push_back(static_cast<Key>(static_cast<std::int64_t>(drawn >> 8)));
        break;
      case keys_like::equal:
        keys.push_back(Key(5));
        break;
      case keys_like::two_values:
        keys.push_back(Key(drawn % 3 == 0 ? 4 : 9));
        break;
      case keys_like::ascending:
        keys.push_back(static_cast<Key>(i / 3));
        break;
      case keys_like::descending:
        keys.push_back(static_cast<Key>((n - i) / 3));
        break;
    }
  }
  return keys;
}

using key_types =
    types_to_test<std::tuple<std::uint8_t>, std::tuple<double>, std::tuple<std::int32_t>>;
TEMPLATE_LIST_TEST_CASE("keys that a device does not hold are sorted in pieces", "", key_types) {
  using Key = TestType;
  // Each kind of keys with one of the orders.
  using chosen_case = std::pair<keys_like, sort_options>;
  chosen_case const random{keys_like::random, {}},
      equal{keys_like::equal, {.first_bit = 2, .end_bit = 7}},
      two_values{keys_like::two_values, {.direction = sort_direction::descending}},
      ascending{keys_like::ascending, {.direction = sort_direction::descending}},
      descending{keys_like::descending, {}};
  auto const cases = sized_list({random, equal, two_values, ascending, descending},
                                {random, two_values, ascending});
  for (engine const& on : machines()) {
    index_t const n = on.is_cuda() ? some_pieces<Key>(on) : 1100;
    std::vector<std::uint64_t> values;
    for (index_t i = 0; i < n; ++i) values.push_back(static_cast<std::uint64_t>(i));
    // The device holds few of the sorted chunks, or just less than all keys, or all pairs, need.
    auto const count = static_cast<std::size_t>(n);
    std::size_t const few = count * sizeof(Key),
                      below_keys = few + device_sort_workspace_bytes<Key>(on, n) - 1,
                      below_pairs = few + count * sizeof(std::uint64_t) +
                                    device_sort_workspace_bytes<Key, std::uint64_t>(on, n) - 1;
    for (auto const& [what, order] : cases)
      for (std::size_t const bytes : {few, below_keys, below_pairs}) {
        libscan::detail::scoped_transfers const limited({.device_bytes = bytes});
        auto const keys = make_keys<Key>(what, n);
        sort_options const how = order;
        std::string const which = "keys " + std::to_string(static_cast<int>(what)) + ", " +
                                  std::to_string(bytes) + " bytes of device memory";
        same_as_cpu(which, on, [&](engine const& by) {
          std::vector<Key> out(keys.size());
          sort_keys(by, keys, out, how);
          return out;
        });
        same_as_cpu(which + ", pairs in place", on, [&](engine const& by) {
          auto own_keys = keys;
          auto own_values = values;
          sort_pairs(by, own_keys, own_keys, own_values, own_values, how);
          return std::pair(own_keys, own_values);
        });
        same_as_cpu(which + ", positions", on, [&](engine const& by) {
          std::vector<std::uint32_t> positions(keys.size());
          argsort(by, keys, positions, how);
          return positions;
        });
      }
  }
}

}  // namespace
}  // namespace libscan::test
