// SPDX-License-Identifier: Apache-2.0
// Every access of a kernel passes through here. It is ignored if private to its thread; otherwise
// it is counted and compared with the recorded accesses of the place.
#include <libscan/simt/executor/racecheck/race_checker.hpp>

#include <algorithm>
#include <bit>

namespace libscan::inline v1_executor::simt::executor::racecheck {

namespace {

bool within(std::byte const* address, memory_range const& range) {
  return static_cast<std::size_t>(address - range.begin) < range.size;
}

/// The bytes of the 8 from `begin` that belong to [address, address + bytes).
std::uint8_t byte_mask(std::byte const* begin, std::byte const* address, std::size_t bytes) {
  std::ptrdiff_t const first = std::max<std::ptrdiff_t>(address - begin, 0);
  std::ptrdiff_t const last =
      std::min<std::ptrdiff_t>(address + static_cast<std::ptrdiff_t>(bytes) - begin, 8);
  return static_cast<std::uint8_t>((0xffu >> (8 - last)) & (0xffu << first));
}

std::byte* cell_begin(std::byte* address) {
  return address - reinterpret_cast<std::uintptr_t>(address) % 8;
}

}  // namespace

bool race_checker::is_private(std::byte const* address) const {
  return within(address, running_->name->stack) || within(address, arguments_) ||
         within(address, indices_);
}

void race_checker::enter_function(void const* return_address) {
  deaf const scope;
  running_->path = paths_.enter(running_->path, return_address);
}

void race_checker::leave_function() { running_->path = paths_.leave(running_->path); }

/// The site of an access that may concern other threads of the kernel.
std::optional<site_id> race_checker::own_site(std::byte const* address, void const* from) {
  if (is_private(address)) return std::nullopt;
  site_id const site = paths_.access(running_->path, from);
  return paths_.is_foreign(site) ? std::nullopt : std::optional(site);
}

void race_checker::plain_access(void const* address, std::size_t bytes, access_kind kind,
                                void const* from) {
  deaf const scope;
  auto* const place = static_cast<std::byte*>(const_cast<void*>(address));
  auto const site = own_site(place, from);
  if (!site) return;
  preemption_point();
  deaf const again;  // other threads have run, and were heard
  hear({place, bytes, kind, kind == access_kind::read, *site});
}

/// In pieces as large as a GPU's accesses can be.
void race_checker::plain_range(void const* address, std::size_t bytes, access_kind kind,
                               void const* from) {
  deaf const scope;
  auto* place = static_cast<std::byte*>(const_cast<void*>(address));
  if (bytes == 0) return;
  auto const site = own_site(place, from);
  if (!site) return;
  preemption_point();
  deaf const again;
  while (bytes > 0) {
    std::size_t piece = 16;
    while (piece > bytes || reinterpret_cast<std::uintptr_t>(place) % piece != 0) piece /= 2;
    hear({place, piece, kind, kind == access_kind::read, *site});
    place += piece;
    bytes -= piece;
  }
}

void race_checker::atomic_access(void const* address, std::size_t bytes, access_kind kind,
                                 bool reads, void const* from) {
  auto* const place = static_cast<std::byte*>(const_cast<void*>(address));
  if (auto const site = own_site(place, from)) hear({place, bytes, kind, reads, *site});
}

/// In the block's own shared memory, or in that of another block of its cluster.
shared_place race_checker::find_shared(checked_block& block, std::byte const* address) const {
  auto const in = [address](checked_block& owner) -> shared_place {
    for (std::size_t i = 0; i < owner.shared.size(); ++i) {
      if (within(address, owner.shared[i].range)) return {&owner, i};
    }
    return {};
  };
  shared_place place = in(block);
  for (std::size_t b = 0; cluster_ && place.block == nullptr && b < blocks_.size(); ++b) {
    if (blocks_[b] != nullptr) place = in(*blocks_[b]);
  }
  return place;
}

/// The cell of an address in `place`; if that is empty, in global memory.
cell& race_checker::cell_in(shared_place const& place, std::byte* address) {
  if (place.block == nullptr) return global_.at(reinterpret_cast<std::uintptr_t>(address));
  shared_area& area = place.block->shared[place.area];
  return area.cells[static_cast<std::size_t>(address - area.range.begin) / 8];
}

void race_checker::hear(access const& what) {
  checked_thread& me = *running_;
  checked_block& block = *me.block;
  shared_place const place = find_shared(block, what.address);
  bool const shared = place.block != nullptr;
  if (how_->count != nullptr) {
    counter_.add(
        block.warps[me.id.rank() / 32].accesses, me.lane,
        {paths_.representative(what.site), writes(what.kind), shared,
         static_cast<std::uint8_t>(what.bytes), reinterpret_cast<std::uintptr_t>(what.address)});
  }
  auto const sees = [&](access_record const& r) { return me.sees(r, oldest()); };
  std::byte* const end = what.address + what.bytes;
  if (shared) {
    memory_range const& range = place.block->shared[place.area].range;
    if (end > range.begin + range.size) {
      report_out_of_bounds(what, me.id, range.begin + range.size);
      return;
    }
  }
  for (std::byte* begin = cell_begin(what.address); begin < end; begin += 8) {
    cell& here = cell_in(place, begin);
    access_record const now{me.id, me.now, what.site, byte_mask(begin, what.address, what.bytes),
                            what.kind};
    if ((here.forbidden & now.bytes) != 0) {
      int const byte = std::countr_zero(static_cast<unsigned>(here.forbidden & now.bytes));
      report_out_of_bounds(what, me.id, begin + byte);
    }
    // Structures are read with their padding, so one initialized byte is enough.
    if (shared && what.reads && (here.written & now.bytes) == 0) {
      report_uninitialized(what, me.id, block);
    }
    while (access_record const* const before = here.race_with(now, sees)) {
      access_record const former = *before;
      report_race(what, me.id, block, former);
      here.forget(former.site);
    }
    if (paths_.is_foreign(what.site)) return;
    here.remember(now, sees, crowds_);
    if (writes(what.kind)) here.written |= now.bytes;
  }
}

void race_checker::bulk_copy(thread_name& issuer, memory_range target, memory_range source,
                             std::uint64_t issued, std::uint64_t landed, call_site site) {
  deaf const scope;
  checked_block& block = *static_cast<checked_thread const*>(issuer.tag)->block;
  // A copy is a thread of its own: it begins with its issue, and its wait joins it.
  if (next_copy_.block() == 0 || next_copy_.rank() + 1 == 1u << thread_id::rank_bits) {
    next_copy_ = thread_id::of(new_serial(), 0);
    block_index_.resize(next_serial_);
    of_copies_.resize(next_serial_);
    of_copies_.back() = true;
  } else {
    next_copy_ = thread_id::of(next_copy_.block(), next_copy_.rank() + 1);
  }
  copies_[next_copy_.value] = {issuer, site};
  checked_thread engine;
  engine.name = &issuer;
  engine.id = next_copy_;
  engine.learn(keys_[issued]);
  keys_.erase(issued);
  site_id const place = paths_.bulk_copy(site);
  hear_copy({source.begin, source.size, access_kind::read, true, place}, engine, block);
  hear_copy({target.begin, target.size, access_kind::write, false, place}, engine, block);
  if (how_->count != nullptr) {
    counter_.add_copy(place, reinterpret_cast<std::uintptr_t>(source.begin), source.size);
  }
  knowledge& at = keys_[landed];
  at = join(at, snapshot(engine));
}

/// Whether a bulk copy may rely on `before`, which conflicts with it and is ordered before it,
/// being complete. Another copy is complete; threads use another proxy. Kernels' proxy fence covers
/// shared memory only.
bool race_checker::reaches_copies(access_record const& before, checked_thread const& engine,
                                  bool shared) const {
  if (!writes(before.kind) && !how_->fence_after_reads) return true;
  std::uint32_t const block = before.thread.block();
  return block < oldest() || of_copies_[block] ||
         (shared && engine.proxied != nullptr && engine.proxied->of(before.thread) >= before.when);
}

void race_checker::hear_copy(access const& what, checked_thread const& engine,
                             checked_block& block) {
  auto const sees = [&](access_record const& r) { return engine.sees(r, oldest()); };
  shared_place const place = find_shared(block, what.address);
  for (std::byte* begin = what.address; begin < what.address + what.bytes; begin += 8) {
    cell& here = cell_in(place, begin);
    access_record const now{engine.id, engine.now, what.site, 0xff, what.kind};
    while (access_record const* const before = here.race_with(now, sees)) {
      access_record const former = *before;
      report_race({begin, 8, what.kind, what.reads, what.site}, engine.id, block, former);
      here.forget(former.site);
    }
    auto const reached = [&](access_record const& r) {
      return reaches_copies(r, engine, place.block != nullptr);
    };
    while (access_record const* const before = here.race_with(now, reached)) {
      access_record const former = *before;
      report_race({begin, 8, what.kind, what.reads, what.site}, engine.id, block, former,
                  "no proxy fence lies between the two");
      here.forget(former.site);
    }
    here.remember(now, sees, crowds_);
    if (writes(what.kind)) here.written = 0xff;
  }
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
