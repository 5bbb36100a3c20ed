// SPDX-License-Identifier: Apache-2.0
// Values of up to 1 MiB in every operation of the cpu engine, on a thread with 8 MiB of stack and
// on the engine's own; against plain loops over what tells the values.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/ranges.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// An affine map, all over a value of so many bytes.
template <std::size_t Bytes>
struct large {
  affine all[Bytes / sizeof(affine)];

  large() = default;
  explicit large(affine const& map) { std::fill(std::begin(all), std::end(all), map); }

  /// The map, if it is all over.
  affine map() const {
    bool const same = std::all_of(std::begin(all), std::end(all),
                                  [&](affine const& one) { return one == all[0]; });
    return same ? all[0] : affine{0, 0xbadbad};
  }
  friend bool operator==(large const& a, large const& b) { return a.map() == b.map(); }
};

/// `compose` of each two.
template <class T>
struct compose_large {
  using value_type = T;
  static T identity() { return T(compose::identity()); }
  T operator()(T const& earlier, T const& later) const {
    T result;
    for (std::size_t k = 0; k < std::size(result.all); ++k) {
      result.all[k] = compose{}(earlier.all[k], later.all[k]);
    }
    return result;
  }
};

template <class T>
std::vector<affine> maps_of(std::vector<T> const& values) {
  std::vector<affine> maps;
  for (T const& value : values) maps.push_back(value.map());
  return maps;
}
template <class T>
std::vector<T> values_of(std::vector<affine> const& maps) {
  std::vector<T> values;
  values.reserve(maps.size());
  for (affine const& map : maps) values.emplace_back(map);
  return values;
}

constexpr affine init{3, 5};
constexpr scan_kind both_kinds[] = {scan_kind::inclusive, scan_kind::exclusive};

/// The first value, not on the stack.
template <class T>
T const& large_init() {
  static T const value(init);
  return value;
}

/// The map of what call() returns, which leaves the stack with this function.
template <class Call>
[[gnu::noinline]] affine map_of(Call const& call) {
  return call().map();
}
/// call(), whose arguments leave the stack with this function.
template <class Call>
[[gnu::noinline]] auto apart(Call const& call) {
  return call();
}

/// Calls body() on a thread with 8 MiB of stack.
void with_small_stack(std::function<void()> const& body) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, std::size_t{8} << 20) == 0);
  pthread_t thread;
  auto const run = [](void* context) -> void* {
    (*static_cast<std::function<void()> const*>(context))();
    return nullptr;
  };
  bool const made =
      pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&body)) == 0;
  pthread_attr_destroy(&attributes);
  // Catch2 takes one assertion at a time: none here while the thread runs.
  bool const joined = made && pthread_join(thread, nullptr) == 0;
  REQUIRE(joined);
}

/// Has body(threads) called on such a thread, by itself and with the engine's.
void on_small_stacks(std::function<void(int)> const& body) {
  for (int const threads : {1, 3}) {
    INFO(threads << " threads");
    with_small_stack([&] { with_threads(threads, [&] { body(threads); }); });
  }
}

/// More items than parts, of values that do not take all memory.
template <class T>
std::vector<int> sizes() {
  return sizeof(T) <= 32768 ? std::vector<int>{0, 1, 9, 150} : std::vector<int>{1, 9};
}

/// Where segments begin: items 0, 1, 4, 5 and further ones.
std::vector<std::uint8_t> flags_of(int n) {
  std::vector<std::uint8_t> flags;
  for (int i = 0; i < n; ++i) flags.push_back(i % 7 == 0 || i % 4 == 1 ? 1 : 0);
  return flags;
}
some_ranges ranges_of(std::vector<std::uint8_t> const& flags) {
  some_ranges all;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == 0) continue;
    if (!all.begins.empty()) all.ends.push_back(static_cast<int>(i));
    all.begins.push_back(static_cast<int>(i));
  }
  if (!all.begins.empty()) all.ends.push_back(static_cast<int>(flags.size()));
  return all;
}

}  // namespace

using large_types =
    types_to_test<std::tuple<large<std::size_t{1} << 20>>,
                  std::tuple<large<1024>, large<32768>, large<std::size_t{1} << 18>>>;

