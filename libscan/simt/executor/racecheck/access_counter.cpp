// SPDX-License-Identifier: Apache-2.0
#include <libscan/simt/executor/racecheck/access_counter.hpp>

#include <algorithm>
#include <bit>

namespace libscan::inline v1_executor::simt::executor::racecheck {

namespace {

constexpr int sector_bytes = 32;
constexpr int word_bytes = 4;

template <class Visit>
void each_lane(std::uint32_t lanes, Visit const& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<std::size_t>(std::countr_zero(lanes)));
}

/// The aligned units of `unit` bytes that the lanes touch, each once.
std::size_t distinct_units(warp_access const& access, std::uint32_t lanes, std::uintptr_t unit,
                           std::array<std::uintptr_t, 32 * 5>& units) {
  std::size_t count = 0;
  each_lane(lanes, [&](std::size_t lane) {
    std::uintptr_t const last = (access.address[lane] + access.bytes[lane] - 1) / unit;
    for (std::uintptr_t u = access.address[lane] / unit; u <= last; ++u) units[count++] = u;
  });
  auto const end = units.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(units.begin(), end);
  return static_cast<std::size_t>(std::unique(units.begin(), end) - units.begin());
}

}  // namespace

passes shared_passes(warp_access const& access, int banks) {
  int widest = word_bytes;
  each_lane(access.shared_lanes,
            [&](std::size_t lane) { widest = std::max<int>(widest, access.bytes[lane]); });
  int const together = std::clamp(banks * word_bytes / widest, 1, 32);
  passes result;
  for (int first = 0; first < 32; first += together) {
    std::uint32_t const group = together == 32 ? ~0u : ((1u << together) - 1u) << first;
    std::uint32_t const lanes = access.shared_lanes & group;
    if (lanes == 0) continue;
    std::array<std::uintptr_t, 32 * 5> words;
    std::size_t const count = distinct_units(access, lanes, word_bytes, words);
    std::array<std::uint8_t, 64> accesses{};
    int max_accesses = 0;
    for (std::size_t i = 0; i < count; ++i) {
      max_accesses =
          std::max<int>(max_accesses, ++accesses[words[i] % static_cast<unsigned>(banks)]);
    }
    result.taken += max_accesses;
    result.ideal += 1;
    result.worst = std::max(result.worst, max_accesses);
  }
  return result;
}

int touched_sectors(warp_access const& access) {
  std::array<std::uintptr_t, 32 * 5> sectors;
  return static_cast<int>(distinct_units(access, access.global_lanes, sector_bytes, sectors));
}

void access_counter::add(warp_accesses& warp, int lane, lane_access const& what) {
  auto const l = static_cast<std::size_t>(lane);
  auto const kind = static_cast<std::uint16_t>(what.bytes << 1 | (what.writes ? 1 : 0));
  auto& instruction = warp.pending[{what.site, warp.epoch[l], kind}];
  std::size_t const occurrence = instruction.next[l]++;
  if (occurrence == max_pending) {
    flush(warp);
    add(warp, lane, what);
    return;
  }
  if (occurrence == instruction.access.size()) instruction.access.emplace_back();
  warp_access& access = instruction.access[occurrence];
  (what.shared ? access.shared_lanes : access.global_lanes) |= 1u << lane;
  access.address[l] = what.address;
  access.bytes[l] = what.bytes;
}

void access_counter::converge(warp_accesses& warp, std::uint32_t lanes, bool all) {
  std::uint32_t latest = 0;
  each_lane(lanes, [&](std::size_t lane) { latest = std::max(latest, warp.epoch[lane]); });
  each_lane(lanes, [&](std::size_t lane) { warp.epoch[lane] = latest + 1; });
  if (all) flush(warp, latest + 1);
}

void access_counter::flush(warp_accesses& warp, std::uint32_t epochs) {
  for (auto next = warp.pending.begin(); next != warp.pending.end();) {
    auto const& [key, instruction] = *next;
    if (key.epoch >= epochs) {
      ++next;
      continue;
    }
    line_counts& sum = sums_[key.site];
    for (warp_access const& access : instruction.access) sum += counts_of(access);
    next = warp.pending.erase(next);
  }
}

line_counts access_counter::counts_of(warp_access const& access) const {
  line_counts result;
  if (access.shared_lanes != 0) {
    passes const needed = shared_passes(access, banks_);
    result.shared_accesses = 1;
    result.shared_wavefronts = needed.taken;
    result.shared_ideal = needed.ideal;
    result.shared_worst = needed.worst;
  }
  if (access.global_lanes != 0) {
    result.global_accesses = 1;
    result.global_sectors = touched_sectors(access);
  }
  return result;
}

void access_counter::add_copy(site_id site, std::uintptr_t source, std::size_t bytes) {
  line_counts& sum = sums_[site];
  ++sum.global_accesses;
  sum.global_sectors +=
      static_cast<std::int64_t>((source + bytes - 1) / sector_bytes - source / sector_bytes + 1);
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
