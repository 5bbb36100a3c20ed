// SPDX-License-Identifier: Apache-2.0
// The executor's race checker. It hears every access of a kernel (the compiler announces them) and
// every event that orders threads (the executor reports them), and finds accesses that nothing
// orders.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <libscan/simt/executor/observer.hpp>
#include <libscan/simt/executor/racecheck/access_counter.hpp>
#include <libscan/simt/executor/racecheck/call_paths.hpp>
#include <libscan/simt/executor/racecheck/clock.hpp>
#include <libscan/simt/executor/racecheck/line_lookup.hpp>
#include <libscan/simt/executor/racecheck/shadow.hpp>
#include <libscan/simt/executor/settings.hpp>

namespace libscan::inline v1_executor::simt::executor::racecheck {

struct checked_block;

/// The complete actions, and those of them that a bulk copy may rely on: the ones before a proxy
/// fence that is complete.
struct knowledge {
  clock_ref known;
  clock_ref proxied;
};

/// A thread of a kernel, with the actions that it knows to be complete.
struct checked_thread {
  thread_name* name = nullptr;
  checked_block* block = nullptr;
  thread_id id;
  int lane = 0;
  moment now = 1;
  clock_ref known;
  clock_ref proxied;                 ///< the part of `known` before a proxy fence
  std::span<moment const> siblings;  ///< the part of `known` about its own block
  knowledge fenced;    ///< complete at its last release fence: its relaxed stores publish it
  knowledge promised;  ///< seen by its relaxed loads: an acquire fence makes it known
  path_id path = call_paths::outside;

  void learn(knowledge more);

  /// Whether `r` comes before this thread's current action. Blocks before `oldest` are complete.
  bool sees(access_record const& r, std::uint32_t oldest) const {
    if (r.thread.block() == id.block()) {
      return r.thread == id ||
             (r.thread.rank() < siblings.size() && siblings[r.thread.rank()] >= r.when);
    }
    return r.thread.block() < oldest || (known != nullptr && known->of(r.thread) >= r.when);
  }
};

/// Shared memory of a block, with a cell for every 8 bytes.
struct shared_area {
  memory_range range;
  std::vector<cell> cells;
};

struct checked_warp {
  std::uint32_t present = 0;  ///< lanes that have not returned
  warp_accesses accesses;
};

struct checked_block {
  std::uint32_t serial = 0;
  std::vector<checked_thread> threads;
  std::vector<checked_warp> warps;
  std::vector<shared_area> shared;
};

/// An address in shared memory: its block and area. Empty if it is in none.
struct shared_place {
  checked_block* block = nullptr;
  std::size_t area = 0;
};

/// Bytes accessed by one instruction.
struct access {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  access_kind kind = access_kind::read;
  bool reads = true;  ///< whether the value there is used
  site_id site = 0;
};

class race_checker final : public observer {
 public:
  race_checker() : paths_(lines_) {}
  ~race_checker() override;

  void launch_begins(launch_facts const& launch) override;
  void block_begins(std::span<thread_name* const> threads,
                    std::span<memory_range const> shared_memory) override;
  void block_ends(std::span<thread_name* const> threads,
                  std::span<memory_range const> shared_memory) override;
  void running(thread_name* thread) override;
  void thread_ends(thread_name& thread) override;
  void barrier(std::span<thread_name* const> threads) override;
  void release(thread_name& thread, std::uint64_t key) override;
  void acquire(thread_name& thread, std::uint64_t key) override;
  void fence(thread_name& thread) override;
  void proxy_fence(thread_name& thread) override;
  void bulk_copy(thread_name& issuer, memory_range target, memory_range source,
                 std::uint64_t issued, std::uint64_t landed, call_site site) override;
  void warp_converges(std::span<thread_name* const> lanes) override;
  void launch_ends(bool failed) override;
  line_counts counted() override;

