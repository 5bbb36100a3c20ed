// SPDX-License-Identifier: Apache-2.0
// Operators, predicates, keys, rules, iterators and memory of the user that fail at the k-th use:
// the call throws what failed, keeps nothing, and the next call is right; on the cpu engine and in
// the host API, of few items and of many, on one thread and on several.
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

#include <libscan/buffer.hpp>
#include <libscan/callables.hpp>
#include <libscan/cpu/adjacent_difference.hpp>
#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/coo_to_csr.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/cpu/spmv.hpp>
#include <libscan/filter_callables.hpp>
#include <libscan/histogram.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/spmv.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/sizes.hpp>
#include <tests/support/tripwire.hpp>

namespace libscan::test {
namespace {

using ints = std::vector<std::int32_t>;

/// Items of a call, and where its results go.
struct arrays {
  index_t n;
  ints items, keys, out, other;
  std::vector<index_t> places, offsets;

  explicit arrays(index_t count) : n(count) {
    auto const size = static_cast<std::size_t>(count);
    for (index_t i = 0; i < count; ++i) {
      items.push_back(static_cast<std::int32_t>(i * 7919 % 1009));
      keys.push_back(static_cast<std::int32_t>(i / 5));
    }
    out.resize(size);
    other.resize(size);
    places.resize(size);
    for (index_t at = 0; at < count; at += 9) offsets.push_back(at);
    offsets.push_back(count);
  }
  index_t segments() const { return static_cast<index_t>(offsets.size()) - 1; }
};

/// A number that tells results apart.
template <class Items>
std::uint64_t digest(Items const& items, std::uint64_t salt = 0) {
  for (auto const& item : items) salt = salt * 31 + static_cast<std::uint64_t>(item);
  return salt;
}

struct add {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    tripwire::step();
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
};
struct same {
  bool operator()(std::int32_t a, std::int32_t b) const {
    tripwire::step();
    return a == b;
  }
};
struct odd {
  bool operator()(std::int32_t a) const {
    tripwire::step();
    return a % 2 != 0;
  }
};
struct word {
  std::uint32_t operator()(std::int32_t key) const {
    tripwire::step();
    return static_cast<std::uint32_t>(key);
  }
};
struct bucket {
  int operator()(std::int32_t key) const {
    tripwire::step();
    return key % 5;
  }
};
struct bin {
  int bins() const { return 50; }
  int find(std::int32_t sample) const {
    tripwire::step();
    return sample % 50;
  }
};
struct products {
  using value_type = double;
  using sum_type = plus<double>;
  static constexpr double zero() { return 0; }
  static constexpr double one() { return 1; }
  double multiply(double a, double b) const {
    tripwire::step();
    return a * b;
  }
};
struct marks {
  void mark(index_t begin, index_t end, std::uint64_t* to) const {
    tripwire::step();
    for (index_t i = begin; i < end; i += 64) {
      auto const left = end - i;
      *to++ = left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    }
  }
};

/// Items that are computed.
class counted_items {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int32_t;
  using difference_type = index_t;
  using reference = value_type;
  using pointer = void;

  counted_items() = default;
  explicit counted_items(index_t at) : at_(at) {}
  value_type operator*() const { return (*this)[0]; }
  value_type operator[](index_t i) const {
    tripwire::step();
    return static_cast<value_type>((at_ + i) % 1009);
  }
  counted_items& operator+=(index_t by) { return at_ += by, *this; }
  counted_items& operator-=(index_t by) { return at_ -= by, *this; }
  counted_items& operator++() { return *this += 1; }
  counted_items& operator--() { return *this -= 1; }
  counted_items operator++(int) { return counted_items(at_++); }
  counted_items operator--(int) { return counted_items(at_--); }
  [[maybe_unused]] friend counted_items operator+(counted_items it, index_t by) { return it += by; }
  [[maybe_unused]] friend counted_items operator+(index_t by, counted_items it) { return it += by; }
  [[maybe_unused]] friend counted_items operator-(counted_items it, index_t by) { return it -= by; }
  [[maybe_unused]] friend index_t operator-(counted_items a, counted_items b) {
    return a.at_ - b.at_;
  }
  auto operator<=>(counted_items const&) const = default;

