// SPDX-License-Identifier: Apache-2.0
// The kernels of docs/collectives.md against sequential oracles.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <examples/kernels/compaction.cuh>
#include <examples/kernels/lane_masks.cuh>
#include <examples/kernels/lexer.cuh>
#include <examples/kernels/plain_cuda.cuh>
#include <examples/kernels/polynomial.cuh>
#include <examples/kernels/queue.cuh>
#include <examples/kernels/recurrence.cuh>
#include <examples/kernels/segments.cuh>
#include <examples/kernels/sorting.cuh>
#include <examples/kernels/sums.cuh>
#include <examples/kernels/textbook.cuh>
#include <examples/kernels/tiles.cuh>
#include <examples/kernels/votes.cuh>
#include <examples/kernels/warp_scans.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;
using namespace examples;

namespace {

/// Calls body(n) for sizes around warps, blocks and tiles, under every schedule.
template <class Body>
void each_size(std::vector<index_t> const& sizes, Body body) {
  each_schedule(scaled(3, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sizes) {
      INFO(n << " items");
      body(n);
    }
  });
}

std::vector<index_t> const grid_sizes{1, 31, 32, 33, 255, 256, 257, 1024, 1999};

/// As many blocks as n items take, of `items` items each.
simt::launch_config grid_for(index_t n, index_t items = block_threads) {
  return {.blocks = static_cast<unsigned>(ceil_div(n, items)), .threads = block_threads};
}

simt::launch_config const one_block{.blocks = 1, .threads = block_threads};

/// n random items from [low, high].
template <class T>
std::vector<T> numbers(index_t n, int low, int high, std::uint64_t stream = 0) {
  random_words words(stream * 4096 + static_cast<std::uint64_t>(n));
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& item : items) {
    item =
        static_cast<T>(low + static_cast<int>(words.below(1 + static_cast<unsigned>(high - low))));
  }
  return items;
}

/// What a kernel left in `image`, and nowhere else.
template <class T>
std::vector<T> take(device_image<T>& image) {
  auto items = image.read();
  REQUIRE(image.damage() == "");
  return items;
}

template <class T>
T const* input(device_image<T> const& image) {
  return image.data();
}

/// The `w`-th piece of `items`, cut every `length`; the last one may be shorter.
template <class T>
std::vector<T> piece(std::vector<T> const& items, std::size_t w, std::size_t length) {
  auto const begin = items.begin() + static_cast<std::ptrdiff_t>(w * length);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::min(length, items.size() - w * length))};
}

template <class T>
std::size_t pieces(std::vector<T> const& items, std::size_t length) {
  return ceil_div(items.size(), length);
}

/// Whether `queue` is made of each block's items, the blocks in some order.
bool is_queue_of(std::vector<int> const& wanted, std::vector<index_t> const& queue) {
  std::vector<std::vector<index_t>> left(pieces(wanted, block_threads));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto& items = left[i / block_threads];
    items.insert(items.end(), static_cast<std::size_t>(wanted[i]), static_cast<index_t>(i));
  }
  std::size_t at = 0;
  while (at < queue.size()) {
    if (queue[at] < 0 || queue[at] >= static_cast<index_t>(wanted.size())) return false;
    auto& items = left[static_cast<std::size_t>(queue[at]) / block_threads];
    if (items.empty() || items.size() > queue.size() - at) return false;
    if (!std::equal(items.begin(), items.end(), queue.begin() + static_cast<std::ptrdiff_t>(at))) {
      return false;
    }
    at += items.size();
    items.clear();
  }
  return std::all_of(left.begin(), left.end(), [](auto const& items) { return items.empty(); });
}

/// A lexer with a loop and a switch: nothing in common with the tables of lexer.cuh.
std::vector<lexer_state> lex_oracle(std::vector<char> const& line) {
  using enum lexer_state;
  auto const outside = [](lexer_state before, char c) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"') return text;
    if (std::isspace(byte)) return blank;
    bool const begins = before == blank || before == closed || before == mark;
    if (std::isdigit(byte)) return begins ? number : before;
    if (std::isalpha(byte) || c == '_') return before == number || before == wrong ? wrong : name;
    return mark;
  };
  std::vector<lexer_state> states;
  lexer_state now = blank;
  for (char const c : line) {
    switch (now) {
      case text:
        now = c == '"' ? closed : c == '\\' ? escape : text;
        break;
      case escape:
        now = text;
        break;
      default:
        now = outside(now, c);
    }
    states.push_back(now);
  }
  return states;
}