  // Calls of instrumented code while a kernel thread runs.
  void enter_function(void const* return_address);
  void leave_function();
  void plain_access(void const* address, std::size_t bytes, access_kind kind, void const* from);
  void plain_range(void const* address, std::size_t bytes, access_kind kind, void const* from);
  void atomic_load(void const* address, std::size_t bytes, std::memory_order order,
                   void const* from);
  void atomic_store(void const* address, std::size_t bytes, std::memory_order order,
                    void const* from);
  void atomic_update(void const* address, std::size_t bytes, std::memory_order order,
                     void const* from);
  void atomic_fence(std::memory_order order);

 private:
  struct copy_facts {
    thread_name issuer;
    call_site site;
  };

  // accesses.cpp
  bool is_private(std::byte const* address) const;
  std::optional<site_id> own_site(std::byte const* address, void const* from);
  void atomic_access(void const* address, std::size_t bytes, access_kind kind, bool reads,
                     void const* from);
  void hear(access const& what);
  void hear_copy(access const& what, checked_thread const& engine, checked_block& block);
  cell& cell_in(shared_place const& place, std::byte* address);
  shared_place find_shared(checked_block& block, std::byte const* address) const;

  // happens_before.cpp
  /// The last join, which many threads repeat.
  struct last_join {
    clock_ref a, b, result;
  };
  knowledge snapshot(checked_thread& thread);
  clock_ref join(clock_ref const& a, clock_ref const& b, last_join& last);
  knowledge join(knowledge const& a, knowledge const& b);
  void learn_too(checked_thread& thread, knowledge const& more);
  bool reaches_copies(access_record const& before, checked_thread const& engine, bool shared) const;
  std::uint32_t oldest() const {
    return next_serial_ < remembered_blocks ? 0 : next_serial_ - remembered_blocks;
  }
  std::uint32_t new_serial();

  // race_report.cpp
  uint3 block_of(thread_id who) const;
  std::string text_of(thread_id who, bool name_block) const;
  std::string text_of(checked_block& block, std::byte const* address) const;
  void report_race(access const& now, thread_id who, checked_block& block,
                   access_record const& before, char const* lacks = "nothing orders the two");
  void report_uninitialized(access const& now, thread_id who, checked_block& block);
  void report_out_of_bounds(access const& now, thread_id who, std::byte const* bad);
  thread_name const& blamed(thread_id who);

  void add_counts();

  // Accesses of blocks that began more than this many blocks ago count as complete.
  static constexpr std::uint32_t remembered_blocks = 4096;

  line_lookup lines_;
  call_paths paths_;
  access_counter counter_;
  global_shadow global_;
  crowd_pool crowds_;
  settings const* how_ = nullptr;
  bool cluster_ = false;
  memory_range arguments_;
  memory_range indices_;  ///< threadIdx and its kin
  checked_thread* running_ = nullptr;
  std::vector<std::unique_ptr<checked_block>> blocks_;  // by slot
  std::vector<uint3> block_index_;                      // by serial
  std::uint32_t next_serial_ = 1;
  thread_id next_copy_;
  std::map<std::uint32_t, copy_facts> copies_;  // by thread_id::value
  std::vector<bool> of_copies_;                 // by serial
  std::unordered_map<std::uint64_t, knowledge> keys_;
  std::unordered_map<void const*, knowledge> atomics_;
  last_join joined_, joined_proxied_;
};

/// The checker that hears this OS thread's accesses; nullptr outside kernels, and while the checker
/// itself or the host works.
extern constinit thread_local race_checker* listening;

/// Turns listening off for a scope: the checker itself uses inline functions, for which the linker
/// may have chosen instrumented copies.
class deaf {
 public:
  deaf() : former_(listening) { listening = nullptr; }
  ~deaf() { listening = former_; }
  deaf(deaf const&) = delete;
  deaf& operator=(deaf const&) = delete;

 private:
  race_checker* former_;
};

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
