// SPDX-License-Identifier: Apache-2.0
// The programs for several ranks on simulated ranks, from file to file, against the standard
// library: the output has the same bytes for any number of ranks. Each send of each rank fails
// once: then there is no output, and nothing is left.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <apps/filter/program/run_filter.hpp>
#include <apps/histogram/program/run_histogram.hpp>
#include <apps/prefix/run_prefix.hpp>
#include <apps/radix_sort/program/run_sort.hpp>
#include <libscan/distributed/scan.hpp>
#include <tests/distributed/programs.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::apps;
using test::check_failures;
using test::check_outputs;
using test::file_of;
using test::with;

namespace {

std::vector<std::int32_t> some_items(std::size_t n) {
  test::random_words words(n);
  std::vector<std::int32_t> items;
  for (std::size_t i = 0; i < n; ++i) {
    items.push_back(static_cast<std::int32_t>(words() % 1000) - 500);
  }
  return items;
}

test::rank_program sorting(bool descending, bool positions) {
  sort_arguments arguments;
  arguments.positions = positions;
  if (descending) arguments.options.direction = sort_direction::descending;
  return with(arguments, sort_on_ranks);
}

filter_arguments keeping(std::string const& predicate) {
  filter_arguments arguments;
  arguments.keep = predicate;
  return arguments;
}

}  // namespace

TEST_CASE("ranks sort a file, for any number of ranks") {
  for (std::size_t const n : test::sized_list<std::size_t>({0, 3, 5000}, {0, 1500})) {
    auto const items = some_items(n);
    for (bool const descending : {false, true}) {
      auto const before = [&](std::int32_t a, std::int32_t b) {
        return descending ? b < a : a < b;
      };
      std::vector<index_t> places(n);
      std::iota(places.begin(), places.end(), index_t{0});
      std::stable_sort(places.begin(), places.end(), [&](index_t a, index_t b) {
        return before(items[static_cast<std::size_t>(a)], items[static_cast<std::size_t>(b)]);
      });
      auto sorted = items;
      std::stable_sort(sorted.begin(), sorted.end(), before);
      for (std::string const name : {"a.npy", "a.raw"}) {
        check_outputs(name, file_of(items, name), file_of(sorted, name),
                      sorting(descending, false));
        check_outputs(name, file_of(items, name), file_of(places, name), sorting(descending, true));
      }
    }
  }
}

TEST_CASE("values move with the keys of a file, for any number of ranks") {
  auto const items = some_items(static_cast<std::size_t>(test::sized(3000, 1000)));
  std::vector<index_t> places(items.size());
  std::iota(places.begin(), places.end(), index_t{0});
  std::stable_sort(places.begin(), places.end(), [&](index_t a, index_t b) {
    return items[static_cast<std::size_t>(a)] < items[static_cast<std::size_t>(b)];
  });
  auto const check = [&]<class T>(T step) {
    test::scratch_directory const dir;
    std::vector<T> values, moved;
    for (std::size_t i = 0; i < items.size(); ++i) {
      values.push_back(static_cast<T>(static_cast<T>(i) * step));
    }
    for (index_t const i : places) moved.push_back(values[static_cast<std::size_t>(i)]);
    auto sorted = items;
    std::stable_sort(sorted.begin(), sorted.end());
    test::write_bytes(dir / "v.npy", file_of(values, "v.npy"));
    sort_arguments arguments;
    arguments.values = dir / "v.npy";
    arguments.values_output = dir / "moved.npy";
    check_outputs("a.npy", file_of(items, "a.npy"), file_of(sorted, "a.npy"),
                  [&](ranks const& on, std::string const& in, std::string const& out) {
                    with(arguments, sort_on_ranks)(on, in, out);
                    if (on.rank() != 0) return;
                    bool const same =
                        test::read_bytes(dir / "moved.npy") == file_of(moved, "v.npy");
                    CHECK(same);
                  });
  };
  check(std::uint8_t{1});
  check(std::int16_t{-7});
  check(0.5F);
  check(-1.25);
}

