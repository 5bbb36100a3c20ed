// SPDX-License-Identifier: Apache-2.0
// What travels with the keys of a device sort: values of any size, and positions that are not
// stored.
#include <tests/apps/radix_sort/sort_cases.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// A value of 12 bytes.
struct triple {
  std::uint32_t a, b, c;
  bool operator==(triple const&) const = default;
};

/// A value of 40 bytes, aligned to 1.
struct name {
  char letters[40];
  bool operator==(name const&) const = default;
};

template <class Value>
Value value_of(index_t i) {
  Value value{};
  std::memcpy(&value, &i, sizeof(value) < sizeof(i) ? sizeof(value) : sizeof(i));
  return value;
}

template <class Value>
std::vector<Value> make_values(index_t n) {
  std::vector<Value> values;
  for (index_t i = 0; i < n; ++i) values.push_back(value_of<Value>(i));
  return values;
}

/// Sorts pairs into other buffers, in place, the one or the other in place, and between two
/// buffers; requires the stable order.
template <class Tuning, class Value, class Key>
void require_sorted_pairs(std::vector<Key> const& keys, int offset = 0) {
  auto const n = static_cast<index_t>(keys.size());
  INFO("n = " << n << ", offset " << offset);
  auto const positions = sorted_positions(keys, plain_order{});
  auto const values = make_values<Value>(n);
  auto const sorted_keys = taken(keys, positions);
  auto const sorted_values = taken(values, positions);
  workspace ws;
  device_image<Key> in(keys, offset), out(n, 16 - offset), other(n);
  device_image<Value> with(values, 16 - offset), moved(n, offset), resting(n, 2);
  auto const require = [&](auto& some_keys, auto& some_values) {
    REQUIRE(bit_difference(sorted_keys, some_keys.read()) == "");
    REQUIRE(bit_difference(sorted_values, some_values.read()) == "");
    REQUIRE(some_keys.damage() + some_values.damage() == "");
  };
  sort_pairs<Tuning>(ws, static_cast<Key const*>(in.data()), out.data(),
                     static_cast<Value const*>(with.data()), moved.data(), n);
  require(out, moved);
  REQUIRE(bit_difference(keys, in.read()) == "");
  REQUIRE(bit_difference(values, with.read()) == "");
  double_buffer<Key> both{in.data(), other.data()};
  double_buffer<Value> both_values{with.data(), resting.data()};
  sort_pairs<Tuning>(ws, both, both_values, n);
  if (both.current == in.data()) {
    require(in, with);
  } else {
    require(other, resting);
  }
  sort_pairs<Tuning>(ws, static_cast<Key const*>(out.data()), out.data(),
                     static_cast<Value const*>(moved.data()), moved.data(), n);
  require(out, moved);
  device_image<Key> keys_there(keys, offset), keys_here(keys, 16 - offset);
  device_image<Value> values_there(values, offset), values_here(values, 16 - offset);
  sort_pairs<Tuning>(ws, static_cast<Key const*>(keys_here.data()), keys_here.data(),
                     static_cast<Value const*>(values_there.data()), moved.data(), n);
  require(keys_here, moved);
  sort_pairs<Tuning>(ws, static_cast<Key const*>(keys_there.data()), out.data(),
                     static_cast<Value const*>(values_here.data()), values_here.data(), n);
  require(out, values_here);
}

/// Indices of a sort by some bits, either way up.
template <class Tuning, class Index, class Key>
void require_argsort(std::vector<Key> const& keys) {
  auto const n = static_cast<index_t>(keys.size());
  for (bool const falls : {false, true}) {
    INFO("n = " << n << (falls ? ", descending" : ""));
    auto const positions = sorted_positions(keys, plain_order{falls});
    std::vector<Index> expected;
    for (index_t const i : positions) expected.push_back(static_cast<Index>(i));
    workspace ws;
    device_image<Key> in(keys, 1);
    device_image<Index> indices(n, 3);
    sort_order<Key> order;
    if (falls) order.direction = sort_direction::descending;
    argsort<Tuning>(ws, static_cast<Key const*>(in.data()), indices.data(), n, order);
    REQUIRE(difference(expected, indices.read()) == "");
    REQUIRE(indices.damage() == "");
    REQUIRE(bit_difference(keys, in.read()) == "");
  }
}

}  // namespace

using all_kinds =
    types_to_test<std::tuple<tiny_passes, staged, clustered, resident>,
                  std::tuple<disordered, disordered_cluster, disordered_resident>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("values of 4 and 8 bytes go with their keys under all schedules", "",
                        all_kinds) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sized_list({0, 1, 256, scaled(1100, 300)}, {1, 300})) {
      for (variety const how : all_varieties()) {
        require_sorted_pairs<TestType, std::uint32_t>(make_keys<std::uint32_t>(how, n));
      }
      if constexpr (!few_types || std::is_same_v<TestType, tiny_passes> ||
                    (!quick_types && std::is_same_v<TestType, resident>)) {
        require_sorted_pairs<TestType, double>(make_keys<std::uint8_t>(variety::any, n));
      }
    }
  });
}

using value_types =
    types_to_test<std::tuple<triple>, std::tuple<std::uint8_t, name>, std::tuple<std::uint16_t>>;
