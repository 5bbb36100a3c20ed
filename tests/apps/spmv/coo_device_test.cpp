// SPDX-License-Identifier: Apache-2.0
// From lists of entries to matrices by rows on the device, against a stable sort of a list of
// structures.
#include <libscan/coo_to_csr.cuh>
#include <tests/apps/spmv/lists.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// The device's matrix, from a workspace of exactly the bytes requested.
template <class Offset, class Value>
host_csr<Value, Offset> convert(host_coo<Value> const& host, unsigned char dirt = 0xff) {
  index_t const most = host.kind == symmetry::general ? host.entries() : 2 * host.entries();
  device_image<std::int32_t> const rows(host.row_indices), columns(host.indices);
  device_image<Value> const values(host.values);
  device_image<Offset> offsets(host.rows + 1);
  device_image<std::int32_t> indices(most);
  device_image<Value> out(std::is_same_v<Value, no_values> ? 0 : most);
  std::size_t const bytes =
      coo_to_csr_workspace_bytes<Value, Offset>(host.rows, host.entries(), host.kind);
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  simt::fill_async(memory.data(), dirt, bytes);
  workspace ws(memory.data(), bytes);
  coo_matrix<Value> const list{host.rows,      host.columns,  host.entries(), rows.data(),
                               columns.data(), values.data(), host.kind};
  coo_to_csr(ws, list, offsets.data(), indices.data(), out.data());
  host_csr<Value, Offset> got{host.rows, host.columns, offsets.read(), indices.read(), out.read()};
  REQUIRE(offsets.damage() == "");
  REQUIRE(indices.damage() == "");
  REQUIRE(out.damage() == "");
  auto const entries = static_cast<std::size_t>(got.offsets.back());
  REQUIRE(entries <= got.indices.size());
  REQUIRE(indices.written_from(static_cast<index_t>(entries)) == "");
  got.indices.resize(entries);
  if (!std::is_same_v<Value, no_values>) got.values.resize(entries);
  return got;
}

template <class Offset, class Value>
void require_conversion(host_coo<Value> const& host) {
  auto const expected = coo_oracle<Offset>(host);
  auto const got = convert<Offset>(host);
  REQUIRE(difference(expected.offsets, got.offsets) == "");
  REQUIRE(difference(expected.indices, got.indices) == "");
  if constexpr (!std::is_same_v<Value, no_values>) REQUIRE(got.values == expected.values);
}

/// Offsets of 64 bits; in quick builds of 32.
using wide_offset = std::conditional_t<quick_types, std::int32_t, std::int64_t>;

}  // namespace

TEST_CASE("lists of any order become matrices by rows, entries of one place added up") {
  bool narrow = false;  // offsets: both kinds, in turns where not all can be
  for (symmetry const kind : {symmetry::general, symmetry::symmetric, symmetry::skew}) {
    for (index_t const n :
         sized_list<index_t>({0, 1, 2, 33, 500, scaled(20000, 3000)}, {0, 1, 33, 1700})) {
      narrow = !narrow;
      for (index_t const size : sized_list<index_t>({1, 7, 100, 70000}, {1, 7, 100, 10000})) {
        INFO(n << " entries, " << size << " rows, kind " << static_cast<int>(kind));
        auto const host = make_coo<float>(size, size, n, kind, pattern::small);
        narrow = !narrow;
        if (narrow || !reduced()) require_conversion<std::int32_t>(host);
        if (!narrow || !reduced()) require_conversion<std::int64_t>(host);
      }
    }
  }
}

TEST_CASE("rectangular lists, and all entries in one row, column or place") {
  require_conversion<wide_offset>(make_coo<double>(3, 1000, 700));
  require_conversion<wide_offset>(make_coo<double>(100000, 2, 700));
  require_conversion<wide_offset>(make_coo<double>(1, 500, 3000));
  require_conversion<wide_offset>(make_coo<double>(500, 1, 3000));
  require_conversion<wide_offset>(make_coo<double>(1, 1, 3000));
  require_conversion<wide_offset>(make_coo<double>(50, 50, 0));
  require_conversion<wide_offset>(make_coo<double>(0, 0, 0));
  require_conversion<wide_offset>(make_coo<double>(0, 9, 0));
}

TEST_CASE("places of very many entries, amid others") {
  auto host = make_coo<double>(1000, 1000, scaled(60000, 20000));
  for (std::size_t k = 0; k < host.indices.size(); ++k) {
    if (k % 3 != 0) host.row_indices[k] = 500, host.indices[k] = k % 2 == 0 ? 7 : 8;
  }
  require_conversion<std::int32_t>(host);
}