TEST_CASE("neither keys nor values appear if one of them cannot be written") {
  test::scratch_directory const dir;
  test::write_bytes(dir / "a.npy", file_of(some_items(50), "a.npy"));
  test::write_bytes(dir / "v.npy", file_of(some_items(50), "v.npy"));
  test::write_bytes(dir / "few.npy", file_of(some_items(49), "v.npy"));
  auto const body = [&](std::string const& values) {
    return [&dir, values](communicator const& comm) {
      sort_arguments arguments;
      arguments.input = dir / "a.npy";
      arguments.output = dir / "out.npy";
      arguments.values = dir / values;
      arguments.values_output = dir / "moved.npy";
      sort_on_ranks(ranks{comm, engine::cpu(1)}, arguments);
    };
  };
  for (auto const& outcome : simulated_ranks(3, 1).outcomes(body("few.npy"))) {
    CHECK(outcome != nullptr);
  }
  CHECK(dir.entries() == 3);
  simulated_ranks counting(3, 1);
  counting.run(body("v.npy"));
  for (index_t send = 0; send + 1 < counting.sends(1); ++send) {
    std::filesystem::remove(dir / "out.npy");
    std::filesystem::remove(dir / "moved.npy");
    simulated_ranks failing(3, 5);
    failing.fail(1, send);
    for (auto const& outcome : failing.outcomes(body("v.npy"))) CHECK(outcome != nullptr);
    CHECK(dir.entries() == 3);
  }
}

TEST_CASE("ranks scan a file, for any number of ranks") {
  for (std::size_t const n : {0, 3, 70000}) {
    auto const items = some_items(n);
    std::vector<index_t> sums, from_end(n);
    std::vector<std::int32_t> least;
    for (index_t sum = 7; std::int32_t const x : items) sums.push_back(std::exchange(sum, sum + x));
    for (std::int32_t so_far = 1000; std::int32_t const x : items) {
      least.push_back(so_far = std::min(so_far, x));
    }
    index_t sum = 0;
    for (std::size_t i = n; i-- > 0;) from_end[i] = sum += items[i];
    prefix_arguments exclusive, reverse, minimum;
    exclusive.kind = scan_kind::exclusive;
    exclusive.init = "7";
    reverse.direction = scan_direction::reverse;
    minimum.op = operator_kind::minimum;
    minimum.accumulator = dtype::i32;
    std::string const input = file_of(items, "a.npy");
    check_outputs("a.npy", input, file_of(sums, "a.npy"), with(exclusive, prefix_on_ranks));
    check_outputs("a.npy", input, file_of(from_end, "a.npy"), with(reverse, prefix_on_ranks));
    check_outputs("a.npy", input, file_of(least, "a.npy"), with(minimum, prefix_on_ranks));
  }
}

TEST_CASE("ranks scan the segments of a file, for any number of ranks and each description") {
  using form = segmentation::form;
  test::random_words words(31);
  for (std::size_t const n : {0, 1, 77, 5000}) {
    auto const items = some_items(n);
    std::vector<std::uint8_t> heads(n), bits((n + 7) / 8);
    std::vector<index_t> sums, keys, offsets{0};
    index_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      heads[i] = words.below(40) == 0 ? 7 : 0;
      bool const begins = i == 0 || heads[i] != 0;
      if (heads[i] != 0) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1U << i % 8);
      if (begins && i > 0) offsets.push_back(static_cast<index_t>(i));
      keys.push_back(begins ? static_cast<index_t>(i) : keys.back());
      sums.push_back(sum = (begins ? 10 : sum) + items[i]);
    }
    offsets.push_back(static_cast<index_t>(n));
    test::scratch_directory const dir;
    test::write_bytes(dir / "heads.npy", file_of(heads, "s.npy"));
    test::write_bytes(dir / "bits.npy", file_of(bits, "s.npy"));
    test::write_bytes(dir / "keys.npy", file_of(keys, "s.npy"));
    test::write_bytes(dir / "offsets.npy", file_of(offsets, "s.npy"));
    for (auto const& [how, file] :
         {std::pair{form::flags, "heads.npy"}, std::pair{form::bits, "bits.npy"},
          std::pair{form::keys, "keys.npy"}, std::pair{form::offsets, "offsets.npy"}}) {
      INFO("items " << n << ", " << file);
      prefix_arguments arguments;
      arguments.segments = how;
      arguments.segment_file = dir / file;
      arguments.init = "10";
      check_outputs("a.npy", file_of(items, "a.npy"), file_of(sums, "a.npy"),
                    with(arguments, prefix_on_ranks));
    }
  }
}