std::vector<lexer_state> lex(std::vector<char> const& text) {
  device_image<char> in(text);
  device_image<lexer_state> out(static_cast<index_t>(text.size()));
  simt::launch<lex_kernel>(one_block, input(in), static_cast<index_t>(text.size()), out.data());
  return take(out);
}

template <class T>
std::vector<T> recur(std::vector<affine_map<T>> const& steps, T start) {
  device_image<affine_map<T>> in(steps);
  device_image<T> out(static_cast<index_t>(steps.size()));
  simt::launch<recurrence_kernel<T>>(one_block, input(in), static_cast<index_t>(steps.size()),
                                     start, out.data());
  return take(out);
}

template <class T>
std::vector<T> polynomial(std::vector<T> const& c, std::vector<T> const& points) {
  device_image<T> in(c), at(points), out(static_cast<index_t>(points.size()));
  simt::launch<polynomial_kernel<T>>(
      {.blocks = static_cast<unsigned>(points.size()), .threads = block_threads}, input(in),
      static_cast<int>(c.size()), input(at), out.data());
  return take(out);
}

/// The scan of every piece of `length` items by itself.
template <class Op, class T>
std::vector<T> piecewise_scan(scan_kind kind, std::vector<T> const& items, std::size_t length,
                              Op op) {
  std::vector<T> out;
  for (std::size_t w = 0; w < pieces(items, length); ++w) {
    auto const scanned = scan_oracle(kind, piece(items, w, length), op, op.identity()).out;
    out.insert(out.end(), scanned.begin(), scanned.end());
  }
  return out;
}

/// How many earlier items of each one's segment are odd; segments end every `length` items too.
std::vector<int> odd_ranks_oracle(std::vector<int> const& in,
                                  std::vector<unsigned char> const& heads, std::size_t length) {
  std::vector<int> ranks;
  int odd = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (heads[i] != 0 || i % length == 0) odd = 0;
    ranks.push_back(odd);
    odd += in[i] % 2 != 0 ? 1 : 0;
  }
  return ranks;
}

/// Items other than 0 to the front of every piece; the other places hold what `out` began with.
template <class Kernel>
void require_compaction(std::size_t length) {
  each_size(grid_sizes, [&](index_t n) {
    auto const items = numbers<int>(n, 0, 2);
    auto expected = std::vector<int>(items.size(), -1);
    std::vector<int> counts;
    for (std::size_t w = 0; w < pieces(items, length); ++w) {
      auto kept = piece(items, w, length);
      kept.erase(std::remove(kept.begin(), kept.end(), 0), kept.end());
      std::copy(kept.begin(), kept.end(),
                expected.begin() + static_cast<std::ptrdiff_t>(w * length));
      counts.push_back(static_cast<int>(kept.size()));
    }
    // Lanes beyond the last item count too: nothing.
    index_t const all = ceil_div(n, index_t{block_threads}) * block_threads;
    counts.resize(static_cast<std::size_t>(all) / length, 0);
    device_image<int> in(items), out(std::vector<int>(items.size(), -1));
    device_image<int> kept(static_cast<index_t>(counts.size()));
    simt::launch<Kernel>(grid_for(n), input(in), n, out.data(), kept.data());
    REQUIRE(take(out) == expected);
    REQUIRE(take(kept) == counts);
  });
}

}  // namespace

TEST_CASE("threads append any number of items to a queue") {
  each_size(grid_sizes, [](index_t n) {
    for (int const most : {0, 1, 5, 40}) {
      auto const wanted = numbers<int>(n, 0, most);
      auto const total = std::accumulate(wanted.begin(), wanted.end(), index_t{0});
      device_image<int> in(wanted);
      device_image<index_t> queue(total), size(std::vector<index_t>{0});
      simt::launch<append_kernel>(grid_for(n), input(in), n, queue.data(), size.data());
      REQUIRE(take(size).front() == total);
      REQUIRE(is_queue_of(wanted, take(queue)));
    }
  });
}

