// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <deque>
#include <libscan/simt/executor/src/fiber.hpp>
#include <libscan/simt/executor/src/memory_map.hpp>
#include <map>
#include <mutex>
#include <new>
#include <vector>

namespace libscan::inline v1_executor::simt::executor {

namespace {

using address = std::uintptr_t;

#if defined(LIBSCAN_ASAN) || defined(LIBSCAN_TSAN_EXECUTOR)
// These sanitizers have red zones of their own and track freed memory.
constexpr std::size_t front_red_zone = 0;
constexpr std::size_t back_red_zone = 0;
constexpr std::size_t max_freed_bytes = 0;
#else
constexpr std::size_t front_red_zone = 1024;
constexpr std::size_t back_red_zone = 4096;
// Freed memory is kept this long, so that kernels that still use it are found.
constexpr std::size_t max_freed_bytes = std::size_t{4} << 20;
#endif

struct allocation {
  address begin = 0;       ///< with its red zone
  address body_begin = 0;  ///< what the caller requested
  address body_end = 0;
  address end = 0;
  std::size_t alignment = 0;
  memory_kind kind = memory_kind::device;
  bool freed = false;
  std::map<address, address> forbidden;  ///< ranges by begin; none overlap

  std::size_t bytes() const { return body_end - body_begin; }
};

/// The bytes between two forbidden ranges, or between one and an end of the allocation.
struct buffer {
  address begin = 0;
  address end = 0;
};

class memory_map {
 public:
  using allocations = std::map<address, allocation>;

  std::byte* add(std::size_t bytes, std::size_t alignment, memory_kind kind) {
    std::size_t const front = (front_red_zone + alignment - 1) / alignment * alignment;
    void* const memory =
        ::operator new (front + bytes + back_red_zone, std::align_val_t{alignment});
    allocation next;
    next.begin = reinterpret_cast<address>(memory);
    next.body_begin = next.begin + front;
    next.body_end = next.body_begin + bytes;
    next.end = next.body_end + back_red_zone;
    next.alignment = alignment;
    next.kind = kind;
    std::lock_guard const lock(mutex_);
    address const body = next.body_begin;
    try {
      by_body_.insert_or_assign(body, std::move(next));
    } catch (...) {
      ::operator delete (memory, std::align_val_t{alignment});
      throw;
    }
    return static_cast<std::byte*>(memory) + front;
  }

  /// Takes no memory: there may be none.
  void remove(void* memory) noexcept {
    if (memory == nullptr) return;
    allocations released;
    {
      std::lock_guard const lock(mutex_);
      auto const found = by_body_.find(reinterpret_cast<address>(memory));
      if (found == by_body_.end()) return;
      allocation& gone = found->second;
      gone.forbidden.clear();
      if (gone.kind != memory_kind::device || gone.bytes() > max_freed_bytes ||
          max_freed_bytes == 0 || !try_list(found->first)) {
        released.insert(by_body_.extract(found));
      } else {
        gone.freed = true;
        freed_bytes_ += gone.end - gone.begin;
        while (freed_bytes_ > max_freed_bytes) {
          auto const oldest = by_body_.find(freed_.front());
          freed_.pop_front();
          freed_bytes_ -= oldest->second.end - oldest->second.begin;
          released.insert(by_body_.extract(oldest));
        }
      }
    }
    for (auto const& [body, gone] : released) {
      ::operator delete (reinterpret_cast<void*>(gone.begin), std::align_val_t{gone.alignment});
    }
  }

  void forbid(address begin, std::size_t bytes) {
    std::lock_guard const lock(mutex_);
    allocation* const home = containing(begin);
    if (home != nullptr) home->forbidden[begin] = begin + bytes;
  }

  void allow(address begin) {
    std::lock_guard const lock(mutex_);
    allocation* const home = containing(begin);
    if (home != nullptr) home->forbidden.erase(begin);
  }

  /// Calls visit(begin, end) for the forbidden parts of [begin, end).
  template <class Visit>
  void each_forbidden(address begin, address end, Visit const& visit) {
    auto const part = [&](address first, address last) {
      first = std::max(first, begin);
      last = std::min(last, end);
      if (first < last) visit(first, last);
    };
    std::lock_guard const lock(mutex_);
    for (auto next = first_near(begin); next != by_body_.end() && next->second.begin < end;
         ++next) {
      allocation const& one = next->second;
      if (one.freed || one.kind != memory_kind::device) {
        part(one.begin, one.end);
        continue;
      }
      part(one.begin, one.body_begin);
      for (auto const& [from, to] : one.forbidden) part(from, to);
      part(one.body_end, one.end);
    }
  }

  /// Whether [begin, end) is partly inside and partly outside an allocation. (Without red zones its
  /// neighbors belong to no allocation.)
  address first_outside(address begin, address end) {
    std::lock_guard const lock(mutex_);
    auto const next = first_near(begin);
    if (next == by_body_.end()) return end;
    allocation const& one = next->second;
    if (begin < one.body_end && end > one.body_end) return one.body_end;
    if (begin < one.body_begin && end > one.body_begin) return begin;
    return end;
  }