TEST_CASE("descriptions of segments that do not fit are refused on all ranks, as by one process") {
  using form = segmentation::form;
  test::scratch_directory const dir;
  test::write_bytes(dir / "a.npy", file_of(some_items(50), "a.npy"));
  auto const refused = [&](form how, std::string const& file, std::string const& words) {
    test::write_bytes(dir / "s.npy", file);
    auto const body = [&](communicator const& comm) {
      prefix_arguments arguments;
      arguments.input = dir / "a.npy";
      arguments.output = dir / "o.npy";
      arguments.segments = how;
      arguments.segment_file = dir / "s.npy";
      prefix_on_ranks(ranks{comm, engine::cpu(1)}, arguments);
    };
    for (auto const& outcome : simulated_ranks(4, 1).outcomes(body)) {
      REQUIRE(outcome != nullptr);
      try {
        std::rethrow_exception(outcome);
      } catch (std::exception const& e) {
        INFO(e.what());
        CHECK(std::string(e.what()).find(words) != std::string::npos);
      }
    }
  };
  std::string const name = "s.npy";
  refused(form::flags, file_of(std::vector<std::uint8_t>(49), name), "a head flag for each item");
  refused(form::keys, file_of(std::vector<float>(51), name), "a key for each item");
  refused(form::bits, file_of(std::vector<std::uint8_t>(5), name), "expected 56: one for each");
  refused(form::offsets, file_of(std::vector<double>(3), name), "of an integer type");
  refused(form::offsets, file_of(std::vector<int>(), name), "holds no offsets");
  refused(form::offsets, file_of(std::vector<int>{1, 50}, name), "offset 0 is 1, expected 0");
  refused(form::offsets, file_of(std::vector<int>{0, 9, 9, 8, 50}, name),
          "offset 3 is 8, expected at least 9");
  refused(form::offsets, file_of(std::vector<int>{0, 51, 51}, name), "expected at most 50");
  refused(form::offsets, file_of(std::vector<int>{0, 1, 2, 49}, name), "expected 50 for the last");
  CHECK(dir.entries() == 2);
}

TEST_CASE("sums of floats in a file have the same bytes for any number of ranks") {
  test::random_words words(1);
  std::vector<double> items, sums(100000);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    items.push_back(static_cast<double>(static_cast<std::int64_t>(words())) * 1e-15);
  }
  libscan::inclusive_scan(ranks{communicator::self(), engine::cpu(1)}, items, sums);
  auto const run = [](ranks const& on, std::string const& in, std::string const& out) {
    prefix_arguments arguments;
    arguments.input = in;
    arguments.output = out;
    prefix_on_ranks(on, arguments);
  };
  check_outputs("a.npy", file_of(items, "a.npy"), file_of(sums, "a.npy"), run);
}

TEST_CASE("ranks filter a file, for any number of ranks") {
  for (std::size_t const n : {0, 3, 5000}) {
    auto const items = some_items(n);
    for (std::int32_t const least : {-1000, 0, 490, 1000}) {
      std::vector<std::int32_t> kept;
      std::ranges::copy_if(items, std::back_inserter(kept), [=](auto x) { return x >= least; });
      for (std::string const name : {"a.npy", "a.raw"}) {
        check_outputs(name, file_of(items, name), file_of(kept, name),
                      with(keeping(">= " + std::to_string(least)), filter_on_ranks));
      }
    }
  }
}

TEST_CASE("ranks keep what a mask marks, for any number of ranks and each kind of mask") {
  test::random_words words(17);
  for (std::size_t const n : {0, 1, 45, 5000}) {
    auto const items = some_items(n);
    std::vector<std::uint8_t> flags(n), bits((n + 7) / 8);
    std::vector<std::uint32_t> in_words((n + 31) / 32);
    std::vector<std::int32_t> kept;
    for (std::size_t i = 0; i < n; ++i) {
      flags[i] = words.below(3) == 0 ? 9 : 0;
      if (flags[i] == 0) continue;
      kept.push_back(items[i]);
      bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1U << i % 8);
      in_words[i / 32] |= 1U << i % 32;
    }
    test::scratch_directory const dir;
    test::write_bytes(dir / "flags.npy", file_of(flags, "m.npy"));
    test::write_bytes(dir / "bits.npy", file_of(bits, "m.npy"));
    test::write_bytes(dir / "words.npy", file_of(in_words, "m.npy"));
    test::write_bytes(dir / "bits.raw", file_of(bits, "m.raw"));
    for (char const* const mask : {"flags.npy", "bits.npy", "words.npy", "bits.raw"}) {
      INFO("items " << n << ", " << mask);
      filter_arguments arguments;
      arguments.mask = dir / mask;
      check_outputs("a.npy", file_of(items, "a.npy"), file_of(kept, "a.npy"),
                    with(arguments, filter_on_ranks));
    }
  }
}