#ifdef __CUDACC__
TEST_CASE("the same in a plain CUDA kernel") {
  for (index_t const n : grid_sizes) {
    auto const wanted = numbers<int>(n, 0, 5);
    auto const total = std::accumulate(wanted.begin(), wanted.end(), index_t{0});
    device_image<int> in(wanted);
    device_image<index_t> queue(total);
    device_image<unsigned long long> size(std::vector<unsigned long long>{0});
    auto const blocks = static_cast<unsigned>(ceil_div(n, index_t{block_threads}));
    append_plain_kernel<<<blocks, block_threads>>>(in.data(), n, queue.data(), size.data());
    LIBSCAN_CHECK(cudaPeekAtLastError());
    REQUIRE(take(size).front() == static_cast<unsigned long long>(total));
    REQUIRE(is_queue_of(wanted, take(queue)));
  }
}
#endif

TEST_CASE("a lexer is a scan of transitions") {
  using enum lexer_state;
  std::string const line = "x1 = 42;";
  REQUIRE(lex({line.begin(), line.end()}) ==
          std::vector<lexer_state>{name, name, blank, mark, blank, number, number, mark});
  each_size({0, 1, 2, 31, 32, 33, 255, 256, 257, 513, 3000}, [](index_t n) {
    for (std::uint64_t stream = 0; stream < 4; ++stream) {
      // Many quotes and escapes, or few: with few, a text runs through many tiles.
      std::string const alphabet =
          stream % 2 == 0 ? "ab_Z019 \t\n\"\"\"\\\\;+" : std::string(200, 'a') + "\"\\ 1;";
      std::vector<char> text;
      for (auto const k : numbers<int>(n, 0, static_cast<int>(alphabet.size()) - 1, stream)) {
        text.push_back(alphabet[static_cast<std::size_t>(k)]);
      }
      REQUIRE(lex(text) == lex_oracle(text));
    }
  });
}

TEST_CASE("functions of an automaton compose in any grouping") {
  compose_transitions const op;
  random_words words;
  for (int round = 0; round < 500; ++round) {
    transition f[3];
    for (transition& each : f) {
      each.digits = static_cast<unsigned>(words()) & 0x77777777u;
      REQUIRE(op(op.identity(), each).digits == each.digits);
      REQUIRE(op(each, op.identity()).digits == each.digits);
    }
    REQUIRE(op(op(f[0], f[1]), f[2]).digits == op(f[0], op(f[1], f[2])).digits);
  }
  transition const quote = transition_of('"'), letter = transition_of('a');
  REQUIRE(op(quote, letter).digits != op(letter, quote).digits);
}

TEST_CASE("a linear recurrence is a scan of affine maps") {
  std::vector<index_t> const sizes{0, 1, 31, 32, 33, 255, 256, 257, 512, 3000};
  each_size(sizes, [](index_t n) {
    auto const a = make_input<std::uint32_t>(pattern::random, n, 1);
    auto const b = make_input<std::uint32_t>(pattern::random, n, 2);
    std::vector<affine_map<std::uint32_t>> steps;
    std::vector<std::uint32_t> expected;
    std::uint32_t x = 17;
    for (std::size_t i = 0; i < a.size(); ++i) {
      steps.push_back({a[i] | 1u, b[i]});
      expected.push_back(x = steps[i].a * x + steps[i].b);
    }
    REQUIRE(recur(steps, std::uint32_t{17}) == expected);
  });
  each_size(sizes, [](index_t n) {
    auto const a = make_input<float>(pattern::random, n, 3);
    auto const b = make_input<float>(pattern::random, n, 4);
    std::vector<affine_map<float>> steps;
    for (std::size_t i = 0; i < a.size(); ++i) steps.push_back({a[i], b[i]});
    auto const got = recur(steps, 0.5f);
    double x = 0.5, magnitude = 0.5;
    for (std::size_t i = 0; i < a.size(); ++i) {
      x = double{a[i]} * x + double{b[i]};
      magnitude = std::abs(double{a[i]}) * magnitude + std::abs(double{b[i]});
      // No term takes part in more than two roundings a step, however the steps are grouped.
      double const bound =
          2.0 * static_cast<double>(i + 1) * std::numeric_limits<float>::epsilon() * magnitude;
      REQUIRE(std::abs(double{got[i]} - x) <= bound);
    }
  });
}

