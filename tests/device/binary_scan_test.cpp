// SPDX-License-Identifier: Apache-2.0
// The device-wide binary scan against a counting loop: bytes and bits, sizes, densities, ranks of
// 32 and 64 bits, schedules, places.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/binary_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// One warp: a tile of 1024 items.
struct small_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::look_back;
  static constexpr int block_threads = 32;
  [[maybe_unused]] static constexpr int resident_blocks = 1;
};

/// Tiles of 4096 items; two groups, so that blocks count several times; chunks of six tiles.
struct small_two_launch_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::two_launches;
  static constexpr int block_threads = 64;
  [[maybe_unused]] static constexpr int resident_blocks = 1;
  static constexpr int words_per_lane = 2;
  static constexpr int max_groups = 2;
  static constexpr index_t chunk_items = 6 * 4096;
};

/// No tuning: the library chooses.
using automatic = void;

/// Types of ranks beside std::int32_t and std::uint64_t; in quick builds the same two.
using narrow_rank = std::conditional_t<quick_types, std::int32_t, std::uint32_t>;
using wide_rank = std::conditional_t<quick_types, std::uint64_t, std::int64_t>;

constexpr scan_kind both_kinds[] = {scan_kind::exclusive, scan_kind::inclusive};

/// n predicates; about one in `one_in` holds; 0: none.
std::vector<std::uint8_t> make_bytes(index_t n, std::uint64_t one_in) {
  random_words words(one_in * 31 + static_cast<std::uint64_t>(n));
  std::vector<std::uint8_t> bytes;
  for (index_t i = 0; i < n; ++i) {
    bool const holds = one_in != 0 && words.below(one_in) == 0;
    bytes.push_back(holds ? static_cast<std::uint8_t>(1 + words.below(255)) : std::uint8_t{0});
  }
  return bytes;
}

/// Bit i of word w is item 32 w + i; bits after the last item are set.
std::vector<std::uint32_t> packed(std::vector<std::uint8_t> const& bytes) {
  std::vector<std::uint32_t> words((bytes.size() + 31) / 32, 0);
  for (std::size_t i = 0; i < words.size() * 32; ++i) {
    if (i >= bytes.size() || bytes[i] != 0) words[i / 32] |= 1U << i % 32;
  }
  return words;
}

template <class Rank>
test::scan_result<Rank> count(scan_kind kind, std::vector<std::uint8_t> const& bytes) {
  test::scan_result<Rank> result{{}, 0};
  for (std::uint8_t const byte : bytes) {
    Rank const before = result.total;
    if (byte != 0) ++result.total;
    result.out.push_back(kind == scan_kind::inclusive ? result.total : before);
  }
  return result;
}

template <class Tuning, class Rank>
void require_ranks(std::vector<std::uint8_t> const& bytes, int offset = 0) {
  auto const n = static_cast<index_t>(bytes.size());
  device_image<std::uint8_t> d_bytes(bytes, offset);
  device_image<std::uint32_t> d_words(packed(bytes), offset);
  for (scan_kind const kind : both_kinds) {
    for (bool const as_bits : {false, true}) {
      INFO("n = " << n << (as_bits ? ", bits" : ", bytes"));
      device_image<Rank> ranks(n, 16 - offset);
      device_image<index_t> total(1);
      workspace ws;
      auto const scan = [&](auto mask) {
        if (kind == scan_kind::exclusive) {
          exclusive_binary_scan<Tuning>(ws, mask, ranks.data(), n, total.data());
        } else {
          inclusive_binary_scan<Tuning>(ws, mask, ranks.data(), n, total.data());
        }
      };
      if (as_bits) {
        scan(bit_mask{d_words.data()});
      } else {
        scan(byte_mask{d_bytes.data()});
      }
      auto const expected = count<Rank>(kind, bytes);
      REQUIRE(difference(expected.out, ranks.read()) == "");
      REQUIRE(total.read()[0] == static_cast<index_t>(expected.total));
      REQUIRE(ranks.damage() == "");
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("sizes around words, warps and tiles agree with a loop, at every density", "",
                   small_tuning, small_two_launch_tuning) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (std::uint64_t const one_in : {0, 1, 2, 100}) {
      for (index_t const n : {0,   1,   2,   3,    31,   32,   33,   63,   64,   65,
                              511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 9999}) {
        auto const bytes = make_bytes(n, one_in);
        require_ranks<TestType, std::int32_t>(bytes);
        require_ranks<TestType, std::uint64_t>(bytes);
      }
      require_ranks<TestType, narrow_rank>(make_bytes(scaled(70000, 34000), one_in));
    }
  });
}

