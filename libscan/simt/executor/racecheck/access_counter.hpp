// SPDX-License-Identifier: Apache-2.0
// Counts the memory accesses of warps: bank conflicts in shared memory, sectors in global memory.
// The model is stated at `shared_passes` and `touched_sectors`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <libscan/simt/executor/racecheck/call_paths.hpp>
#include <libscan/simt/executor/settings.hpp>

namespace libscan::inline v1_executor::simt::executor::racecheck {

/// One instruction's access by the lanes of a warp.
struct warp_access {
  std::uint32_t shared_lanes = 0;
  std::uint32_t global_lanes = 0;
  std::array<std::uintptr_t, 32> address;
  std::array<std::uint8_t, 32> bytes;  ///< 1 to 16
};

/// The number of passes over the banks of shared memory.
struct passes {
  int taken = 0;
  int ideal = 0;
  int worst = 0;  ///< most passes taken in place of one ideal one
};

/// Bank b holds the 4-byte words w with w mod banks == b. A pass serves one word of every bank, to
/// any number of lanes. Neighboring lanes are served together as long as their data, if every lane
/// accessed another word, would fill one pass: with 32 banks all 32 lanes for items of up to 4
/// bytes, 16 for 8 and 8 for 16 bytes (CUDA programming guide, shared memory; with 16 banks, half
/// of that). Such a group takes one pass for each distinct word of its busiest bank; the ideal is
/// one pass per group.
passes shared_passes(warp_access const& access, int banks);

/// The number of aligned runs of 32 bytes that contain what the lanes access.
int touched_sectors(warp_access const& access);

/// One lane's part of an access of the kernel's source.
struct lane_access {
  site_id site = 0;  ///< a representative
  bool writes = false;
  bool shared = false;
  std::uint8_t bytes = 0;  ///< 1 to 16
  std::uintptr_t address = 0;
};

/// The accesses of one warp that lanes may still join. Lanes make the same access if they are at
/// the same expression, reached by the same calls, for the same number of times since their last
/// convergence.
struct warp_accesses {
  struct key {
    site_id site;
    std::uint32_t epoch;
    std::uint16_t kind;  ///< the number of bytes and whether they are written
    friend bool operator==(key const&, key const&) = default;
  };
  struct hash {
    std::size_t operator()(key const& k) const {
      return (std::uint64_t{k.site} << 32 ^ std::uint64_t{k.epoch} << 8 ^ k.kind) *
                 0x9e3779b97f4a7c15u >>
             17;
    }
  };
  struct instruction {
    std::array<std::uint32_t, 32> next{};  ///< of each lane
    std::vector<warp_access> access;
  };
  std::array<std::uint32_t, 32> epoch{};  ///< convergences of each lane
  std::unordered_map<key, instruction, hash> pending;
};

class access_counter {
 public:
  void begin(int banks) {
    banks_ = banks;
    sums_.clear();
  }

  void add(warp_accesses& warp, int lane, lane_access const& what);

  /// These lanes leave a collective together. If they are all that the warp has left, no lane joins
  /// earlier accesses any more.
  void converge(warp_accesses& warp, std::uint32_t lanes, bool all);

  /// Counts the pending accesses of the epochs before `epochs`.
  void flush(warp_accesses& warp, std::uint32_t epochs = ~std::uint32_t{0});

  /// A bulk copy counts as one access of global memory.
  void add_copy(site_id site, std::uintptr_t source, std::size_t bytes);

  std::unordered_map<site_id, line_counts> const& sums() const { return sums_; }

 private:
  // A loop without a collective keeps at most this many accesses of a warp pending.
  static constexpr std::size_t max_pending = 1 << 18;

  line_counts counts_of(warp_access const& access) const;

  int banks_ = 32;
  std::unordered_map<site_id, line_counts> sums_;
};

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