TEST_CASE("a polynomial's value is a scan of powers and a reduction") {
  std::vector<index_t> const sizes{0, 1, 2, 32, 255, 256, 257, 2000};
  each_size(sizes, [](index_t n) {
    auto const c = make_input<std::uint32_t>(pattern::random, n, 1);
    std::vector<std::uint32_t> const points{0, 1, 3, 0xffffffffu, 12345678};
    std::vector<std::uint32_t> expected;
    for (std::uint32_t const x : points) {
      std::uint32_t y = 0;
      for (auto k = c.rbegin(); k != c.rend(); ++k) y = y * x + *k;
      expected.push_back(y);
    }
    REQUIRE(polynomial(c, points) == expected);
  });
  each_size(sizes, [](index_t n) {
    auto const c = make_input<double>(pattern::random, n, 2);
    std::vector<double> const points{0.0, 1.0, -0.99, 1.001};
    auto const got = polynomial(c, points);
    for (std::size_t p = 0; p < points.size(); ++p) {
      long double y = 0, magnitude = 0;
      for (auto k = c.rbegin(); k != c.rend(); ++k) {
        y = y * points[p] + *k;
        magnitude = magnitude * std::abs(points[p]) + std::abs(*k);
      }
      // At most n - 1 roundings in a power, one to weigh it, n in the sum.
      long double const bound = 2.0L * static_cast<long double>(n + 1) *
                                std::numeric_limits<double>::epsilon() * magnitude;
      REQUIRE(std::abs(static_cast<long double>(got[p]) - y) <= bound);
    }
  });
}

TEST_CASE("votes of warps and blocks") {
  each_size(grid_sizes, [](index_t n) {
    for (std::uint64_t stream = 0; stream < 3; ++stream) {
      auto items = numbers<int>(n, -100, 100, stream);
      if (stream != 0) std::sort(items.begin(), items.end());
      if (stream == 2) items.erase(std::remove(items.begin(), items.end(), 0), items.end());
      auto const size = static_cast<index_t>(items.size());
      if (size == 0) continue;
      device_image<int> in(items);
      device_image<index_t> found(std::vector<index_t>{0});
      device_image<block_facts> facts(ceil_div(size, index_t{block_threads}));
      simt::launch<count_below_kernel>(grid_for(size), input(in), size, 20, found.data());
      simt::launch<inspect_kernel>(grid_for(size), input(in), size, facts.data());
      REQUIRE(take(found).front() ==
              std::count_if(items.begin(), items.end(), [](int x) { return x < 20; }));
      auto const got = take(facts);
      for (std::size_t b = 0; b < got.size(); ++b) {
        auto own = piece(items, b, block_threads);
        REQUIRE(got[b].negatives ==
                std::count_if(own.begin(), own.end(), [](int x) { return x < 0; }));
        REQUIRE(got[b].has_zero == (std::count(own.begin(), own.end(), 0) > 0));
        if (b + 1 < got.size()) own.push_back(items[(b + 1) * block_threads]);
        REQUIRE(got[b].ascending == std::is_sorted(own.begin(), own.end()));
      }
    }
  });
}

TEST_CASE("sums of a block, by counts and by a tree") {
  each_size(grid_sizes, [](index_t n) {
    auto const items = numbers<unsigned>(n, 0, 15);
    std::vector<unsigned> expected;
    for (std::size_t b = 0; b < pieces(items, block_threads); ++b) {
      auto const own = piece(items, b, block_threads);
      expected.push_back(std::accumulate(own.begin(), own.end(), 0u));
    }
    auto const blocks = static_cast<index_t>(expected.size());
    device_image<unsigned> in(items), by_counts(blocks), by_tree(blocks);
    simt::launch<sum_kernel>(grid_for(n), input(in), n, by_counts.data(), by_tree.data());
    REQUIRE(take(by_counts) == expected);
    REQUIRE(take(by_tree) == expected);
  });
}

TEST_CASE("ranks compact warps and blocks") {
  require_compaction<compact_warp_kernel>(simt::warp_size);
  require_compaction<compact_block_kernel>(block_threads);
}