TEST_CASE("a mask of another length, or none, is refused on all ranks") {
  test::scratch_directory const dir;
  test::write_bytes(dir / "a.npy", file_of(some_items(50), "a.npy"));
  test::write_bytes(dir / "m.npy", file_of(std::vector<std::uint8_t>(49), "m.npy"));
  for (bool const mask : {false, true}) {
    auto const body = [&](communicator const& comm) {
      filter_arguments arguments;
      arguments.input = dir / "a.npy";
      arguments.output = dir / "o.npy";
      if (mask) arguments.mask = dir / "m.npy";
      filter_on_ranks(ranks{comm, engine::cpu(1)}, arguments);
    };
    std::string const words = mask ? "holds 49 items of uint8, expected a mask of the input's 50"
                                   : "--keep or --mask is required";
    for (auto const& outcome : simulated_ranks(3, 1).outcomes(body)) {
      REQUIRE(outcome != nullptr);
      try {
        std::rethrow_exception(outcome);
      } catch (std::exception const& e) {
        CHECK(std::string(e.what()).find(words) != std::string::npos);
      }
    }
  }
}

TEST_CASE("ranks count the items of a file, for any number of ranks") {
  for (std::size_t const n : {0, 3, 5000}) {
    auto const items = some_items(n);
    histogram_arguments integers, even;
    integers.integers = true;
    integers.range = "-20:19";
    even.bins = 8;
    even.range = "-500:300";
    std::vector<index_t> by_integer(40), by_hundred(8);
    for (std::int32_t const x : items) {
      if (x >= -20 && x < 20) ++by_integer[static_cast<std::size_t>(x + 20)];
      if (x <= 300) ++by_hundred[static_cast<std::size_t>(std::min((x + 500) / 100, 7))];
    }
    std::string const input = file_of(items, "a.npy");
    check_outputs("a.npy", input, file_of(by_integer, "a.npy"), with(integers, histogram_on_ranks));
    check_outputs("a.npy", input, file_of(by_hundred, "a.npy"), with(even, histogram_on_ranks));
  }
  std::vector<std::int32_t> const few{3, -2, 5, 3};
  histogram_arguments whole, halves;
  whole.integers = true;
  halves.bins = 2;
  check_outputs("a.npy", file_of(few, "a.npy"),
                file_of(std::vector<index_t>{1, 0, 0, 0, 0, 2, 0, 1}, "a.npy"),
                with(whole, histogram_on_ranks));
  check_outputs("a.npy", file_of(few, "a.npy"), file_of(std::vector<index_t>{1, 3}, "a.npy"),
                with(halves, histogram_on_ranks));
}

TEST_CASE("rank 0 reads and writes for all ranks, and the output has the same bytes") {
  test::scratch_directory const dir;
  std::vector<std::uint8_t> bits(26);
  std::vector<int> offsets{0, 3, 3, 90, 205};
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint8_t>(37 * i);
  test::write_bytes(dir / "bits.npy", file_of(bits, "b.npy"));
  test::write_bytes(dir / "offsets.npy", file_of(offsets, "o.npy"));
  test::write_bytes(dir / "v.npy", file_of(std::vector<float>(205, 2.5F), "v.npy"));
  std::string const input = file_of(some_items(205), "a.npy");
  sort_arguments sorts;
  sorts.values = dir / "v.npy";
  sorts.values_output = dir / "moved.npy";
  prefix_arguments scans, plain;
  scans.segments = segmentation::form::offsets;
  scans.segment_file = dir / "offsets.npy";
  filter_arguments filters;
  filters.mask = dir / "bits.npy";
  histogram_arguments counts;
  counts.integers = true;
  auto const check = [&](auto arguments, auto const& run) {
    test::scratch_directory const files;
    test::write_bytes(files / "a.npy", input);
    with(arguments, run)(ranks{communicator::self(), engine::cpu(1)}, files / "a.npy",
                         files / "o.npy");
    arguments.common.access = rank_access::rank_0;
    check_outputs("a.npy", input, test::read_bytes(files / "o.npy"), with(arguments, run));
    test::check_failures("a.npy", input, with(arguments, run));
  };
  check(plain, prefix_on_ranks);
  check(scans, prefix_on_ranks);
  check(filters, filter_on_ranks);
  check(counts, histogram_on_ranks);
  check(sort_arguments(), sort_on_ranks);
  sorts.common.access = rank_access::rank_0;
  check_outputs("a.npy", input,
                file_of(
                    [&] {
                      auto sorted = some_items(205);
                      std::sort(sorted.begin(), sorted.end());
                      return sorted;
                    }(),
                    "a.npy"),
                with(sorts, sort_on_ranks));
  CHECK(test::read_bytes(dir / "moved.npy") == test::read_bytes(dir / "v.npy"));
}

