// SPDX-License-Identifier: Apache-2.0
// Sends the calls of device_blocks.hpp to their machines.
#include <libscan/host/device_blocks.hpp>

#include <type_traits>

#include <libscan/host/on_queue.hpp>

namespace libscan::inline v1::detail {

namespace {

template <class Body>
void on_typed_machine(device_queue const& queue, block_call const& call, Body const& body) {
  libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T>) {
    detail::on_machine_of(queue.on, call.items, [&]<class Machine>(Machine machine) {
      body(device_blocks_of<Machine, T>(), machine);
    });
  });
}

}  // namespace

void enqueue_block_sums(device_queue const& queue, block_call const& call) {
  on_typed_machine(queue, call, [&](auto blocks, auto machine) {
    blocks.sums(machine, detail::place_of(queue), call);
  });
}

void enqueue_block_scans(device_queue const& queue, block_call const& call) {
  on_typed_machine(queue, call, [&](auto blocks, auto machine) {
    blocks.scans(machine, detail::place_of(queue), call);
  });
}

}  // namespace libscan::inline v1::detail