TEST_CASE(
    "rounded sums of one place are within n eps of the sum of magnitudes, and repeat bitwise") {
  auto host = make_coo<float>(40, 40, 3000, symmetry::general, pattern::random);
  auto const first = convert<std::int32_t>(host);
  REQUIRE(bit_difference(first.values, convert<std::int32_t>(host, 0x11).values) == "");
  host_coo<double> parts{40, 40, host.row_indices, host.indices, {}}, sizes = parts, wide = parts;
  for (float const value : host.values) {
    parts.values.push_back(1);
    sizes.values.push_back(std::abs(value));
    wide.values.push_back(value);
  }
  auto const exact = coo_oracle<std::int32_t>(wide).values;
  auto const n = coo_oracle<std::int32_t>(parts).values;
  auto const magnitude = coo_oracle<std::int32_t>(sizes).values;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    REQUIRE(std::abs(first.values[k] - exact[k]) <= n[k] * 0x1p-23 * magnitude[k]);
  }
}

using entry_types =
    types_to_test<std::tuple<no_values, bfloat16>, std::tuple<std::int64_t, float16>>;

TEMPLATE_LIST_TEST_CASE("patterns, halves and integers", "", entry_types) {
  // Sums of small halves are exact, and sums of integers wrap around.
  auto const values = std::is_integral_v<TestType> ? pattern::random : pattern::small;
  require_conversion<std::int32_t>(make_coo<TestType>(300, 200, 4000, symmetry::general, values));
  require_conversion<std::int32_t>(make_coo<TestType>(300, 300, 900, symmetry::symmetric, values));
  if (!std::is_same_v<TestType, no_values>) {
    require_conversion<std::int32_t>(make_coo<TestType>(90, 90, 900, symmetry::skew, values));
  }
}

TEST_CASE("what lies after the keys is not one of them") {
  for (index_t const n : {255, 256, 512}) {  // a batch less an entry, a whole one, two
    INFO(n << " entries");
    entry_keys const keys_of(n / 16 + 1, 16, false);
    std::vector<std::uint64_t> keys;
    std::vector<std::int32_t> ends(static_cast<std::size_t>(n / 16 + 2), -1), indices;
    for (index_t i = 0; i < n; ++i) {
      keys.push_back(keys_of.key(static_cast<std::uint64_t>(i / 16), i % 16));
      indices.push_back(static_cast<std::int32_t>(i % 16));
      ends[static_cast<std::size_t>(i / 16 + 1)] = static_cast<std::int32_t>(i + 1);
    }
    keys.push_back(keys.back());
    device_image<std::uint64_t> const d_keys(keys);
    device_image<std::int32_t> d_ends(std::vector<std::int32_t>(ends.size(), -1)), d_indices(n);
    std::size_t const bytes = device::compress_layout<no_values>(n).bytes();
    workspace ws;
    device::compress_entries(
        ws.stream(), ws.reserve(bytes), device::sorted_keys{d_keys.data(), n, keys_of},
        static_cast<no_values const*>(nullptr),
        device::entry_outputs<no_values, std::int32_t>{d_ends.data(), d_indices.data(), nullptr});
    REQUIRE(difference(ends, d_ends.read()) == "");
    REQUIRE(difference(indices, d_indices.read()) == "");
    REQUIRE(d_ends.damage() + d_indices.damage() == "");
  }
}

TEST_CASE("lists that are no matrix are refused") {
  workspace ws;
  std::int32_t offset = 0;
  auto const convert_list = [&](coo_matrix<no_values> const& list) {
    coo_to_csr(ws, list, &offset, static_cast<std::int32_t*>(nullptr),
               static_cast<no_values*>(nullptr));
  };
  REQUIRE_THROWS_AS(convert_list({-1, 2, 0, nullptr, nullptr}), invalid_argument);
  REQUIRE_THROWS_AS(convert_list({0, 2, 1, nullptr, nullptr}), invalid_argument);
  REQUIRE_THROWS_AS(convert_list({3, 2, 1, nullptr, nullptr, nullptr, symmetry::skew}),
                    invalid_argument);
  REQUIRE_THROWS_AS(convert_list({3, 3, index_t{1} << 31, nullptr, nullptr}), invalid_argument);
  REQUIRE_THROWS_AS(
      convert_list({3, 3, index_t{1} << 30, nullptr, nullptr, nullptr, symmetry::symmetric}),
      invalid_argument);
}
