// SPDX-License-Identifier: Apache-2.0
// Sends the calls of device_memory.hpp to their machines.
#include <libscan/host/device_memory.hpp>

#include <exception>

#include <libscan/host/on_queue.hpp>

namespace libscan::inline v1::detail {

namespace {

/// body(memory, machine) for the machine of an engine; memory is its `machine_memory`.
template <class Result = void, class Body>
Result on_memory_of(engine const& on, Body const& body) {
  return detail::on_machine_of<Result>(on, 0, [&]<class Machine>(Machine machine) {
    return body(machine_memory<Machine>(), machine);
  });
}

}  // namespace

void* allocate(device_queue const& queue, std::size_t bytes) {
  return on_memory_of<void*>(queue.on, [&](auto memory, auto machine) {
    return memory.allocate(machine, detail::place_of(queue), bytes);
  });
}

void deallocate(device_queue const& queue, void* at, std::size_t bytes) noexcept {
  try {
    on_memory_of(queue.on, [&](auto memory, auto machine) {
      memory.deallocate(machine, detail::place_of(queue), at, bytes);
    });
  } catch (std::exception const&) {
    // The device is lost or the program is ending: there is nothing left to free.
  }
}

void copy(device_queue const& queue, void* to, void const* from, std::size_t bytes) {
  on_memory_of(queue.on, [&](auto memory, auto machine) {
    memory.copy(machine, detail::place_of(queue), to, from, bytes);
  });
}

void copy_parts(device_queue const& queue, complex_parts const& all) {
  on_memory_of(queue.on, [&](auto memory, auto machine) {
    memory.copy_parts(machine, detail::place_of(queue), all);
  });
}

void gather_values(device_queue const& queue, moved_values const& all) {
  on_memory_of(queue.on, [&](auto memory, auto machine) {
    memory.gather_values(machine, detail::place_of(queue), all);
  });
}

void synchronize(device_queue const& queue) {
  on_memory_of(queue.on, [&](auto memory, auto machine) {
    memory.synchronize(machine, detail::place_of(queue));
  });
}

void follow(device_queue const& queue, void* stream) {
  on_memory_of(queue.on, [&](auto memory, auto machine) {
    memory.follow(machine, detail::place_of(queue), stream);
  });
}

void* open_stream(engine const& on) {
  return on_memory_of<void*>(on,
                             [](auto memory, auto machine) { return memory.open_stream(machine); });
}

void close_stream(engine const& on, void* stream) noexcept {
  try {
    on_memory_of(on, [&](auto memory, auto machine) { memory.close_stream(machine, stream); });
  } catch (std::exception const&) {
    // As above.
  }
}

void select(engine const& on) {
  on_memory_of(on, [](auto memory, auto machine) { memory.select(machine); });
}

bool link(engine const& on, engine const& peer) {
  return on_memory_of<bool>(
      on, [&]<class Machine>(machine_memory<Machine> memory, Machine machine) {
        return on_memory_of<bool>(peer, [&]<class Peer>(machine_memory<Peer>, Peer other) {
          if constexpr (std::is_same_v<Machine, Peer>) {
            return memory.link(machine, other);
          } else {
            return false;
          }
        });
      });
}

}  // namespace libscan::inline v1::detail
