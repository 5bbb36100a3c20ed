// SPDX-License-Identifier: Apache-2.0
// Scans on the GPU, of every type and operator of scan_types.hpp.
#include <bench/cuda/workloads.cuh>
#include <bench/oracles.hpp>

namespace libscan::bench::cuda {

namespace {

template <class Types>
void scan(session const& now, std::string const& op, scan_kind kind, std::string const& items,
          index_t n) {
  using in_type = typename Types::in;
  using out_type = typename Types::out;
  auto const host = items_of<in_type>(items, n);
  auto const expected = scanned<out_type>(host, kind, typename Types::op{});
  auto const in = on_device(host.view());
  checked_output<out_type> const out(expected.view());
  double const bytes = static_cast<double>(n) * (sizeof(in_type) + sizeof(out_type));
  workload work{"cuda", scan_name(kind, op, items), Types::name(), n, bytes, {copy_of(bytes)}};
  add_offers(work, scan_problem{Types::name(), op, kind, in.data(), out.data(), n},
             [&] { return out.right(); });
  now.run(std::move(work));
}

void scan(session const& now, std::string const& type, std::string const& op, scan_kind kind,
          std::string const& items, index_t n) {
  bool skipped = false;
  auto const body = [&](auto types) {
    using each = decltype(types);
    skipped = kind == scan_kind::inclusive && !each::inclusive_too;
    if (!skipped) scan<each>(now, op, kind, items, n);
  };
  bool const found = with_types(integer_scans{}, type, op, body) ||
                     with_types(float_scans{}, type, op, body) ||
                     with_types(other_scans{}, type, op, body);
  if (!found || skipped) {
    throw invalid_argument("scan-bench has no " + scan_name(kind, op, items) + " of " + type +
                           " on the GPU; bench/cuda/scan_types.hpp lists what is compiled");
  }
}

}  // namespace

void run_scans(session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
    for (std::string const& type : or_standard<std::string>(wanted.types, {"i32", "f32", "i64"})) {
      for (std::string const& op : wanted.operators) {
        for (scan_kind const kind : or_standard(wanted.kinds, {scan_kind::exclusive})) {
          for (std::string const& items : wanted.items) scan(now, type, op, kind, items, n);
        }
      }
    }
  }
}

}  // namespace libscan::bench::cuda
