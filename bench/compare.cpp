// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <apps/common/exit_code.hpp>
#include <bench/changes.hpp>
#include <bench/compare.hpp>
#include <bench/record.hpp>

namespace libscan::bench {

namespace {

void print_change(change const& each) {
  result const& r = each.after;
  std::printf("%-7s %6.2fx  %s %s %s, n = %lld, %s: %.1f -> %.1f us (noise %.1f %%)\n",
              each.slower() ? "slower" : "faster", each.ratio(), r.engine.c_str(),
              r.operation.c_str(), r.type.c_str(), static_cast<long long>(r.n), r.name.c_str(),
              each.before.median_us, r.median_us, 100 * each.noise());
}

}  // namespace

int compare(std::string const& older, std::string const& newer) {
  auto const before = read_record(older), after = read_record(newer);
  auto const common = changes(before, after);
  if (common.empty()) throw apps::file_error(newer, "has nothing in common with " + older);
  int ours_slower = 0, competitors_changed = 0, ours_faster = 0;
  for (change const& each : common) {
    if (!each.slower() && !each.faster()) continue;
    print_change(each);
    if (!is_ours(each.after.name)) {
      ++competitors_changed;
    } else {
      ++(each.slower() ? ours_slower : ours_faster);
    }
  }
  std::printf("%zu compared: libscan slower in %d and faster in %d, competitors changed in %d;\n",
              common.size(), ours_slower, ours_faster, competitors_changed);
  std::printf("%zu only in %s, %zu only in %s\n", before.size() - common.size(), older.c_str(),
              after.size() - common.size(), newer.c_str());
  flush_lines();
  return ours_slower > 0 ? 1 : 0;
}

}  // namespace libscan::bench
