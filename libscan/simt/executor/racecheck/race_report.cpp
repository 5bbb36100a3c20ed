// SPDX-License-Identifier: Apache-2.0
// The race checker's messages.
#include <libscan/simt/executor/racecheck/race_checker.hpp>

#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor::racecheck {

namespace {

char const* verb(access_kind kind, bool past) {
  switch (kind) {
    case access_kind::read:
      return past ? "read" : "reads";
    case access_kind::write:
      return past ? "wrote" : "writes";
    case access_kind::atomic_read:
      return past ? "atomically read" : "atomically reads";
    default:
      return past ? "atomically wrote" : "atomically writes";
  }
}

std::string text_of(source_line const& line) { return describe({line.file.c_str(), line.line}); }

}  // namespace

/// The thread that stands for `who` in the executor: for a bulk copy, the one that issued it.
thread_name const& race_checker::blamed(thread_id who) {
  auto const copy = copies_.find(who.value);
  return copy != copies_.end() ? copy->second.issuer : *running_->name;
}

uint3 race_checker::block_of(thread_id who) const {
  auto const copy = copies_.find(who.value);
  return copy != copies_.end() ? copy->second.issuer.block : block_index_[who.block()];
}

std::string race_checker::text_of(thread_id who, bool name_block) const {
  auto const copy = copies_.find(who.value);
  bool const copied = copy != copies_.end();
  auto const rank = copied ? static_cast<unsigned>(copy->second.issuer.rank) : who.rank();
  std::string text = (copied ? "the bulk copy of thread " : "thread ") + std::to_string(rank);
  return name_block ? text + " of block " + coordinates(block_of(who)) : text;
}

/// "shared memory (byte 12 of the static part)".
std::string race_checker::text_of(checked_block& block, std::byte const* address) const {
  shared_place const place = find_shared(block, address);
  if (place.block == nullptr) return "global memory";
  auto const offset = address - place.block->shared[place.area].range.begin;
  std::string const whose =
      place.block == &block ? "" : " of block " + coordinates(block_index_[place.block->serial]);
  return "shared memory" + whose + " (byte " + std::to_string(offset) + " of the " +
         (place.area == 0 ? "static" : "dynamic") + " part)";
}

/// Ends the launch; returns if one of the two accesses does not belong to the kernel.
void race_checker::report_race(access const& now, thread_id who, checked_block& block,
                               access_record const& before, char const* lacks) {
  auto const here = paths_.line(now.site), there = paths_.line(before.site);
  if (!here) paths_.declare_foreign(now.site);
  if (!there) paths_.declare_foreign(before.site);
  if (!here || !there) return;
  uint3 const a = block_of(who), b = block_of(before.thread);
  bool const name_block = a.x != b.x || a.y != b.y || a.z != b.z;
  abandon_launch(blamed(who),
                 "race in " + text_of(block, now.address) + ": " + text_of(who, false) + " " +
                     verb(now.kind, false) + " at " + racecheck::text_of(*here) + " what " +
                     text_of(before.thread, name_block) + " " + verb(before.kind, true) + " at " +
                     racecheck::text_of(*there) + ", and " + lacks);
}

/// Ends the launch; returns if the access does not belong to the kernel.
void race_checker::report_uninitialized(access const& now, thread_id who, checked_block& block) {
  auto const here = paths_.line(now.site);
  if (!here) return paths_.declare_foreign(now.site);
  abandon_launch(blamed(who), text_of(who, false) + " reads at " + racecheck::text_of(*here) +
                                  " uninitialized " + text_of(block, now.address));
}

/// Ends the launch; returns if the access does not belong to the kernel.
void race_checker::report_out_of_bounds(access const& now, thread_id who, std::byte const* bad) {
  auto const here = paths_.line(now.site);
  if (!here) return paths_.declare_foreign(now.site);
  abandon_launch(blamed(who), text_of(who, false) + " " + verb(now.kind, false) + " " +
                                  std::to_string(now.bytes) + " bytes at " +
                                  racecheck::text_of(*here) +
                                  ", out of bounds: " + describe_place(bad));
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