 private:
  index_t at_ = 0;
};

struct named_call {
  char const* name;
  std::function<std::uint64_t()> call;
};

std::vector<named_call> scans(int threads, arrays& all) {
  auto const* const in = all.items.data();
  auto* const out = all.out.data();
  index_t const n = all.n;
  return {
      {"inclusive_scan",
       [=, &all] { return cpu::inclusive_scan(threads, in, out, n, add{}), digest(all.out); }},
      {"exclusive_scan in place",
       [=, &all] {
         all.out = all.items;
         cpu::exclusive_scan(threads, all.out.data(), all.out.data(), n, add{}, 3);
         return digest(all.out);
       }},
      {"a scan of computed items",
       [=, &all] {
         cpu::inclusive_scan(threads, counted_items(0), out, n, plus<std::int32_t>{}, 0);
         return digest(all.out);
       }},
      {"reduce", [=] { return static_cast<std::uint64_t>(cpu::reduce(threads, in, n, add{}, 3)); }},
      {"reduce of computed items",
       [=] {
         return static_cast<std::uint64_t>(
             cpu::reduce(threads, counted_items(0), n, plus<std::int64_t>{}, 0));
       }},
      {"adjacent_difference",
       [=, &all] { return cpu::adjacent_difference(threads, in, out, n, add{}), digest(all.out); }},
      {"exclusive_binary_scan",
       [=, &all] {
         cpu::exclusive_binary_scan(threads, marks{}, all.places.data(), n);
         return digest(all.places);
       }},
  };
}

std::vector<named_call> segments(int threads, arrays& all) {
  auto const* const in = all.items.data();
  auto* const out = all.out.data();
  index_t const n = all.n;
  segment_offsets const by_offsets{all.offsets.data(), all.segments()};
  auto const ranges = segment_ranges<index_t>::between(all.offsets.data(), all.segments());
  segment_keys const by_keys{all.keys.data(), same{}};
  auto const scan = [=, &all](auto const& heads) {
    cpu::inclusive_segmented_scan(threads, in, out, heads, n, add{}, 3);
    return digest(all.out);
  };
  auto const sum = [=, &all](auto const& heads) {
    std::fill(all.out.begin(), all.out.end(), 0);
    auto const count = cpu::segmented_reduce(threads, in, out, heads, n, add{}, 3);
    return digest(all.out, static_cast<std::uint64_t>(count));
  };
  return {
      {"a scan by offsets", [=] { return scan(by_offsets); }},
      {"a scan of ranges", [=] { return scan(ranges); }},
      {"a scan by keys", [=] { return scan(by_keys); }},
      {"a scan by marks", [=] { return scan(marks{}); }},
      {"totals by offsets", [=] { return sum(by_offsets); }},
      {"totals of ranges", [=] { return sum(ranges); }},
      {"totals by keys", [=] { return sum(by_keys); }},
      {"totals of one length", [=] { return sum(equal_segments{1000}); }},
      {"reduce_by_key",
       [=, &all] {
         std::fill(all.out.begin(), all.out.end(), 0);
         cpu::reduce_by_key(threads, all.keys.data(), in, all.other.data(), out, n, add{}, same{},
                            0);
         return digest(all.out);
       }},
  };
}

std::vector<named_call> filters(int threads, arrays& all) {
  auto const* const in = all.items.data();
  auto* const out = all.out.data();
  index_t const n = all.n;
  auto const result = [&all](index_t count) {
    return digest(std::vector(all.out.begin(), all.out.begin() + count));
  };
  return {
      {"filter", [=] { return result(cpu::filter(threads, in, out, n, odd{})); }},
      {"filter in place",
       [=, &all] {
         all.out = all.items;
         return result(cpu::filter(threads, all.out.data(), all.out.data(), n, odd{}));
       }},
      {"count_if",
       [=] { return static_cast<std::uint64_t>(cpu::count_if(threads, in, n, odd{})); }},
      {"filter_indices",
       [=, &all] {
         return cpu::filter_indices(threads, in, all.places.data(), n, odd{}), digest(all.places);
       }},
      {"filter_with_indices",
       [=, &all] {
         cpu::keep_where<std::int32_t const*, odd> const odds{in, odd{}};
         cpu::indexed_outputs<std::int32_t*> const to{out, n, all.places.data(), n};
         return result(cpu::filter_with_indices_by(threads, in, to, n, odds));
       }},
      {"split",
       [=, &all] {
         cpu::split_outputs<std::int32_t*> const to{out, n, all.other.data(), n};
         return result(cpu::split(threads, in, to, n, odd{}));
       }},
      {"unique",
       [=, &all] { return result(cpu::unique(threads, all.keys.data(), out, n, same{})); }},
      {"run_length_encode",
       [=, &all] {
         cpu::run_outputs const to{out, n, all.places.data(), n};
         return result(cpu::run_length_encode(threads, all.keys.data(), to, n, same{}));
       }},
  };
}

std::vector<named_call> sorts(int threads, arrays& all) {
  auto const* const in = all.items.data();
  auto* const out = all.out.data();
  index_t const n = all.n, m = all.segments();
  auto const* const offsets = all.offsets.data();
  sort_order<std::int32_t, word> const order;
  return {
      {"sort_keys",
       [=, &all] { return cpu::sort_keys(threads, in, out, n, order), digest(all.out); }},
      {"sort_pairs",
       [=, &all] {
         cpu::sort_pairs(threads, in, out, in, all.other.data(), n, order);
         return digest(all.other);
       }},
      {"argsort",
       [=, &all] {
         return cpu::argsort(threads, in, all.places.data(), n, order), digest(all.places);
       }},
      {"sort_keys_in_segments",
       [=, &all] {
         cpu::sort_keys_in_segments(threads, in, out, n, offsets, m, order);
         return digest(all.out);
       }},
      {"argsort_in_segments",
       [=, &all] {
         cpu::argsort_in_segments(threads, in, all.places.data(), n, offsets, m, order);
         return digest(all.places);
       }},
      {"split_by_key",
       [=, &all] {
         std::vector<index_t> begins(6);
         cpu::split_by_key(threads, in, out, in, all.other.data(), begins.data(), n, 5, bucket{});
         return digest(all.out, digest(all.other));
       }},
  };
}

std::vector<named_call> tables(int threads, arrays& all) {
  index_t const n = all.n;
  return {
      {"histogram",
       [=, &all] {
         std::vector<std::uint64_t> counts(50);
         cpu::histogram(threads, all.items.data(), counts.data(), bin{}, n);
         return digest(counts);
       }},
      {"weighted_histogram",
       [=, &all] {
         std::vector<double> sums(50);
         cpu::weighted_histogram(threads, all.items.data(), all.keys.data(), sums.data(), bin{}, n);
         return digest(sums);
       }},
      {"spmv",
       [=, &all] {
         std::vector<double> const x(1009, 1), entries(all.items.size(), 2);
         std::vector<double> y(static_cast<std::size_t>(all.segments()));
         csr_matrix<double> const matrix{all.segments(),   1009,          n, all.offsets.data(),
                                         all.items.data(), entries.data()};
         cpu::spmv(threads, matrix, x.data(), y.data(), products{});
         return digest(y);
       }},
      {"coo_to_csr",
       [=, &all] {
         std::vector<index_t> offsets(1010);
         std::vector<double> const entries(all.items.size(), 2);
         std::vector<double> values(all.items.size());
         coo_matrix<double> const list{1009,          1009, n, all.items.data(), all.items.data(),
                                       entries.data()};
         cpu::coo_to_csr(threads, list, offsets.data(), all.out.data(), values.data());
         return digest(offsets);
       }},
  };
}

/// The host API with callables of the user's, which only the cpu engine takes.
std::vector<named_call> host_callables(engine const& on, arrays& all) {
  return {
      {"host API: inclusive_scan",
       [=, &all] { return inclusive_scan(on, all.items, all.out, add{}), digest(all.out); }},
      {"host API: reduce",
       [=, &all] { return static_cast<std::uint64_t>(reduce(on, all.items, add{}, 0)); }},
      {"host API: segmented_reduce",
       [=, &all] {
         segmented_reduce(on, all.items, all.out, segmentation::of_offsets(all.offsets), add{}, 0);
         return digest(all.out);
       }},
      {"host API: keys compared",
       [=, &all] {
         inclusive_segmented_scan(on, all.items, all.out, segmentation::of_keys(all.keys, same{}));
         return digest(all.out);
       }},
      {"host API: a filter into memory of its own",
       [=, &all] { return digest(filter(on, all.items, odd{})); }},
      {"host API: unique",
       [=, &all] { return static_cast<std::uint64_t>(unique(on, all.keys, all.out, same{})); }},
  };
}

/// A callable whose copies may fail, as those of a std::function do.
template <class Call>
struct copied : Call {
  explicit copied(Call call) : Call(call) {}
  copied(copied const& other) : Call(other) { tripwire::step(); }
  copied& operator=(copied const&) = delete;
};

/// Predicates, comparisons and functions of keys that are no trivially copyable types.
std::vector<named_call> copied_callables(int threads, arrays& all) {
  auto const* const in = all.items.data();
  auto* const out = all.out.data();
  index_t const n = all.n;
  engine const on = engine::cpu(threads);
  copied const odds([](std::int32_t x) { return x % 2 != 0; });
  copied const equals([](std::int32_t a, std::int32_t b) { return a == b; });
  copied const fifth([](std::int32_t key) { return key % 5; });
  auto const kept = [out](index_t count) { return digest(std::vector(out, out + count)); };
  return {
      {"filter", [=] { return kept(cpu::filter(threads, in, out, n, odds)); }},
      {"count_if", [=] { return static_cast<std::uint64_t>(cpu::count_if(threads, in, n, odds)); }},
      {"filter_indices",
       [=, &all] {
         return cpu::filter_indices(threads, in, all.places.data(), n, odds), digest(all.places);
       }},
      {"split",
       [=, &all] {
         cpu::split_outputs<std::int32_t*> const to{out, n, all.other.data(), n};
         return kept(cpu::split(threads, in, to, n, odds));
       }},
      {"unique", [=, &all] { return kept(cpu::unique(threads, all.keys.data(), out, n, equals)); }},
      {"run_length_encode",
       [=, &all] {
         cpu::run_outputs const to{out, n, all.places.data(), n};
         return kept(cpu::run_length_encode(threads, all.keys.data(), to, n, equals));
       }},
      {"a scan by keys",
       [=, &all] {
         segment_keys const keys{all.keys.data(), equals};
         cpu::inclusive_segmented_scan(threads, in, out, keys, n, plus<std::int32_t>{}, 0);
         return digest(all.out);
       }},
      {"reduce_by_key",
       [=, &all] {
         return kept(cpu::reduce_by_key(threads, all.keys.data(), in, all.other.data(), out, n,
                                        plus<std::int32_t>{}, equals, 0));
       }},
      {"split_by_key",
       [=, &all] {
         cpu::split_by_key(threads, in, out, static_cast<index_t*>(nullptr), n, 5, fifth);
         return digest(all.out);
       }},
      {"host API: filter", [=, &all] { return digest(filter(on, all.items, odds)); }},
      {"host API: unique",
       [=, &all] { return static_cast<std::uint64_t>(unique(on, all.keys, all.out, equals)); }},
  };
}

#ifdef LIBSCAN_TEST_FAILS_ALLOCATIONS
/// The host API with what every engine takes, and results that it allocates.
std::vector<named_call> host_calls(engine const& on, arrays& all) {
  return {
      {"host API: scan",
       [=, &all] { return inclusive_scan(on, all.items, all.out), digest(all.out); }},
      {"host API: totals by keys",
       [=, &all] {
         ints unique(all.items.size()), totals(all.items.size());
         reduce_by_key(on, all.keys, all.items, unique, totals);
         return digest(totals);
       }},
      {"host API: sort", [=, &all] { return sort_keys(on, all.items, all.out), digest(all.out); }},
      {"host API: sort in segments",
       [=, &all] {
         segmented_sort_keys(on, all.items, all.out, std::span<index_t const>(all.offsets));
         return digest(all.out);
       }},
      {"host API: histogram",
       [=, &all] {
         std::vector<std::uint64_t> counts(100);
         histogram(on, all.items, counts, even_bins<std::int32_t>(0, 1000, 100));
         return digest(counts);
       }},
      {"host API: a matrix and its product",
       [=, &all] {
         std::vector<double> const entries(all.items.size(), 2), x(1009, 1);
         std::vector<double> y(1009);
         coo_matrix<double> const list{
             1009, 1009, all.n, all.items.data(), all.items.data(), entries.data()};
         auto const matrix = to_rows(on, list);
         spmv(on, matrix, x, y);
         return digest(matrix.indices, digest(y));
       }},
      {"a buffer",
       [=] {
         buffer<int> const some(1 << 10);
         return static_cast<std::uint64_t>(some.size());
       }},
  };
}
#endif

constexpr index_t few = 40, many = sized(100'000, 70'000);  // several chunks

template <class Calls>
void require_pass_on_callables(Calls const& calls) {
  for (named_call const& one : calls) {
    INFO(one.name);
    CHECK(require_passes_on<tripped>(tripwire::kind::callables, one.call) > 0);
  }
}

}  // namespace

TEST_CASE("What operators, predicates, keys, rules and iterators throw, a call throws") {
  for (index_t const n : {few, many}) {
    arrays all(n);
    for (int const threads : {1, 4}) {
      CAPTURE(n, threads);
      require_pass_on_callables(scans(threads, all));
      require_pass_on_callables(segments(threads, all));
      require_pass_on_callables(filters(threads, all));
      require_pass_on_callables(sorts(threads, all));
      auto more = tables(threads, all);
      more.pop_back();  // a list of entries calls nothing
      require_pass_on_callables(more);
      require_pass_on_callables(host_callables(engine::cpu(threads), all));
    }
  }
}

TEST_CASE("What copies of callables throw, a call throws") {
  for (index_t const n : {few, many}) {
    arrays all(n);
    for (int const threads : {1, 4}) {
      CAPTURE(n, threads);
      require_pass_on_callables(copied_callables(threads, all));
    }
  }
}

#ifdef LIBSCAN_TEST_FAILS_ALLOCATIONS
TEST_CASE("A call without memory throws std::bad_alloc, keeps nothing, and the next one is right") {
  for (index_t const n : {few, many}) {
    arrays all(n);
    for (int const threads : {1, 4}) {
      for (auto const& calls :
           {scans(threads, all), segments(threads, all), filters(threads, all), sorts(threads, all),
            tables(threads, all), host_callables(engine::cpu(threads), all)}) {
        for (named_call const& one : calls) {
          INFO(one.name << " of " << n << " items on " << threads << " threads");
          require_passes_on<std::bad_alloc>(tripwire::kind::memory, one.call);
        }
      }
    }
    if (n == many) continue;
    for (engine const& on : engines()) {
      for (named_call const& one : host_calls(on, all)) {
        INFO(one.name << " on " << on.description());
        require_passes_on<std::bad_alloc>(tripwire::kind::memory, one.call, on.runs_kernels());
      }
    }
  }
}
#endif

}  // namespace libscan::test
