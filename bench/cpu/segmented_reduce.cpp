// SPDX-License-Identifier: Apache-2.0
// Totals of segments on the cpu engine, for every description of segments, beside loops.
#include <tbb/parallel_for.h>

#include <bench/cpu/contenders.hpp>
#include <bench/segments.hpp>
#include <libscan/cpu/segmented_reduce.hpp>

namespace libscan::bench::cpu {

namespace {

/// The same segments in every form, and the total of each.
template <class T>
struct reduced_segments {
  segment_forms forms;
  std::vector<index_t> offsets;
  host_array<T> in;
  host_array<T> totals, expected;
  host_array<std::uint32_t> unique;  ///< space for the keys of runs

  reduced_segments(std::string const& lengths, index_t n)
      : forms(lengths, n),
        offsets(forms.offsets.begin(), forms.offsets.end()),
        in(items_of<T>("random", n)),
        totals(segments()),
        expected(segments()),
        unique(segments()) {
    std::fill(unique.begin(), unique.end(), 0u);
    for (index_t s = 0; s < segments(); ++s) expected[s] = total(s);
    std::fill(totals.begin(), totals.end(), T{0});
  }

  index_t segments() const { return static_cast<index_t>(offsets.size()) - 1; }

  T total(index_t s) const {
    auto const at = static_cast<std::size_t>(s);
    T sum = 0;
    for (index_t i = offsets[at]; i < offsets[at + 1]; ++i) sum += in[i];
    return sum;
  }
};

template <class T>
void by_engine(int threads, std::string const& heads, reduced_segments<T> const& data) {
  auto const reduce = [&](auto descriptor) {
    libscan::cpu::segmented_reduce(threads, data.in.begin(), data.totals.begin(), descriptor,
                                   data.in.size, plus<T>{});
  };
  if (heads == "flags") return reduce(libscan::head_flags{data.forms.flags.begin()});
  if (heads == "bits") return reduce(libscan::head_bits{data.forms.bits.begin()});
  if (heads == "keys") {
    libscan::cpu::reduce_by_key(threads, data.forms.keys.begin(), data.in.begin(),
                                data.unique.begin(), data.totals.begin(), data.in.size, plus<T>{});
    return;
  }
  reduce(libscan::segment_offsets{data.offsets.data(), data.segments()});
}

/// The code people write without a library: a loop over the items; begin(s, i) returns whether
/// segment s begins at item i.
template <class T, class IsHead, class Begin>
void by_loop(reduced_segments<T> const& data, IsHead is_head, Begin begin) {
  index_t segment = -1;
  T sum = 0;
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

template <class T>
void by_loop(std::string const& heads, reduced_segments<T> const& data) {
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

template <class T>
void reduce(engine const& on, session const& now, std::string const& heads,
            std::string const& lengths, reduced_segments<T> const& data) {
  index_t const n = data.in.size;
  // The cpu engine's offsets have 64 bits.
  double const head_bytes = heads == "offsets"
                                ? static_cast<double>(data.offsets.size() * sizeof(index_t))
                                : data.forms.bytes(heads);
  auto const segments = static_cast<double>(data.segments());
  // Keys of runs are also an output.
  double const key_bytes = heads == "keys" ? segments * sizeof(std::uint32_t) : 0;
  double const bytes =
      head_bytes + key_bytes + (static_cast<double>(n) + segments) * double{sizeof(T)};
  auto const right = [&] {
    bool equal = std::equal(data.totals.begin(), data.totals.end(), data.expected.begin());
    // Keys are the numbers of their segments.
    for (index_t s = 0; heads == "keys" && s < data.segments(); ++s) {
      equal = equal && data.unique[s] == static_cast<std::uint32_t>(s);
    }
    std::fill(data.totals.begin(), data.totals.end(), T{0});
    std::fill(data.unique.begin(), data.unique.end(), ~0u);
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
  if constexpr (std::is_same_v<T, std::uint32_t>) {
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
  }
  now.run({"cpu", totals_name(heads, lengths), type_name<T>(), n, bytes, std::move(all)});
}

template <class T>
void reduce_all(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24})) {
    for (std::string const& lengths : or_standard(wanted.lengths, names_of(length_axis))) {
      reduced_segments<T> const data(lengths, n);
      for (std::string const& heads : forms_to_measure(wanted.heads, lengths)) {
        reduce(on, now, heads, lengths, data);
      }
    }
  }
}

}  // namespace

void run_segmented_reductions(engine const& on, session const& now) {
  for (std::string const& type : or_standard<std::string>(now.wanted.types, {"u32"})) {
    now.where_known([&] {
      if (type == "u32") return reduce_all<std::uint32_t>(on, now);
      if (type == "f64") return reduce_all<double>(on, now);
      throw invalid_argument("the cpu engine's totals of segments are of u32 and f64");
    });
  }
}

}  // namespace libscan::bench::cpu