TEST_CASE("the four ranks of a flag") {
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    auto const flags = numbers<int>(32, 0, 1, stream);
    device_image<int> in(flags);
    device_image<four_ranks> out(32);
    simt::launch<four_ranks_kernel>({.blocks = 1, .threads = 32}, input(in), out.data());
    auto const got = take(out);
    int const total = std::accumulate(flags.begin(), flags.end(), 0);
    int before = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      REQUIRE(got[i].before == before);
      REQUIRE(got[i].from == total - before);
      before += flags[i];
      REQUIRE(got[i].up_to == before);
      REQUIRE(got[i].behind == total - before);
    }
  }
}

TEMPLATE_TEST_CASE("lane masks rank lanes among equal keys", "", warp::hardware_lane_masks,
                   warp::arithmetic_lane_masks) {
  each_size(grid_sizes, [](index_t n) {
    auto const keys = numbers<unsigned>(n, 0, 4);
    std::vector<int> expected;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto const at = keys.begin() + static_cast<std::ptrdiff_t>(i);
      expected.push_back(
          static_cast<int>(std::count(at - static_cast<std::ptrdiff_t>(i % 32), at, *at)));
    }
    device_image<unsigned> in(keys);
    device_image<int> ranks(n);
    simt::launch<rank_in_bucket_kernel<TestType>>(grid_for(n), input(in), n, ranks.data());
    REQUIRE(take(ranks) == expected);
  });
}

TEST_CASE("scans of warps by shuffles, in shared memory, and bit by bit") {
  each_size(grid_sizes, [](index_t n) {
    auto const items = make_input<float>(pattern::special, n);
    auto const expected = piecewise_scan(scan_kind::inclusive, items, 32, maximum<float>{});
    device_image<float> in(items), by_shuffles(n), shared(n);
    simt::launch<running_maximum_kernel>(grid_for(n), input(in), n, by_shuffles.data());
    simt::launch<shared_running_maximum_kernel>(grid_for(n), input(in), n, shared.data());
    REQUIRE(difference(expected, take(by_shuffles)) == "");
    REQUIRE(difference(expected, take(shared)) == "");

    auto const lengths = numbers<unsigned>(n, 0, 15);
    device_image<unsigned> codes(lengths), starts(n), bits(ceil_div(n, index_t{256}) * 8);
    simt::launch<code_starts_kernel>(grid_for(n), input(codes), n, starts.data(), bits.data());
    REQUIRE(take(starts) == piecewise_scan(scan_kind::exclusive, lengths, 32, plus<unsigned>{}));
    auto const got = take(bits);
    for (std::size_t w = 0; w < pieces(lengths, 32); ++w) {
      auto const own = piece(lengths, w, 32);
      REQUIRE(got[w] == std::accumulate(own.begin(), own.end(), 0u));
    }
  });
}

TEST_CASE("segments of warps and blocks") {
  each_size(grid_sizes, [](index_t n) {
    for (int const one_in : {1, 3, 20, 1000}) {
      auto const in = numbers<int>(n, 1, 9);
      auto heads = numbers<unsigned char>(n, 0, 0);
      auto const draws = numbers<int>(n, 1, one_in, 1);
      for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = draws[i] == 1 ? 1 : 0;
      device_image<int> d_in(in), of_warp(n), of_block(n);
      device_image<unsigned char> d_heads(heads);
      simt::launch<odd_ranks_kernel>(grid_for(n), input(d_in), input(d_heads), n, of_warp.data());
      simt::launch<odd_ranks_of_block_kernel>(grid_for(n), input(d_in), input(d_heads), n,
                                              of_block.data());
      REQUIRE(take(of_warp) == odd_ranks_oracle(in, heads, 32));
      REQUIRE(take(of_block) == odd_ranks_oracle(in, heads, block_threads));

      std::vector<float> const values(in.begin(), in.end());
      std::vector<unsigned> words(pieces(heads, 32));
      for (std::size_t i = 0; i < heads.size(); ++i) words[i / 32] |= unsigned{heads[i]} << i % 32;
      device_image<float> d_values(values), shares(n);
      device_image<unsigned> d_words(words);
      simt::launch<shares_kernel>(grid_for(n), input(d_values), input(d_words), n, shares.data());
      std::vector<float> expected(values.size());
      for (std::size_t begin = 0; begin < values.size();) {
        std::size_t end = begin + 1;
        while (end < values.size() && heads[end] == 0 && end % 32 != 0) ++end;
        float const sum = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                          values.begin() + static_cast<std::ptrdiff_t>(end), 0.0f);
        for (; begin < end; ++begin) expected[begin] = values[begin] / sum;
      }
      REQUIRE(take(shares) == expected);
    }
  });
}