TEST_CASE("ranks that fail while they work on a file leave nothing") {
  std::string const input = file_of(some_items(300), "a.npy");
  check_failures("a.npy", input, sorting(false, false));
  check_failures("a.npy", input, with(prefix_arguments(), prefix_on_ranks));
  check_failures("a.npy", input, with(keeping("> 0"), filter_on_ranks));
  check_failures("a.npy", input, with(histogram_arguments(), histogram_on_ranks));
}

TEST_CASE("an accumulator that cannot hold an item of one rank is refused on all") {
  test::scratch_directory const dir;
  test::write_bytes(dir / "a.npy", file_of(std::vector<double>{1, 2, 3, 1e30}, "a.npy"));
  auto const body = [&](communicator const& comm) {
    prefix_arguments arguments;
    arguments.input = dir / "a.npy";
    arguments.output = dir / "o";
    arguments.accumulator = dtype::i64;
    prefix_on_ranks(ranks{comm, engine::cpu(1)}, arguments);
  };
  for (auto const& outcome : simulated_ranks(4, 1).outcomes(body)) {
    REQUIRE(outcome != nullptr);
    try {
      std::rethrow_exception(outcome);
    } catch (std::exception const& e) {
      CHECK(std::string(e.what()).find("item 3 is 1e+30, which an accumulator") !=
            std::string::npos);
    }
  }
}

TEST_CASE("ranks read items as one process does: halves, other byte orders, two dimensions") {
  std::string file = file_of(std::vector<std::uint16_t>{0x3c00, 0xbc00, 0x0000, 0x4000}, "a.npy");
  file.replace(file.find("<u2"), 3, "<f2");
  auto const run = [](ranks const& on, std::string const& in, std::string const& out) {
    sort_arguments arguments;
    arguments.input = in;
    arguments.output = out;
    sort_on_ranks(on, arguments);
  };
  check_outputs("a.npy", file, file_of(std::vector<float>{-1, 0, 1, 2}, "a.npy"), run);
  std::string swapped = file_of(std::vector<std::int16_t>{0x0100, 0x0200, 0x00ff, 0x0000}, "a.npy");
  swapped.replace(swapped.find("<i2"), 3, ">i2");
  check_outputs("a.npy", swapped, file_of(std::vector<std::int16_t>{-256, 0, 1, 2}, "a.npy"), run);
  std::string square = file_of(std::vector<std::int16_t>{4, 3, 2, 1}, "a.npy");
  square.replace(square.find("(4,), "), 6, "(2,2),");
  check_outputs("a.npy", square, file_of(std::vector<std::int16_t>{1, 2, 3, 4}, "a.npy"), run);
}

TEST_CASE("ranks refuse inputs and outputs that have no parts, on all ranks") {
  test::scratch_directory const dir;
  test::write_bytes(dir / "a.txt", "3\n1\n");
  test::write_bytes(dir / "a.npy", file_of(some_items(4), "a.npy"));
  test::write_bytes(dir / "cut.npy", file_of(some_items(4), "a.npy").substr(0, 130));
  auto const errors_of = [&](std::string const& in, std::string const& out) {
    std::vector<std::string> said;
    auto const body = [&](communicator const& comm) {
      sort_arguments arguments;
      arguments.input = in;
      arguments.output = out;
      sort_on_ranks(ranks{comm, engine::cpu(1)}, arguments);
    };
    for (auto const& outcome : simulated_ranks(3, 1).outcomes(body)) {
      REQUIRE(outcome != nullptr);
      try {
        std::rethrow_exception(outcome);
      } catch (std::exception const& e) {
        said.push_back(e.what());
      }
    }
    return said;
  };
  std::string const parts = ", expected an uncompressed .npy or raw file, since each rank";
  CHECK(errors_of(dir / "a.txt", dir / "o")[2].find(parts) != std::string::npos);
  CHECK(errors_of(dir / "none", dir / "o")[1].find("No such file") != std::string::npos);
  CHECK(errors_of(dir / "cut.npy", dir / "o")[1].find("the file ends after") != std::string::npos);
  CHECK(errors_of(dir / "a.npy", dir / "o.txt")[1].find("rank 0 failed: ") == 0);
  CHECK(errors_of(dir / "a.npy", dir / "none/o")[1].find("rank 0 failed: ") == 0);
  CHECK(errors_of(dir / "a.npy", "/dev/null")[0].find("expected the name of a regular file") !=
        std::string::npos);
  CHECK(dir.entries() == 3);
}
