// SPDX-License-Identifier: Apache-2.0
// Masks in flight into words of a warp, their counts, and the ranks that a block writes of such
// words: by themselves, at every remainder.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/device/mask_words.cuh>
#include <libscan/device/two_launch_binary_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int rows = 2, most = rows * 1024;

/// out[32 r + lane] = word r.
struct load_kernel {
  template <class Mask>
  __device__ void operator()(Mask mask, index_t base, index_t valid, unsigned* out) const {
    unsigned word[rows];
    device::load_words(mask, base, valid, word);
    for (int r = 0; r < rows; ++r) out[r * simt::warp_size + simt::lane_id()] = word[r];
  }
};

template <class Mask>
void require_words(Mask mask, std::vector<int> const& bits, index_t base, index_t valid) {
  std::vector<unsigned> expected(most / 32, 0);
  for (std::size_t i = 0; i < most; ++i) {
    auto const at = static_cast<std::size_t>(base) + i;
    if (static_cast<index_t>(i) < valid && bits[at] != 0) expected[i / 32] |= 1u << i % 32;
  }
  device_image<unsigned> out(most / 32);
  simt::launch<load_kernel>({.blocks = 1, .threads = simt::warp_size}, mask, base, valid,
                            out.data());
  INFO(valid << " items from " << base);
  REQUIRE(out.read() == expected);
}

constexpr int counted = 4096;

/// Each lane's share of the true items of a part of a tile.
struct count_kernel {
  template <class Mask>
  __device__ void operator()(Mask mask, index_t base, index_t end, std::uint32_t* words,
                             unsigned* counts) const {
    using rows = device::mask_rows<Mask, counted>;
    static_assert(rows::items == counted);
    counts[simt::lane_id()] = rows::count_part(mask, base, end, words);
  }
};

template <class Mask>
void require_count(Mask mask, std::vector<int> const& bits, index_t base, index_t end) {
  unsigned expected = 0, sum = 0;
  std::vector<std::uint32_t> expected_words(bits.size() / 32, 0);
  for (index_t i = base; i < end && i < base + counted; ++i) {
    if (bits[static_cast<std::size_t>(i)] == 0) continue;
    ++expected;
    expected_words[static_cast<std::size_t>(i / 32)] |= 1u << i % 32;
  }
  device_image<std::uint32_t> words(std::vector<std::uint32_t>(expected_words.size(), 0));
  device_image<unsigned> counts(simt::warp_size);
  simt::launch<count_kernel>({.blocks = 1, .threads = simt::warp_size}, mask, base, end,
                             words.data(), counts.data());
  for (unsigned const count : counts.read()) sum += count;
  INFO("items " << base << " to " << end);
  REQUIRE(sum == expected);
  if (std::is_same_v<Mask, byte_mask>) REQUIRE(words.read() == expected_words);
}

constexpr int warps = 2, words = 64;

/// The ranks of the items that bits of words say.
template <scan_kind Kind, class Rank>
struct rank_kernel {
  struct shared_storage {
    device::ranked_word<Rank> word[words];
  };
  __device__ void operator()(shared_storage& shared, unsigned const* bits, Rank first, int valid,
                             Rank* out) const {
    if (threadIdx.x == 0) {
      for (int w = 0; w < words; ++w) {
        shared.word[w] = {first, bits[w]};
        first += static_cast<Rank>(simt::popc(bits[w]));
      }
    }
    simt::sync_block();
    device::rank_words<warps, Kind>(shared.word, static_cast<int>(threadIdx.x) / simt::warp_size,
                                    out, valid);
  }
};

template <scan_kind Kind, class Rank>
void require_ranks(std::vector<unsigned> const& bits, int valid, int offset) {
  Rank rank = 1000;
  std::vector<Rank> expected;
  for (int i = 0; i < valid; ++i) {
    Rank const next = rank + (bits[static_cast<std::size_t>(i / 32)] >> i % 32 & 1u);
    expected.push_back(Kind == scan_kind::inclusive ? next : rank);
    rank = next;
  }
  device_image<unsigned> in(bits);
  device_image<Rank> out(valid, offset);
  simt::launch<rank_kernel<Kind, Rank>>({.blocks = 1, .threads = warps * simt::warp_size},
                                        static_cast<unsigned const*>(in.data()), Rank{1000}, valid,
                                        out.data());
  INFO(valid << " ranks, offset " << offset);
  REQUIRE(difference(expected, out.read()) == "");
  REQUIRE(out.damage() == "");
}

}  // namespace

TEST_CASE("masks of bits and of bytes are loaded as words") {
  random_words random(3);
  std::vector<int> bits;
  for (int i = 0; i < 3 * 1024; ++i) bits.push_back(random.below(2) == 0 ? 0 : 1);
  std::vector<std::uint32_t> packed(bits.size() / 32, 0);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i] != 0) packed[i / 32] |= 1u << i % 32;
    bytes.push_back(static_cast<std::uint8_t>(bits[i] * (1 + i % 255)));
  }
  for (index_t const base : {0, 1024}) {
    for (index_t valid = 0; valid <= most; ++valid) {
      if (valid > 40 && valid % 16 > 1 && valid % 16 < 15 && valid % 7 != 0) continue;
      // What lies past the end is not read.
      auto const end = static_cast<std::ptrdiff_t>(base + valid);
      device_image<std::uint32_t> words_in(
          std::vector<std::uint32_t>(packed.begin(), packed.begin() + (end + 31) / 32));
      require_words(bit_mask{words_in.data()}, bits, base, valid);
      if (valid % 3 != 0 && valid < most) continue;
      for (int const offset : {0, 5}) {
        device_image<std::uint8_t> bytes_in(
            std::vector<std::uint8_t>(bytes.begin(), bytes.begin() + end), offset);
        require_words(byte_mask{bytes_in.data()}, bits, base, valid);
      }
    }
  }
}

TEST_CASE("a part of a tile is counted up to its end, not up to the end of a word") {
  random_words random(4);
  std::vector<int> bits;
  std::vector<std::uint32_t> packed(2 * counted / 32, 0);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < 2 * counted; ++i) {
    bits.push_back(random.below(2) == 0 ? 0 : 1);
    if (bits[i] != 0) packed[i / 32] |= 1u << i % 32;
    bytes.push_back(static_cast<std::uint8_t>(bits[i] * (1 + i % 255)));
  }
  device_image<std::uint32_t> const words_in(packed);
  device_image<std::uint8_t> const bytes_in(bytes);
  for (index_t const base : {0, counted}) {
    for (index_t const part : {0, 1, 15, 16, 17, 31, 32, 33, 63, 1000, 1024, 1055, 4095, 4096}) {
      require_count(bit_mask{words_in.data()}, bits, base, base + part);
      require_count(byte_mask{bytes_in.data()}, bits, base, base + part);
    }
  }
}

TEMPLATE_TEST_CASE("ranks are written of bits in words", "", std::uint32_t, index_t) {
  for (unsigned const often : {0U, 1U, 2U}) {
    random_words random(often);
    std::vector<unsigned> bits;
    for (int w = 0; w < words; ++w) {
      bits.push_back(often == 0 ? 0 : often == 1 ? ~0U : static_cast<unsigned>(random()));
    }
    for (int const offset : {0, 1}) {
      for (int valid = 0; valid <= words * 32; valid += valid < 70 || valid > 1900 ? 1 : 111) {
        require_ranks<scan_kind::exclusive, TestType>(bits, valid, offset);
        require_ranks<scan_kind::inclusive, TestType>(bits, valid, offset);
        if (often < 2) valid += 100;
      }
    }
  }
}