TEST_CASE("segments that run through many tiles") {
  each_size({0, 1, 255, 256, 257, 513, 3000}, [](index_t n) {
    for (int const one_in : {1, 2, 100, 5000}) {
      auto const in = numbers<int>(n, -9, 9);
      auto heads = numbers<unsigned char>(n, 0, 0);
      auto const draws = numbers<int>(n, 1, one_in, 1);
      std::vector<int> expected;
      for (std::size_t i = 0; i < heads.size(); ++i) {
        heads[i] = draws[i] == 1 ? 1 : 0;
        expected.push_back(in[i] + (heads[i] != 0 || i == 0 ? 0 : expected.back()));
      }
      device_image<int> d_in(in), out(n);
      device_image<unsigned char> d_heads(heads);
      simt::launch<running_sums_kernel>(one_block, input(d_in), input(d_heads), n, out.data());
      REQUIRE(take(out) == expected);
    }
  });
}

TEST_CASE("split and sort of blocks") {
  each_size(grid_sizes, [](index_t n) {
    auto const items = numbers<int>(n, -50, 50);
    device_image<int> in(items), out(n), evens(ceil_div(n, index_t{block_threads}));
    simt::launch<evens_first_kernel>(grid_for(n), input(in), n, out.data(), evens.data());
    auto const got = take(out), counts = take(evens);
    auto keys = make_input<std::uint32_t>(pattern::low_entropy, n);
    if (n > 1) keys[0] = ~0u;  // as great as what fills the last block
    device_image<unsigned> sorted(keys);
    simt::launch<sort_kernel>(grid_for(n), sorted.data(), n);
    auto const got_keys = take(sorted);
    for (std::size_t b = 0; b < pieces(items, block_threads); ++b) {
      auto own = piece(items, b, block_threads);
      auto const odd =
          std::stable_partition(own.begin(), own.end(), [](int x) { return x % 2 == 0; });
      REQUIRE(piece(got, b, block_threads) == own);
      REQUIRE(counts[b] == odd - own.begin());
      auto own_keys = piece(keys, b, block_threads);
      std::sort(own_keys.begin(), own_keys.end());
      REQUIRE(piece(got_keys, b, block_threads) == own_keys);
    }
  });
}

TEST_CASE("tiles of several items per thread") {
  each_size({1, 3, 4, 255, 1023, 1024, 1025, 5000}, [](index_t n) {
    auto const items = numbers<int>(n, -1000, 1000);
    device_image<int> in(items), out(n);
    simt::launch<tile_sums_kernel>(grid_for(n, tile_items), input(in), n, out.data());
    REQUIRE(take(out) == piecewise_scan(scan_kind::inclusive, items, tile_items, plus<int>{}));
  });
}

TEMPLATE_TEST_CASE("textbook scans by name", "", block::textbook::sequential,
                   block::textbook::quadratic, block::textbook::hillis_steele,
                   block::textbook::kogge_stone, block::textbook::kogge_stone_double_buffered,
                   block::textbook::blelloch<>,
                   block::textbook::blelloch<block::textbook::fully_padded<32>>,
                   block::textbook::brent_kung) {
  for (unsigned const threads : {1u, 31u, 100u, 256u}) {
    int const most = TestType::items_per_thread * static_cast<int>(threads);
    each_size({0, 1, most / 2, most}, [=](index_t n) {
      auto const items = numbers<int>(n, -1000, 1000);
      device_image<int> in(items), out(n);
      simt::launch<textbook_kernel<TestType>>({.blocks = 1, .threads = threads}, input(in),
                                              static_cast<int>(n), out.data());
      REQUIRE(take(out) == scan_oracle(scan_kind::inclusive, items, plus<int>{}, 0).out);
    });
  }
}
