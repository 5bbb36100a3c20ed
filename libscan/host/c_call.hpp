// SPDX-License-Identifier: Apache-2.0
// What the implementations of c_api.h share: exceptions become a status, structs those of C++.
// Internal.
#pragma once

#include <cstddef>
#include <iterator>
#include <new>
#include <string>

#include <libscan/c_api.h>
#include <libscan/core/error.hpp>
#include <libscan/core/item_mask.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/kept_by_thread.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_queue.hpp>
#include <libscan/host/input_types.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1::detail {

/// The message of the thread's last call that failed.
inline std::string& last_c_error() { return detail::kept_by_thread<std::string>(); }

/// Runs `call`, and converts what it throws.
template <class Call>
libscan_status c_status_of(Call const& call) {
  try {
    try {
      call();
      return LIBSCAN_OK;
    } catch (invalid_argument const& e) {
      last_c_error() = e.what();
      return LIBSCAN_INVALID_ARGUMENT;
    } catch (engine_unavailable const& e) {
      last_c_error() = e.what();
      return LIBSCAN_ENGINE_UNAVAILABLE;
    } catch (device_error const& e) {
      last_c_error() = e.what();
      return LIBSCAN_DEVICE_ERROR;
    } catch (std::bad_alloc const&) {
      last_c_error() = "out of memory";
      return LIBSCAN_OUT_OF_MEMORY;
    } catch (std::exception const& e) {
      last_c_error() = e.what();
      return LIBSCAN_OTHER_ERROR;
    }
  } catch (...) {  // no memory for the message, or no exception of the standard library
    return LIBSCAN_OTHER_ERROR;
  }
}

/// *pointer. Throws `invalid_argument` if it is null.
template <class T>
T& required(T* pointer, char const* what) {
  if (pointer != nullptr) return *pointer;
  throw invalid_argument(std::string(what) + " is NULL; expected a pointer");
}

/// The queue in C++.
inline device_queue c_queue(libscan_queue const* where) {
  libscan_queue const& queue = detail::required(where, "queue");
  if (queue.machine != LIBSCAN_CUDA && queue.machine != LIBSCAN_EXECUTOR) {
    throw invalid_argument("machine " + std::to_string(queue.machine) + ": there is none");
  }
  return {queue.machine == LIBSCAN_CUDA ? engine::cuda(queue.device) : engine::executor(queue.seed),
          queue.stream,
          {queue.allocate, queue.deallocate, queue.context},
          queue.workspace,
          queue.workspace_bytes};
}

/// The type of items in C++. Throws `invalid_argument` if there is none.
inline item_type c_type(libscan_type type) {
  if (static_cast<unsigned>(type) < std::size(all_item_types)) return static_cast<item_type>(type);
  if (type == LIBSCAN_C64 || type == LIBSCAN_C128) {
    throw invalid_argument(
        "complex numbers: expected a scan or a reduction by LIBSCAN_PLUS, or differences; no other "
        "call takes them");
  }
  if (type == LIBSCAN_F16 || type == LIBSCAN_BF16) {
    throw invalid_argument(
        "16-bit floats: expected a scan or sum that ends in _as, libscan_adjacent_difference, a "
        "filter, runs, keys, or samples");
  }
  throw invalid_argument("item_type " + std::to_string(static_cast<int>(type)) +
                         ": no such type of items");
}
inline item_type c_type(libscan_items const& items) { return detail::c_type(items.type); }

/// The type of items or keys that are read. Throws `invalid_argument` if there is none.
inline input_type c_input_type(libscan_type type) {
  if (type == LIBSCAN_F16) return input_type::f16;
  if (type == LIBSCAN_BF16) return input_type::bf16;
  return detail::as_input(detail::c_type(type));
}

/// The segments of n items in C++; none if `segments` is null. Throws `invalid_argument` for what
/// is no description.
segmentation c_segments(libscan_segments const* segments, index_t n);

/// The mask of a rule for n items. Throws `invalid_argument` unless it has flags or bits.
inline item_mask c_mask(libscan_rule const& rule, index_t n) {
  if (rule.expression != nullptr || (rule.flags == nullptr) == (rule.bits == nullptr)) {
    throw invalid_argument("libscan_rule: expected one of flags and bits");
  }
  auto const size = static_cast<std::size_t>(n < 0 ? 0 : n);
  if (rule.flags != nullptr) return item_mask::of_flags({rule.flags, size});
  return item_mask::of_bits({rule.bits, ceil_div(size, std::size_t{32})},
                            static_cast<index_t>(size));
}

}  // namespace libscan::inline v1::detail
