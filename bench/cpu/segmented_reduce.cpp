// SPDX-License-Identifier: Apache-2.0
// Totals of segments on the cpu engine, for every description of segments, beside loops.
#include <tbb/parallel_for.h>

#include <bench/cpu/contenders.hpp>
#include <bench/segments.hpp>
#include <libscan/cpu/segmented_reduce.hpp>

namespace libscan::bench::cpu {

namespace {

using item = std::uint32_t;

/// The same segments in every form, and the total of each.
struct reduced_segments {
  segment_forms forms;
  std::vector<index_t> offsets;
  host_array<item> in;
  host_array<item> totals, expected;
  host_array<item> unique;  ///< space for the keys of runs

  reduced_segments(std::string const& lengths, index_t n)
      : forms(lengths, n),
        offsets(forms.offsets.begin(), forms.offsets.end()),
        in(items_of<item>("random", n)),
        totals(segments()),
        expected(segments()),
        unique(segments()) {
    std::fill(unique.begin(), unique.end(), item{0});
    for (index_t s = 0; s < segments(); ++s) expected[s] = total(s);
    std::fill(totals.begin(), totals.end(), item{0});
  }

  index_t segments() const { return static_cast<index_t>(offsets.size()) - 1; }

  item total(index_t s) const {
    auto const at = static_cast<std::size_t>(s);
    item sum = 0;
    for (index_t i = offsets[at]; i < offsets[at + 1]; ++i) sum += in[i];
    return sum;
  }
};

void by_engine(int threads, std::string const& heads, reduced_segments const& data) {
  auto const reduce = [&](auto descriptor) {
    libscan::cpu::segmented_reduce(threads, data.in.begin(), data.totals.begin(), descriptor,
                                   data.in.size, plus<item>{});
  };
  if (heads == "flags") return reduce(libscan::head_flags{data.forms.flags.begin()});
  if (heads == "bits") return reduce(libscan::head_bits{data.forms.bits.begin()});
  if (heads == "keys") {
    libscan::cpu::reduce_by_key(threads, data.forms.keys.begin(), data.in.begin(),
                                data.unique.begin(), data.totals.begin(), data.in.size,
                                plus<item>{});
    return;
  }
  reduce(libscan::segment_offsets{data.offsets.data(), data.segments()});
}

/// The code people write without a library: a loop over the items; begin(s, i) returns whether
/// segment s begins at item i.
template <class IsHead, class Begin>
void by_loop(reduced_segments const& data, IsHead is_head, Begin begin) {
  index_t segment = -1;
  item sum = 0;
  for (index_t i = 0; i < data.in.size; ++i) {
    if (i == 0 || is_head(i)) {
      if (i > 0) data.totals[segment] = sum;
      sum = 0;
      begin(++segment, i);
    }
    sum += data.in[i];
  }
  data.totals[segment] = sum;
}

void by_loop(std::string const& heads, reduced_segments const& data) {
  auto const ignore = [](index_t, index_t) {};
  segment_forms const& forms = data.forms;
  if (heads == "flags")
    return by_loop(
        data, [&](index_t i) { return forms.flags[i] != 0; }, ignore);
  if (heads == "bits") {
    return by_loop(
        data, [&](index_t i) { return (forms.bits[i / 32] >> i % 32 & 1u) != 0; }, ignore);
  }
  by_loop(
      data, [&](index_t i) { return forms.keys[i] != forms.keys[i - 1]; },
      [&](index_t s, index_t i) { data.unique[s] = forms.keys[i]; });
}

void reduce(engine const& on, session const& now, std::string const& heads,
            std::string const& lengths, reduced_segments const& data) {
  index_t const n = data.in.size;
  // The cpu engine's offsets have 64 bits.
  double const head_bytes = heads == "offsets"
                                ? static_cast<double>(data.offsets.size() * sizeof(index_t))
                                : data.forms.bytes(heads);
  // Keys of runs are also an output.
  index_t const results = (heads == "keys" ? 2 : 1) * data.segments();
  double const bytes =
      head_bytes + static_cast<double>(n + results) * static_cast<double>(sizeof(item));
  auto const right = [&] {
    bool equal = std::equal(data.totals.begin(), data.totals.end(), data.expected.begin());
    // Keys are the numbers of their segments.
    for (index_t s = 0; heads == "keys" && s < data.segments(); ++s) {
      equal = equal && data.unique[s] == static_cast<item>(s);
    }
    std::fill(data.totals.begin(), data.totals.end(), item{0});
    std::fill(data.unique.begin(), data.unique.end(), ~item{0});
    return equal;
  };
  std::vector<contender> all{copy_of(bytes),
                             {"libscan", [&] { by_engine(on.threads(), heads, data); }, right}};
  if (heads == "offsets") {
    all.push_back({"sequential",
                   [&] {
                     for (index_t s = 0; s < data.segments(); ++s) data.totals[s] = data.total(s);
                   },
                   right});
    all.push_back({"tbb",
                   [&] {
                     tbb::parallel_for(index_t{0}, data.segments(),
                                       [&](index_t s) { data.totals[s] = data.total(s); });
                   },
                   right});
  } else {
    all.push_back({"sequential", [&] { by_loop(heads, data); }, right});
  }
  for (library const& other : other_libraries()) {
    auto const reduce = heads == "keys" ? other.reduce_by_key : nullptr;
    if (reduce == nullptr) continue;
    all.push_back({other.name,
                   [&, reduce] {
                     reduce(data.forms.keys.begin(), data.in.begin(), data.unique.begin(),
                            data.totals.begin(), n);
                   },
                   right});
  }
  now.run({"cpu", totals_name(heads, lengths), "u32", n, bytes, std::move(all)});
}

}  // namespace

void run_segmented_reductions(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24})) {
    for (std::string const& lengths : or_standard(wanted.lengths, names_of(length_axis))) {
      reduced_segments const data(lengths, n);
      for (std::string const& heads : forms_to_measure(wanted.heads, lengths)) {
        reduce(on, now, heads, lengths, data);
      }
    }
  }
}

}  // namespace libscan::bench::cpu