TEMPLATE_LIST_TEST_CASE("large values are summed and scanned", "", large_types) {
  using T = TestType;
  using op = compose_large<T>;
  on_small_stacks([](int threads) {
    for (int const n : sizes<T>()) {
      auto const maps = make_items<affine>(n);
      auto const items = values_of<T>(maps);
      affine total = init;
      std::vector<affine> scanned[2];
      for (affine const& map : maps) {
        scanned[1].push_back(total);
        scanned[0].push_back(total = compose{}(total, map));
      }
      CHECK(map_of([&] { return cpu::reduce(threads, items.data(), n, op{}, large_init<T>()); }) ==
            total);
      // Without an identity that is known, and by a type of its own.
      auto const plain = [](T const& a, T const& b) { return op{}(a, b); };
      CHECK(map_of([&] { return cpu::reduce(threads, items.data(), n, plain, large_init<T>()); }) ==
            total);
      CHECK(map_of([&] { return cpu::reduce(threads, maps.data(), n, op{}, large_init<T>()); }) ==
            total);
      std::vector<T> out(items.size()), in_place = items;
      CHECK(map_of([&] {
              return cpu::inclusive_scan(threads, items.data(), out.data(), n, op{},
                                         large_init<T>());
            }) == total);
      CHECK(maps_of(out) == scanned[0]);
      CHECK(map_of([&] {
              return cpu::exclusive_scan(threads, in_place.data(), in_place.data(), n, op{},
                                         large_init<T>());
            }) == total);
      CHECK(maps_of(in_place) == scanned[1]);
      CHECK(map_of([&] {
              return cpu::exclusive_scan(threads, items.begin(), out.begin(), n, plain,
                                         large_init<T>());
            }) == total);
      CHECK(maps_of(out) == scanned[1]);
      cpu::detail::iterated_items<T, T const*> const source{items.data()};
      apart([&] {
        cpu::staged_scan<scan_kind::inclusive>(threads, scan_direction::forward, source, out.data(),
                                               n, op{}, large_init<T>());
      });
      CHECK(maps_of(out) == scanned[0]);
    }
  });
}

TEMPLATE_LIST_TEST_CASE("large values are scanned and summed within segments", "", large_types) {
  using T = TestType;
  using op = compose_large<T>;
  on_small_stacks([](int threads) {
    for (int const n : sizes<T>()) {
      auto const maps = make_items<affine>(n);
      auto const items = values_of<T>(maps);
      auto const flags = flags_of(n);
      auto const ranges = ranges_of(flags);
      head_flags const heads{flags.data()};
      std::vector<int> keys;
      for (std::size_t i = 0; i < flags.size(); ++i) {
        keys.push_back((i == 0 ? 0 : keys.back()) + flags[i]);
      }
      auto const before = std::vector<affine>(maps.size(), affine{7, 7});
      for (auto const kind : both_kinds) {
        for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
          auto const scan = [&](auto const& segments) {
            auto out = values_of<T>(before);
            if (kind == scan_kind::inclusive) {
              apart([&] {
                cpu::segmented_scan<scan_kind::inclusive>(threads, direction, items.data(),
                                                          out.data(), segments, n, op{},
                                                          large_init<T>());
              });
            } else {
              apart([&] {
                cpu::segmented_scan<scan_kind::exclusive>(threads, direction, items.data(),
                                                          out.data(), segments, n, op{},
                                                          large_init<T>());
              });
            }
            return maps_of(out);
          };
          auto const expected =
              scanned_ranges(kind, direction, maps, before, ranges, compose{}, init);
          CHECK(scan(heads) == expected);
          CHECK(scan(segment_keys{keys.data()}) == expected);
          CHECK(scan(segment_ranges{ranges.begins.data(), ranges.ends.data(), ranges.count()}) ==
                expected);
        }
      }
      auto const sums = totals_of_ranges(maps, ranges, compose{}, init);
      std::vector<T> totals(sums.size());
      CHECK(apart([&] {
              return cpu::segmented_reduce(threads, items.data(), totals.data(), heads, n, op{},
                                           large_init<T>());
            }) == ranges.count());
      CHECK(maps_of(totals) == sums);
      totals = values_of<T>(std::vector<affine>(sums.size()));
      std::vector<int> unique(sums.size()), first_keys;
      for (int const begin : ranges.begins) {
        first_keys.push_back(keys[static_cast<std::size_t>(begin)]);
      }
      CHECK(apart([&] {
              return cpu::reduce_by_key(threads, keys.data(), items.data(), unique.data(),
                                        totals.data(), n, op{}, large_init<T>());
            }) == ranges.count());
      CHECK(maps_of(totals) == sums);
      CHECK(unique == first_keys);
      std::vector<std::int64_t> offsets{0, 0};  // an empty segment first
      offsets.insert(offsets.end(), ranges.ends.begin(), ranges.ends.end());
      std::vector<T> of_offsets(offsets.size() - 1);
      segment_offsets const between{offsets.data(), ranges.count() + 1};
      CHECK(apart([&] {
              return cpu::segmented_reduce(threads, items.data(), of_offsets.data(), between, n,
                                           op{}, large_init<T>());
            }) == ranges.count() + 1);
      CHECK(of_offsets.front().map() == init);
      of_offsets.erase(of_offsets.begin());
      CHECK(maps_of(of_offsets) == sums);
    }
  });
}