TEMPLATE_LIST_TEST_CASE("values of any size go with their keys", "", value_types) {
  for (index_t const n : {0, 1, 33, 700}) {
    if constexpr (!few_types || std::is_same_v<TestType, triple>) {
      require_sorted_pairs<tiny_passes, TestType>(make_keys<std::int16_t>(variety::few, n));
    }
    if constexpr (!few_types || std::is_same_v<TestType, std::uint8_t>) {
      require_sorted_pairs<clustered, TestType>(
          make_keys<std::int16_t>(variety::any, n == 700 ? 1500 : n));
    }
    if constexpr (!few_types || std::is_same_v<TestType, name>) {
      require_sorted_pairs<resident, TestType>(make_keys<std::int16_t>(variety::any, n));
    }
    if constexpr (!few_types) {
      require_sorted_pairs<automatic_sort, TestType>(make_keys<float>(variety::few, n));
    }
  }
}

namespace {

/// Wider than what all threads of a large block could hold in shared memory.
struct page {
  char bytes[600];
  bool operator==(page const&) const = default;
};

}  // namespace

TEST_CASE("pages of values go with their keys") {
  for (index_t const n : {1, 33, 700}) {
    require_sorted_pairs<automatic_sort, page>(make_keys<std::uint32_t>(variety::few, n));
  }
}

using ranking_kinds =
    types_to_test<std::tuple<tiny_passes, staged>,
                  std::tuple<disordered, clustered, disordered_cluster, resident, chosen>,
                  std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("positions are ranked without being stored", "", ranking_kinds) {
  using way = way_of<TestType>;
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {0, 1, 2, scaled(900, 257)}) {
      for (variety const how : all_varieties()) {
        if (slow_here<way> && how != variety::few) continue;
        require_argsort<way, std::uint32_t>(make_keys<std::uint32_t>(how, n));
      }
      if constexpr (!few_types || std::is_same_v<TestType, tiny_passes> ||
                    std::is_same_v<TestType, clustered>) {
        require_argsort<way, index_t>(make_keys<float>(variety::any, n));
      }
    }
  });
}

TEST_CASE("many pairs are sorted the way the library chooses") {
  index_t const n = on_gpu ? 5000000 : scaled(20000, 3000);
  require_sorted_pairs<automatic_sort, std::uint32_t>(make_keys<std::uint32_t>(variety::any, n));
  if constexpr (!few_types) {
    require_argsort<automatic_sort, index_t>(make_keys<double>(variety::few, n));
  }
}

TEMPLATE_TEST_CASE("no pointer of pairs needs alignment beyond its type's", "", tiny_passes, staged,
                   clustered, resident) {
  for (int offset = 0; offset <= 16; offset += scaled(1, quick_types ? 7 : 5)) {
    using value = std::conditional_t<few_types, std::uint32_t, std::uint16_t>;
    using key = std::conditional_t<few_types, std::uint8_t, std::uint16_t>;
    require_sorted_pairs<TestType, value>(make_keys<std::uint32_t>(variety::any, sized(600, 300)),
                                          offset);
    if constexpr (!few_types || std::is_same_v<TestType, tiny_passes>) {
      require_sorted_pairs<TestType, double>(make_keys<key>(variety::any, sized(600, 300)), offset);
    }
  }
}

TEST_CASE("sorts with values find space in the workspaces they request") {
  constexpr index_t n = sized(20000, 10000);
  auto const keys = make_keys<std::uint32_t>(variety::any, n);
  auto const positions = sorted_positions(keys, std::less<>{});
  using passes = std::conditional_t<quick_types, tiny_passes,
                                    device::pass_sort_tuning<std::uint32_t, double, std::uint32_t>>;
  auto const bytes = sort_workspace_bytes<std::uint32_t, double>(n);
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  workspace ws(memory.data(), bytes);
  device_image<std::uint32_t> in(keys), out(n);
  device_image<double> values(make_values<double>(n)), moved(n);
  sort_pairs<passes>(ws, static_cast<std::uint32_t const*>(in.data()), out.data(),
                     static_cast<double const*>(values.data()), moved.data(), n);
  REQUIRE(difference(taken(keys, positions), out.read()) == "");
  REQUIRE(bit_difference(taken(make_values<double>(n), positions), moved.read()) == "");

  auto const few = sort_between_workspace_bytes<std::uint32_t, double>(n);
  workspace small(memory.data(), few);
  double_buffer<std::uint32_t> both{in.data(), out.data()};
  double_buffer<double> both_values{values.data(), moved.data()};
  sort_pairs<passes>(small, both, both_values, n);
  REQUIRE(bit_difference(taken(make_values<double>(n), positions), values.read()) == "");

  auto const more = argsort_workspace_bytes<std::uint32_t, index_t>(n);
  device::buffer<std::byte> const enough(static_cast<index_t>(more));
  workspace large(enough.data(), more);
  device_image<index_t> indices(n);
  device_image<std::uint32_t> again(keys);
  using way = std::conditional_t<quick_types, tiny_passes, automatic_sort>;
  argsort<way>(large, static_cast<std::uint32_t const*>(again.data()), indices.data(), n);
  REQUIRE(difference(positions, indices.read()) == "");
}

TEST_CASE("indices must have space for n") {
  workspace ws;
  std::uint8_t const* const keys = nullptr;
  std::int32_t* const indices = nullptr;
  REQUIRE_THROWS_AS(argsort<automatic_or<tiny_passes>>(ws, keys, indices, (index_t{1} << 31) + 1),
                    invalid_argument);
}