  std::string describe(address where) {
    std::lock_guard const lock(mutex_);
    allocation const* const home = nearest(where);
    if (home == nullptr) return "outside all buffers";
    if (home->freed && where >= home->body_begin && where < home->body_end) {
      return std::to_string(where - home->body_begin) + " bytes into a freed buffer of " +
             std::to_string(home->bytes()) + " bytes";
    }
    if (home->kind != memory_kind::device && where >= home->body_begin && where < home->body_end) {
      return std::to_string(where - home->body_begin) + " bytes into " + text_of(*home) + " of " +
             std::to_string(home->bytes()) + " bytes of another block";
    }
    buffer const near = nearest_buffer(*home, where);
    std::string const of =
        text_of(*home) + " of " + std::to_string(near.end - near.begin) + " bytes";
    return where < near.begin
               ? std::to_string(near.begin - where) + " bytes before the beginning of " + of
               : std::to_string(where - near.end) + " bytes past the end of " + of;
  }

 private:
  /// Adds a buffer to those freed, if there is memory for it.
  bool try_list(address body) try {
    freed_.push_back(body);
    return true;
  } catch (std::bad_alloc const&) {
    return false;
  }

  /// The first allocation that may reach beyond `where`.
  allocations::iterator first_near(address where) {
    auto next = by_body_.upper_bound(where);
    while (next != by_body_.begin() && std::prev(next)->second.end > where) --next;
    return next;
  }

  allocation* containing(address where) {
    auto const next = by_body_.upper_bound(where);
    if (next == by_body_.begin()) return nullptr;
    allocation& one = std::prev(next)->second;
    return where <= one.body_end ? &one : nullptr;
  }

  allocation const* nearest(address where) const {
    auto const after = by_body_.upper_bound(where);
    allocation const* best = nullptr;
    address distance = 0;
    auto const consider = [&](allocation const& one) {
      address const away = where < one.body_begin ? one.body_begin - where
                           : where < one.body_end ? 0
                                                  : where - one.body_end;
      if (best == nullptr || away < distance) best = &one, distance = away;
    };
    if (after != by_body_.begin()) consider(std::prev(after)->second);
    if (after != by_body_.end()) consider(after->second);
    return best;
  }

  static std::string text_of(allocation const& one) {
    if (one.kind == memory_kind::static_shared) return "the static shared memory";
    if (one.kind == memory_kind::dynamic_shared) return "the dynamic shared memory";
    return one.freed ? "a freed buffer" : "a buffer";
  }

  static buffer nearest_buffer(allocation const& home, address where) {
    std::vector<buffer> buffers;
    address from = home.body_begin;
    bool between = false;  // an empty buffer counts if it is between two forbidden ranges
    for (auto const& [begin, end] : home.forbidden) {
      if (begin > from || between) buffers.push_back({from, begin});
      from = end;
      between = true;
    }
    if (from < home.body_end || buffers.empty()) buffers.push_back({from, home.body_end});
    auto const away = [&](buffer const& one) {
      return where < one.begin ? one.begin - where : where < one.end ? 0 : where - one.end;
    };
    return *std::min_element(buffers.begin(), buffers.end(),
                             [&](buffer const& a, buffer const& b) { return away(a) < away(b); });
  }

  std::mutex mutex_;
  allocations by_body_;  // by body_begin; no two overlap
  std::deque<address> freed_;
  std::size_t freed_bytes_ = 0;
};

/// Never destroyed: static objects may free device memory when the program ends.
memory_map& known_memory() {
  static memory_map& known = *new memory_map;
  return known;
}

// Made before there are threads. ThreadSanitizer cannot see how they would wait for the one that
// makes it, since it does not instrument the executor.
[[maybe_unused]] memory_map const& made_at_start = known_memory();

address number(void const* pointer) { return reinterpret_cast<address>(pointer); }

}  // namespace

std::byte* take_memory(std::size_t bytes, std::size_t alignment, memory_kind kind) {
  return known_memory().add(bytes, alignment, kind);
}

void give_memory(std::byte* memory) { known_memory().remove(memory); }

void* allocate(std::size_t bytes) { return take_memory(bytes, 256, memory_kind::device); }

void deallocate(void* memory) { known_memory().remove(memory); }

void forbid(void const* begin, std::size_t bytes) {
  if (bytes == 0) return;
  known_memory().forbid(number(begin), bytes);
#ifdef LIBSCAN_ASAN
  ASAN_POISON_MEMORY_REGION(begin, bytes);
#endif
}

void allow(void const* begin, std::size_t bytes) {
  if (bytes == 0) return;
  known_memory().allow(number(begin));
#ifdef LIBSCAN_ASAN
  ASAN_UNPOISON_MEMORY_REGION(begin, bytes);
#endif
}

void each_forbidden(memory_range where, std::function<void(memory_range)> const& visit) {
  address const begin = number(where.begin);
  known_memory().each_forbidden(begin, begin + where.size, [&](address from, address to) {
    visit({where.begin + (from - begin), to - from});
  });
}

memory_range with_red_zones(memory_range body) {
  return {body.begin - front_red_zone, front_red_zone + body.size + back_red_zone};
}

std::byte const* first_forbidden(void const* begin, std::size_t bytes) {
  address const from = number(begin);
  address first = known_memory().first_outside(from, from + bytes);
  known_memory().each_forbidden(from, from + bytes,
                                [&](address bad, address) { first = std::min(first, bad); });
  return first < from + bytes ? static_cast<std::byte const*>(begin) + (first - from) : nullptr;
}

std::string describe_place(void const* where) { return known_memory().describe(number(where)); }

}  // namespace libscan::inline v1_executor::simt::executor
