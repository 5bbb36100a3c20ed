// SPDX-License-Identifier: Apache-2.0
// Spinning threads sleep: a thread that reads the same value twice from an address waits until
// another thread stores there. So spin loops cost nothing, and "no thread can go on" is a fact, not
// a timeout.
#include <algorithm>
#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor {

namespace {

using word32 [[gnu::may_alias]] = std::uint32_t;
using word64 [[gnu::may_alias]] = std::uint64_t;

// A loop may poll several values in turn, up to the size of `recent`. This many loads in a row
// without a new value are a poll.
constexpr unsigned max_vain_loads = 16;

// FNV-1a: values wider than a word are compared by a hash. A collision only costs a needless sleep,
// from which idle rounds wake the thread.
std::uint64_t digest(void const* value, std::size_t size) {
  if (size == 4) return *static_cast<word32 const volatile*>(value);
  if (size == 8) return *static_cast<word64 const volatile*>(value);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<unsigned char const volatile*>(value)[i]) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

void before_atomic() {
  if (running_grid == nullptr) return;
  running_grid->step();
  if (running_grid->seeded() && running_grid->random().below(4) == 0) running_grid->yield();
}

bool polled(void const* address, void const* value, std::size_t size, call_site site) {
  if (running_grid == nullptr) return false;
  thread_state& me = running_grid->self();
  std::uint64_t const now = digest(value, size);
  unsigned const known = std::min<unsigned>(me.loads_noted, std::size(me.recent));
  unsigned slot = 0;
  while (slot < known && (me.recent[slot].address != address || me.recent[slot].value != now)) {
    ++slot;
  }
  bool const again = slot < known && slot == me.last_noted;
  if (!again) {
    me.vain_loads = slot < known ? me.vain_loads + 1 : 0;
    if (slot == known) {
      slot = me.loads_noted++ % std::size(me.recent);
      me.recent[slot].address = address;
      me.recent[slot].value = now;
    }
    me.last_noted = slot;
    if (me.vain_loads < max_vain_loads) return false;
  }
  me.loads_noted = 0;
  me.vain_loads = 0;
  running_grid->sleep_until_stored(again ? address : nullptr, site);
  return true;
}

void stored(void const* address) {
  if (running_grid == nullptr) return;
  running_grid->progress();
  running_grid->self().loads_noted = 0;  // a loop that changes something is not a poll
  running_grid->wake_pollers(address);
  before_atomic();  // others may see it before this thread does anything else
}

void grid_run::sleep_until_stored(void const* address, call_site site) {
  self().wait.what = call::atomic_load;
  self().wait.site = site;
  self().wait.address = address;
  pollers_.push_back(&self());
  suspend();
}

void grid_run::wake_pollers(void const* address) {
  if (pollers_.empty()) return;
  auto const kept = std::partition(pollers_.begin(), pollers_.end(), [&](thread_state* sleeper) {
    return sleeper->wait.address != address && sleeper->wait.address != nullptr;
  });
  std::for_each(kept, pollers_.end(), [&](thread_state* sleeper) { wake(*sleeper); });
  pollers_.erase(kept, pollers_.end());
}

void fence() {
  if (running_grid == nullptr) return;
  if (running_grid->watcher() != nullptr) running_grid->watcher()->fence(running_grid->self().name);
  before_atomic();
}

}  // namespace libscan::inline v1_executor::simt::executor
