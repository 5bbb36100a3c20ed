// SPDX-License-Identifier: Apache-2.0
// Scans within segments on the GPU: the same segments in each of four descriptions.
#include <bench/cuda/workloads.cuh>
#include <bench/oracles.hpp>
#include <bench/segments.hpp>

namespace libscan::bench::cuda {

namespace {

/// Segments of one distribution, described in every form, and items in them.
template <class T>
struct segmented_data {
  segment_forms host;
  device::buffer<std::uint8_t> flags;
  device::buffer<std::uint32_t> bits, keys;
  device::buffer<std::int32_t> offsets;

  segmented_data(std::string const& lengths, index_t n)
      : host(lengths, n),
        flags(on_device(host.flags.view())),
        bits(on_device(std::span<std::uint32_t const>(host.bits.begin(), host.bits.end()))),
        keys(on_device(host.keys.view())),
        offsets(on_device(std::span<std::int32_t const>(host.offsets))) {}
};

template <class T>
void scan(session const& now, std::string const& type, scan_kind kind, std::string const& lengths,
          index_t n) {
  segmented_data<T> const segments(lengths, n);
  auto const items = items_of<T>("random", n);
  auto const expected = scanned_in_segments(items, kind, segments.host.offsets, plus<T>{});
  auto const in = on_device(items.view());
  checked_output<T> const out(expected.view());
  for (std::string const& heads : forms_to_measure(now.wanted.heads, lengths)) {
    double const bytes = segments.host.bytes(heads) + 2.0 * static_cast<double>(n) * sizeof(T);
    workload work{"cuda", segmented_name(kind, heads, lengths), type, n, bytes, {copy_of(bytes)}};
    add_offers(work,
               segmented_problem{heads, type, kind, in.data(), out.data(), n, segments.flags.data(),
                                 segments.bits.data(), segments.keys.data(),
                                 segments.offsets.data(), segments.offsets.size() - 1},
               [&] { return out.right(); });
    now.run(std::move(work));
  }
}

}  // namespace

void run_segmented_scans(session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 20, 1 << 24, 1 << 28})) {
    for (std::string const& type : or_standard<std::string>(wanted.types, {"u32"})) {
      for (std::string const& lengths : or_standard(wanted.lengths, names_of(length_axis))) {
        for (scan_kind const kind : or_standard(wanted.kinds, {scan_kind::inclusive})) {
          if (type == "u32") {
            scan<std::uint32_t>(now, type, kind, lengths, n);
          } else if (type == "f32") {
            scan<float>(now, type, kind, lengths, n);
          } else {
            throw invalid_argument("scans within segments are measured for u32 and f32, not " +
                                   type);
          }
        }
      }
    }
  }
}

}  // namespace libscan::bench::cuda
