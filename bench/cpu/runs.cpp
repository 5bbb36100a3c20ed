// SPDX-License-Identifier: Apache-2.0
// Runs of equal 32-bit items on the cpu engine: the first item of each, and run-length encoding,
// beside loops and the standard library, which has no encoding.
#include <bench/cpu/contenders.hpp>
#include <bench/cpu/loops.hpp>
#include <libscan/selection.hpp>

namespace libscan::bench::cpu {

namespace {

using item = std::uint32_t;

/// The runs of some items, as the standard library finds them, and the outputs of contenders.
struct run_results {
  std::vector<item> firsts;
  std::vector<index_t> counts;  // of 64 bits, as in the host API
  host_array<item> values;
  host_array<index_t> lengths;
  index_t reported = -1;  // the number of runs

  explicit run_results(host_array<item> const& in) : values(in.size), lengths(in.size) {
    for (item* first = in.begin(); first != in.end();) {
      item* const past = std::find_if(first, in.end(), [first](item x) { return x != *first; });
      firsts.push_back(*first);
      counts.push_back(past - first);
      first = past;
    }
    spoil();
  }

  index_t runs() const { return static_cast<index_t>(firsts.size()); }

  /// Overwrites the outputs, so that the next contender must write them all.
  void spoil() {
    std::transform(firsts.begin(), firsts.end(), values.begin(), std::bit_not<item>{});
    std::fill(lengths.begin(), lengths.end(), index_t{-1});
    reported = -1;
  }

  bool right(bool lengths_too) {
    bool const equal = reported == runs() &&
                       std::equal(firsts.begin(), firsts.end(), values.begin()) &&
                       (!lengths_too || std::equal(counts.begin(), counts.end(), lengths.begin()));
    spoil();
    return equal;
  }

  /// `find` returns the number of runs it finds.
  template <class Find>
  contender by(std::string name, bool lengths_too, Find find) {
    return {std::move(name), [this, find] { reported = find(); },
            [this, lengths_too] { return right(lengths_too); }};
  }
};

/// The code people write without a library.
index_t encode_by_loop(host_array<item> const& in, item* values, index_t* lengths) {
  index_t runs = 0, begin = 0;
  for (index_t i = 1; i <= in.size; ++i) {
    if (i < in.size && in[i] == in[i - 1]) continue;
    values[runs] = in[begin];
    lengths[runs++] = i - begin;
    begin = i;
  }
  return runs;
}

/// The same without data-dependent branches: writes every item as the begin of a run and overwrites
/// those that are not. Lengths are differences of the runs' begins.
index_t encode_by_steady_loop(host_array<item> const& in, item* values, index_t* lengths) {
  index_t runs = 0;
  for (index_t i = 0; i < in.size; ++i) {
    values[runs] = in[i];
    lengths[runs] = i;
    runs += i == 0 || in[i] != in[i - 1] ? 1 : 0;
  }
  for (index_t r = 0; r + 1 < runs; ++r) lengths[r] = lengths[r + 1] - lengths[r];
  lengths[runs - 1] = in.size - lengths[runs - 1];
  return runs;
}

void find_firsts(engine const& on, session const& now, std::string const& lengths,
                 host_array<item> const& in, run_results& results) {
  index_t const n = in.size;
  item* const out = results.values.begin();
  auto const by = [&](std::string name, auto find) {
    return results.by(std::move(name), false, find);
  };
  auto const begins = [&](index_t i) { return i == 0 || in[i] != in[i - 1]; };
  auto const policy = std::execution::par_unseq;
  double const bytes = sizeof(item) * static_cast<double>(n + results.runs());
  std::vector<contender> all{
      copy_of(bytes),
      by("libscan",
         [&, out] {
           return unique<item>(on, in.view(), std::span(out, static_cast<std::size_t>(n)));
         }),
      by("sequential", [&, out] { return filter_loop(in, begins, out); }),
      by("sequential branchless", [&, out] { return steady_filter_loop(in, begins, out); }),
      by("std", [&, out] { return std::unique_copy(in.begin(), in.end(), out) - out; }),
      by("std par_unseq",
         [&, out, policy] { return std::unique_copy(policy, in.begin(), in.end(), out) - out; })};
  for (library const& other : other_libraries()) {
    auto const unique = other.unique;
    if (unique == nullptr) continue;
    all.push_back(by(other.name, [&, unique, out] { return unique(in.begin(), n, out); }));
  }
  now.run({"cpu", "unique, runs of " + lengths, "u32", n, bytes, std::move(all)});
}

void encode(engine const& on, session const& now, std::string const& lengths,
            host_array<item> const& in, run_results& results) {
  index_t const n = in.size;
  item* const out = results.values.begin();
  index_t* const counts = results.lengths.begin();
  auto const by = [&](std::string name, auto find) {
    return results.by(std::move(name), true, find);
  };
  double const bytes = sizeof(item) * static_cast<double>(n) +
                       (sizeof(item) + sizeof(index_t)) * static_cast<double>(results.runs());
  auto const capacity = static_cast<std::size_t>(n);
  std::vector<contender> all{
      copy_of(bytes),
      by("libscan",
         [&, out, counts, capacity] {
           return run_length_encode<item>(on, in.view(), std::span(out, capacity),
                                          std::span(counts, capacity));
         }),
      by("sequential", [&, out, counts] { return encode_by_loop(in, out, counts); }),
      by("sequential branchless",
         [&, out, counts] { return encode_by_steady_loop(in, out, counts); })};
  for (library const& other : other_libraries()) {
    auto const encode = other.run_length_encode;
    if (encode == nullptr) continue;
    all.push_back(
        by(other.name, [&, encode, out, counts] { return encode(in.begin(), n, out, counts); }));
  }
  now.run({"cpu", "run_length_encode, runs of " + lengths, "u32", n, bytes, std::move(all)});
}

}  // namespace

void run_runs(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  if (wanted.in_place) return;
  std::vector<int> const means(run_axis.begin(), run_axis.end());
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24})) {
    for (bool const lengths_too : {false, true}) {
      for (int const mean : or_standard(wanted.runs, means)) {
        auto const in = generated<item>(n, run_item_at{mean});
        run_results results(in);
        (lengths_too ? encode : find_firsts)(on, now, std::to_string(mean), in, results);
      }
    }
  }
}

}  // namespace libscan::bench::cpu
