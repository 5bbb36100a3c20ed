// SPDX-License-Identifier: Apache-2.0
// Scans within segments on the cpu engine, for every description of segments, beside a sequential
// loop and a scan of pairs by oneTBB, which read the same description; between offsets also beside
// a parallel loop over the segments.
#include <algorithm>

#include <tbb/parallel_for.h>

#include <bench/cpu/contenders.hpp>
#include <bench/segments.hpp>
#include <libscan/core/segments.hpp>
#include <libscan/cpu/segmented_scan.hpp>

namespace libscan::bench::cpu {

namespace {

/// The same segments in every form.
template <class T>
struct described {
  segment_forms forms;
  std::vector<index_t> offsets;
  host_array<T> in, out, expected;

  described(std::string const& lengths, scan_kind kind, index_t n)
      : forms(lengths, n),
        offsets(forms.offsets.begin(), forms.offsets.end()),
        in(items_of<T>("random", n)),
        out(n),
        expected(scanned_in_segments(in, kind, forms.offsets, plus<T>{})) {}
};

template <scan_kind Kind, class T>
void by_engine(int threads, std::string const& heads, described<T> const& data) {
  auto const scan = [&](auto descriptor) {
    libscan::cpu::segmented_scan<Kind>(threads, scan_direction::forward, data.in.begin(),
                                       data.out.begin(), descriptor, data.in.size, plus<T>{}, T{0});
  };
  if (heads == "flags") return scan(libscan::head_flags{data.forms.flags.begin()});
  if (heads == "bits") return scan(libscan::head_bits{data.forms.bits.begin()});
  if (heads == "keys") {
    return scan(libscan::segment_keys{data.forms.keys.begin()});
  }
  scan(
      libscan::segment_offsets{data.offsets.data(), static_cast<index_t>(data.offsets.size()) - 1});
}

/// Whether a segment begins at an item. Called for each item in turn.
struct starts_between_offsets {
  index_t const* next;  ///< the first offset that is not before the item

  bool operator()(index_t i) {
    index_t const* const before = next;
    while (*next == i) ++next;
    return next != before;
  }
};

/// Calls use(starts_from): starts_from(i) tells which items from i on begin a segment. It reads
/// this form of the description.
template <class T, class Use>
void with_starts(std::string const& form, described<T> const& data, Use use) {
  segment_forms const& forms = data.forms;
  auto const of_item = [&](auto begins) { use([=](index_t) { return begins; }); };
  if (form == "flags") return of_item([&](index_t i) { return forms.flags[i] != 0; });
  if (form == "bits") {
    return of_item([&](index_t i) { return (forms.bits[i / 32] >> i % 32 & 1u) != 0; });
  }
  if (form == "keys") {
    return of_item([&](index_t i) { return i == 0 || forms.keys[i] != forms.keys[i - 1]; });
  }
  use([&](index_t i) {
    auto const first = std::lower_bound(data.offsets.begin(), data.offsets.end(), i);
    return starts_between_offsets{&*first};
  });
}

/// The code people write without a library: a loop over the items.
template <scan_kind Kind, class T>
void by_loop(std::string const& form, described<T> const& data) {
  with_starts(form, data, [&](auto starts_from) {
    auto begins = starts_from(0);
    T sum = 0;
    for (index_t i = 0; i < data.in.size; ++i) {
      if (begins(i)) sum = 0;
      T const next = sum + data.in[i];
      data.out[i] = Kind == scan_kind::inclusive ? next : sum;
      sum = next;
    }
  });
}

template <scan_kind Kind, class T>
void by_tbb(std::string const& form, described<T> const& data) {
  segmented<plus<T>> const within{};
  with_starts(form, data, [&](auto starts_from) {
    tbb::parallel_scan(
        tbb::blocked_range<index_t>(0, data.in.size), within.identity(),
        [&](auto const& part, flagged<T> sum, bool final) {
          auto begins = starts_from(part.begin());
          for (index_t i = part.begin(); i < part.end(); ++i) {
            bool const head = begins(i);
            flagged<T> const next = within(sum, {data.in[i], head});
            if (final) {
              data.out[i] = Kind == scan_kind::inclusive ? next.value : head ? 0 : sum.value;
            }
            sum = next;
          }
          return sum;
        },
        within);
  });
}

/// A loop over the items of each segment.
template <scan_kind Kind, class T>
void by_loops(described<T> const& data) {
  auto const& offsets = data.offsets;
  tbb::parallel_for(std::size_t{0}, offsets.size() - 1, [&](std::size_t s) {
    T sum = 0;
    for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      T const next = sum + data.in[i];
      data.out[i] = Kind == scan_kind::inclusive ? next : sum;
      sum = next;
    }
  });
}

template <scan_kind Kind, class T>
void scan(engine const& on, session const& now, std::string const& heads,
          std::string const& lengths, described<T> const& data) {
  index_t const n = data.in.size;
  // The cpu engine's offsets have 64 bits.
  double const head_bytes = heads == "offsets"
                                ? static_cast<double>(data.offsets.size() * sizeof(index_t))
                                : data.forms.bytes(heads);
  double const bytes = head_bytes + 2.0 * static_cast<double>(n) * sizeof(T);
  auto const right = [&] {
    return std::equal(data.out.begin(), data.out.end(), data.expected.begin());
  };
  std::vector<contender> all{
      copy_of(bytes),
      {"libscan", [&] { by_engine<Kind>(on.threads(), heads, data); }, right},
      {"sequential", [&] { by_loop<Kind>(heads, data); }, right},
      {"tbb", [&] { by_tbb<Kind>(heads, data); }, right}};
  if (heads == "offsets") all.push_back({"tbb loops", [&] { by_loops<Kind>(data); }, right});
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    for (library const& other : other_libraries()) {
      bool const compared = heads == "keys" && Kind == scan_kind::inclusive;
      auto const scan = compared ? other.scan_by_key : nullptr;
      if (scan == nullptr) continue;
      all.push_back(
          {other.name,
           [&, scan] { scan(data.forms.keys.begin(), data.in.begin(), data.out.begin(), n); },
           right});
    }
  }
  now.run({"cpu", segmented_name(Kind, heads, lengths), type_name<T>(), n, bytes, std::move(all)});
}

template <class T>
void scan_all(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24})) {
    for (std::string const& lengths : or_standard(wanted.lengths, names_of(length_axis))) {
      for (scan_kind const kind : or_standard(wanted.kinds, {scan_kind::inclusive})) {
        described<T> const data(lengths, kind, n);
        for (std::string const& heads : forms_to_measure(wanted.heads, lengths)) {
          if (kind == scan_kind::inclusive) {
            scan<scan_kind::inclusive>(on, now, heads, lengths, data);
          } else {
            scan<scan_kind::exclusive>(on, now, heads, lengths, data);
          }
        }
      }
    }
  }
}

}  // namespace

void run_segmented_scans(engine const& on, session const& now) {
  for (std::string const& type : or_standard<std::string>(now.wanted.types, {"u32"})) {
    now.where_known([&] {
      if (type == "u32") return scan_all<std::uint32_t>(on, now);
      if (type == "f64") return scan_all<double>(on, now);
      throw invalid_argument("the cpu engine's scans within segments are of u32 and f64");
    });
  }
}

}  // namespace libscan::bench::cpu
