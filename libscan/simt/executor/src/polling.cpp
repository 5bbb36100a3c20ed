// SPDX-License-Identifier: Apache-2.0
// Spinning threads sleep: one that reads the same value twice from an address waits until somebody
// stores there. So spin loops cost nothing, and "no thread can go on" is a fact, not a timeout.
#include <algorithm>
#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor {

namespace {

// FNV-1a: values wider than a word are told apart by a hash; a collision only costs a needless
// sleep, from which idle rounds wake the thread.
std::uint64_t digest(void const* value, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<unsigned char const volatile*>(value)[i]) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

void before_atomic() {
  if (running_grid != nullptr && running_grid->seeded() && running_grid->random().below(4) == 0) {
    running_grid->yield();
  }
}

bool polled(void const* address, void const* value, std::size_t size, call_site site) {
  if (running_grid == nullptr) return false;
  thread_state& me = running_grid->self();
  std::uint64_t const now = digest(value, size);
  if (me.read_address != address || me.read_value != now) {
    me.read_address = address;
    me.read_value = now;
    return false;
  }
  me.read_address = nullptr;
  running_grid->sleep_until_stored(address, site);
  return true;
}

void stored(void const* address) {
  if (running_grid == nullptr) return;
  running_grid->progress();
  running_grid->wake_pollers(address);
}

void grid_run::sleep_until_stored(void const* address, call_site site) {
  self().wait = {};
  self().wait.what = call::atomic_load;
  self().wait.site = site;
  self().wait.address = address;
  pollers_.push_back(&self());
  suspend();
}

void grid_run::wake_pollers(void const* address) {
  auto const kept = std::partition(pollers_.begin(), pollers_.end(), [&](thread_state* sleeper) {
    return sleeper->wait.address != address;
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