TEMPLATE_LIST_TEST_CASE("large values are filtered, split, and found equal", "", large_types) {
  using T = TestType;
  on_small_stacks([](int threads) {
    for (int const n : sizes<T>()) {
      auto maps = make_items<affine>(n);
      for (std::size_t i = 2; i < maps.size(); i += 3) maps[i] = maps[i - 1];
      auto const items = values_of<T>(maps);
      auto const keep = [](T const& x) { return x.all[0].offset % 2 == 0; };
      std::vector<affine> kept, rejected, heads;
      std::vector<index_t> at;
      for (std::size_t i = 0; i < maps.size(); ++i) {
        bool const is_kept = maps[i].offset % 2 == 0;
        (is_kept ? kept : rejected).push_back(maps[i]);
        if (is_kept) at.push_back(static_cast<index_t>(i));
        if (i == 0 || maps[i] != maps[i - 1]) heads.push_back(maps[i]);
      }
      auto const count = static_cast<index_t>(kept.size());
      auto const first_of = [](std::vector<T> values, std::size_t some) {
        values.resize(some);
        return maps_of(values);
      };
      std::vector<T> out(items.size()), other(items.size());
      CHECK(cpu::filter(threads, items.data(), out.data(), n, keep) == count);
      CHECK(first_of(out, kept.size()) == kept);
      auto in_place = items;
      CHECK(cpu::filter(threads, in_place.data(), in_place.data(), n, keep) == count);
      CHECK(first_of(in_place, kept.size()) == kept);
      CHECK(cpu::split(threads, items.begin(),
                       cpu::split_outputs<T*>{out.data(), n, other.data(), n}, n, keep) == count);
      CHECK(first_of(out, kept.size()) == kept);
      CHECK(first_of(other, rejected.size()) == rejected);
      std::vector<index_t> indices(items.size());
      cpu::keep_where<T const*, decltype(keep)> const rule{items.data(), keep};
      CHECK(cpu::filter_with_indices_by(threads, items.data(),
                                        cpu::indexed_outputs<T*>{out.data(), n, indices.data(), n},
                                        n, rule) == count);
      indices.resize(at.size());
      CHECK(indices == at);
      CHECK(first_of(out, kept.size()) == kept);
      auto const runs = static_cast<index_t>(heads.size());
      CHECK(cpu::unique(threads, items.data(), out.data(), n) == runs);
      CHECK(first_of(out, heads.size()) == heads);
      std::vector<index_t> lengths(items.size()), begins(items.size());
      CHECK(cpu::run_length_encode(threads, items.data(),
                                   cpu::run_outputs<T*, index_t*, index_t*>{
                                       other.data(), n, lengths.data(), n, begins.data(), n},
                                   n) == runs);
      CHECK(first_of(other, heads.size()) == heads);
    }
  });
}

namespace {

/// The order of a large key by the first of its maps.
struct by_first_map {
  template <std::size_t Bytes>
  std::uint32_t operator()(large<Bytes> const& key) const {
    return key.all[0].scale;
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("large values go with keys that are sorted, and are keys", "",
                        large_types) {
  using T = TestType;
  on_small_stacks([](int threads) {
    for (int const n : sizes<T>()) {
      auto const maps = make_items<affine>(n);
      auto const items = values_of<T>(maps);
      std::vector<std::uint32_t> keys;
      for (affine const& map : maps) keys.push_back(map.scale % 5);
      std::vector<std::size_t> order(maps.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      auto by_map = order;
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
      std::stable_sort(by_map.begin(), by_map.end(),
                       [&](std::size_t a, std::size_t b) { return maps[a].scale < maps[b].scale; });
      auto const in_order = [&](std::vector<std::size_t> const& positions) {
        std::vector<affine> sorted;
        for (std::size_t const i : positions) sorted.push_back(maps[i]);
        return sorted;
      };
      std::vector<std::uint32_t> keys_out(keys.size());
      std::vector<T> out(items.size());
      cpu::sort_pairs(threads, keys.data(), keys_out.data(), items.data(), out.data(), n);
      CHECK(maps_of(out) == in_order(order));
      std::vector<index_t> const offsets{0, n};
      cpu::sort_pairs_in_segments(threads, keys.data(), keys_out.data(), items.data(), out.data(),
                                  n, offsets.data(), 1);
      CHECK(maps_of(out) == in_order(order));
      cpu::split_by_key(threads, keys.data(), keys_out.data(), items.data(), out.data(),
                        static_cast<index_t*>(nullptr), n, 5);
      CHECK(maps_of(out) == in_order(order));
      sort_order<T, by_first_map> const by_first{};
      cpu::sort_keys(threads, items.data(), out.data(), n, by_first);
      CHECK(maps_of(out) == in_order(by_map));
      cpu::sort_keys_in_segments(threads, items.data(), out.data(), n, offsets.data(), 1, by_first);
      CHECK(maps_of(out) == in_order(by_map));
    }
  });
}
