// SPDX-License-Identifier: Apache-2.0
// Watches launches in the executor and records them.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apps/explain/record.hpp>
#include <libscan/simt/executor/observer.hpp>
#include <libscan/simt/executor/settings.hpp>

namespace libscan::apps {

/// What is known about a launch before it runs.
struct launch_plan {
  std::string title;
  int level = 0;
  int tile_items = 0;
  int shift = 0;  ///< places by which threads load earlier items than their own
};

/// Records the launches of one scan on this OS thread during its lifetime. It forwards all events
/// to the checker of the build, if there is one, which counts accesses of memory.
class recorder : public simt::executor::observer {
 public:
  /// `seed` 0: one block after the other, in order. Otherwise several at once, in an order drawn
  /// from the seed.
  recorder(std::span<std::int32_t const> items, unsigned seed, int banks);
  ~recorder() override;

  /// Memory of the scan, allocated on request and kept until the recorder ends.
  traced const* input() const { return run_.arrays.front().begin; }
  traced* new_array(std::string const& name, int level, std::size_t count);
  std::byte* new_memory(std::size_t bytes);

  /// Words of that memory that hold an array.
  void name_array(std::string const& name, int level, void const* begin, std::size_t count);

  /// Words of that memory that hold the flags of tiles, and a letter for each of their values.
  void name_flags(unsigned const* begin, std::size_t count, std::string letters) {
    run_.flags = {begin, count, std::move(letters)};
  }

  /// Names the shared memory of the kernel with that typeid(...).name().
  void know(std::string const& kernel, std::vector<region> regions);

  /// The next launch, in their order.
  void expect(launch_plan plan);

  /// No longer forwards events: the checker neither counts accesses nor ends a kernel with a race.
  void ignore_checker() { next_ = nullptr; }

  /// The whole recording, once the scan has ended.
  recorded_run take(std::string algorithm, bool exclusive);

  traced make(value made);

  void launch_begins(simt::executor::launch_facts const& facts) override;
  void block_begins(std::span<simt::executor::thread_name* const> threads,
                    std::span<simt::executor::memory_range const> shared) override;
  void block_ends(std::span<simt::executor::thread_name* const> threads,
                  std::span<simt::executor::memory_range const> shared) override;
  void running(simt::executor::thread_name* thread) override;
  void thread_ends(simt::executor::thread_name& thread) override;
  void barrier(std::span<simt::executor::thread_name* const> threads) override;
  void release(simt::executor::thread_name& thread, std::uint64_t key) override;
  void acquire(simt::executor::thread_name& thread, std::uint64_t key) override;
  void fence(simt::executor::thread_name& thread) override;
  void bulk_copy(simt::executor::thread_name& issuer, simt::executor::memory_range target,
                 simt::executor::memory_range source, std::uint64_t issued, std::uint64_t landed,
                 simt::call_site site) override;
  void warp_converges(std::span<simt::executor::thread_name* const> lanes) override;
  void launch_ends(bool failed) override;

 private:
  /// A block that is running.
  struct open_block {
    std::size_t number = 0;  ///< in the launch
    simt::executor::memory_range shared;
    interval now;
    bool met = false;  ///< a barrier has just been passed
  };

  /// The recorder's own work on a kernel's thread does not belong to the kernel: the checker sees
  /// it as the host's.
  class aside;

  /// The checker of the build; null if there is none or this program lacks the debug information it
  /// needs.
  simt::executor::observer* able_checker() const;

  recorded_launch& launch() { return run_.launches.back(); }
  cells copy_of(simt::executor::memory_range shared, region const& what) const;
  std::vector<cells> copy_of_arrays() const;
  void end_interval(open_block& block);
  void end_counts();

  recorded_run run_;
  std::vector<std::unique_ptr<traced[]>> memory_;
  std::map<std::string, std::vector<region>, std::less<>> known_;
  std::vector<launch_plan> plans_;
  std::map<int, open_block> open_;  // by slot
  simt::executor::thread_name* running_ = nullptr;
  line_counts heard_;  // of this launch, up to the last interval that ended
  std::int64_t barriers_ = 0;
  simt::executor::counts counts_;
  simt::executor::scoped_settings scope_;
  simt::executor::observer* next_;
};

}  // namespace libscan::apps