TEST_CASE("the size ladder agrees with a loop") {
  using tuning = device::binary_scan_tuning;
  index_t const limit = on_gpu ? 2000000 : scaled(600000, 20000);
  for (index_t const n : size_ladder(index_t{tuning::block_threads} * 32, 256, limit)) {
    require_ranks<tuning, std::int32_t>(make_bytes(n, 3));
    require_ranks<tuning, wide_rank>(make_bytes(n, 3));
  }
  for (index_t const n : {0, 1, 33, 2048, 2049, scaled(20000, 5000)}) {
    require_ranks<automatic, std::int32_t>(make_bytes(n, 3));
    require_ranks<automatic, std::uint64_t>(make_bytes(n, 1));
  }
  // Scanned as numbers by few rows or by more, in tiles, and counted first.
  for (index_t const n : {1 << 18, 1 << 21, 3000001, (1 << 25) + 77}) {
    if (on_gpu) require_ranks<automatic, std::int32_t>(make_bytes(n, 3));
    if (on_gpu) require_ranks<automatic, wide_rank>(make_bytes(n, 3));
  }
  require_ranks<device::two_launch_binary_scan_tuning, std::int32_t>(make_bytes(70001, 3));
}

TEMPLATE_TEST_CASE("no pointer needs alignment beyond its type's, and nothing outside is touched",
                   "", small_tuning, small_two_launch_tuning, automatic) {
  for (int offset = 0; offset <= 16; ++offset) {
    INFO("offset " << offset);
    // In the quick set either rank has the offset 0 and odd and even ones.
    bool const both = !quick_types || offset == 0;
    if (both || offset / 2 % 2 == 0)
      require_ranks<TestType, narrow_rank>(make_bytes(2500, 2), offset);
    if (both || offset / 2 % 2 != 0)
      require_ranks<TestType, wide_rank>(make_bytes(2500, 2), offset);
  }
}

TEMPLATE_TEST_CASE("the number of items may lie in device memory", "", small_tuning,
                   small_two_launch_tuning, automatic) {
  auto const bytes = make_bytes(5000, 2);
  device_image<std::uint8_t> d_bytes(bytes);
  device_image<std::uint32_t> d_words(packed(bytes));
  auto const require = [&](index_t n, auto mask) {
    index_t const taken = n < 0 ? 0 : n > 5000 ? 5000 : n;
    device_image<index_t> length(std::vector<index_t>{n});
    device_image<std::int32_t> ranks(5000);
    device_image<index_t> total(1);
    workspace ws;
    exclusive_binary_scan<TestType>(ws, mask, ranks.data(),
                                    item_count::on_device(length.data(), 5000), total.data());
    auto got = ranks.read();
    REQUIRE(ranks.written_from(taken) == "");
    got.resize(static_cast<std::size_t>(taken));
    auto const expected =
        count<std::int32_t>(scan_kind::exclusive, {bytes.begin(), bytes.begin() + taken});
    REQUIRE(difference(expected.out, got) == "");
    REQUIRE(total.read()[0] == expected.total);
  };
  for (index_t const n : {-3, 0, 1, 31, 32, 1024, 4999, 5000, 9999}) {
    INFO("n on the device = " << n);
    require(n, byte_mask{d_bytes.data()});
    require(n, bit_mask{d_words.data()});
  }
}

TEST_CASE("the workspace is as small as documented") {
  constexpr index_t chunk = index_t{1} << 27;
  auto const of_chunks = [](index_t n) { return n / 8 + n / 2048 + 16 * 1024; };
  std::vector<index_t> sizes{0};
  for (int power = 0; power <= 40; ++power) {
    for (index_t const step : {-1, 0, 1}) sizes.push_back((index_t{1} << power) + step);
  }
  for (index_t const n : sizes) {
    INFO("n = " << n);
    index_t const most = n <= chunk ? of_chunks(n) : std::max(of_chunks(chunk), n / 512 + 4 * 1024);
    CHECK(static_cast<index_t>(binary_scan_workspace_bytes(n)) <= most);
  }
}

TEST_CASE("a dirty workspace is harmless, one too small is refused") {
  auto const bytes = make_bytes(100000, 2);
  std::size_t const needed = binary_scan_workspace_bytes(100000);
  device::buffer<std::byte> const memory(static_cast<index_t>(needed));
  simt::fill_async(memory.data(), 0xff, needed);
  workspace ws(memory.data(), needed);
  device_image<std::uint8_t> mask(bytes);
  device_image<std::int32_t> ranks(100000);
  for (int k = 0; k < 2; ++k) {
    exclusive_binary_scan(ws, byte_mask{mask.data()}, ranks.data(), 100000);
    REQUIRE(difference(count<std::int32_t>(scan_kind::exclusive, bytes).out, ranks.read()) == "");
  }
  workspace small(memory.data(), 8);
  REQUIRE_THROWS_WITH(exclusive_binary_scan(small, byte_mask{mask.data()}, ranks.data(), 100000),
                      Catch::Contains("workspace of 8 bytes, but the call needs"));
}

TEST_CASE("ranks that share memory with their mask are refused") {
  workspace ws;
  std::uint32_t words[100] = {};
  REQUIRE_THROWS_AS(exclusive_binary_scan(ws, bit_mask{words + 1}, words, 50), invalid_argument);
  REQUIRE_THROWS_AS(
      inclusive_binary_scan(ws, byte_mask{reinterpret_cast<std::uint8_t*>(words)}, words + 12, 50),
      invalid_argument);
}
