// SPDX-License-Identifier: Apache-2.0
// Shadow memory: for every 8 bytes of a kernel's memory, the accesses that a later one may race
// with. After a write that is only the write; otherwise it is the last write and the reads that
// nothing has ordered since.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include <libscan/simt/executor/observer.hpp>
#include <libscan/simt/executor/racecheck/call_paths.hpp>
#include <libscan/simt/executor/racecheck/clock.hpp>

namespace libscan::inline v1_executor::simt::executor::racecheck {

enum class access_kind : std::uint8_t { read, write, atomic_read, atomic_write };

constexpr bool writes(access_kind kind) {
  return kind == access_kind::write || kind == access_kind::atomic_write;
}
constexpr bool is_atomic(access_kind kind) { return kind >= access_kind::atomic_read; }

/// Whether two accesses of these kinds race if nothing orders them.
constexpr bool conflict(access_kind a, access_kind b) {
  return !(is_atomic(a) && is_atomic(b)) && (writes(a) || writes(b));
}

/// Whether every access that races with one of kind `before` also races with a later one of kind
/// `now` that is ordered after it: then the former may be forgotten.
constexpr bool supersedes(access_kind now, access_kind before) {
  switch (now) {
    case access_kind::write:
      return true;
    case access_kind::read:
      return !writes(before);
    case access_kind::atomic_write:
      return is_atomic(before);
    default:
      return before == access_kind::atomic_read;
  }
}

/// One access of some of the 8 bytes of a cell.
struct access_record {
  thread_id thread;
  moment when = 0;
  site_id site = 0;
  std::uint8_t bytes = 0;  ///< bit i: byte i
  access_kind kind = access_kind::read;
};

/// Holds the accesses of a cell that many threads have read. Each thread has one slot, which it may
/// have to share with others. Of 64 consecutive threads, all are remembered.
class crowd {
 public:
  static constexpr unsigned slot_count = 64;

  void clear() {
    taken_ = 0;
    kinds_ = 0;
  }

  void put(access_record const& now) {
    unsigned slot = (now.thread.rank() + 31 * now.thread.block()) % slot_count;
    // Plain writes are never dropped; there are at most 8, one for each byte.
    while (is_taken(slot) && record_[slot].kind == access_kind::write)
      slot = (slot + 1) % slot_count;
    record_[slot] = now;
    taken_ |= std::uint64_t{1} << slot;
    kinds_ |= bit_of(now.kind);
  }

  /// Whether it may hold an access that conflicts with one of this kind.
  bool concerns(access_kind kind) const {
    unsigned conflicting = 0;
    for (auto const other : {access_kind::read, access_kind::write, access_kind::atomic_read,
                             access_kind::atomic_write}) {
      if (conflict(kind, other)) conflicting |= bit_of(other);
    }
    return (kinds_ & conflicting) != 0;
  }

  template <class Predicate>
  access_record const* find(Predicate const& wanted) const {
    for (std::uint64_t rest = taken_; rest != 0; rest &= rest - 1) {
      access_record const& next = record_[static_cast<std::size_t>(std::countr_zero(rest))];
      if (wanted(next)) return &next;
    }
    return nullptr;
  }

  /// Drops the records for which `gone` returns true; `gone` may change records.
  template <class Predicate>
  void remove_if(Predicate const& gone) {
    for (std::uint64_t rest = taken_; rest != 0; rest &= rest - 1) {
      if (gone(record_[static_cast<std::size_t>(std::countr_zero(rest))])) {
        taken_ &= ~(rest & -rest);
      }
    }
    if (taken_ == 0) kinds_ = 0;
  }

 private:
  static unsigned bit_of(access_kind kind) { return 1u << static_cast<unsigned>(kind); }
  bool is_taken(unsigned slot) const { return (taken_ >> slot & 1u) != 0; }

  std::uint64_t taken_ = 0;
  unsigned kinds_ = 0;  ///< a bit for each kind that may be there
  std::array<access_record, slot_count> record_;
};

/// Lends crowds until the end of a launch.
class crowd_pool {
 public:
  crowd* take() {
    if (used_ == crowds_.size()) crowds_.emplace_back();
    crowd& next = crowds_[used_++];
    next.clear();
    return &next;
  }
  void take_all_back() { used_ = 0; }

 private:
  std::deque<crowd> crowds_;
  std::size_t used_ = 0;
};

/// The remembered accesses of 8 bytes. `sees(record)` returns whether the thread that accesses them
/// now comes after that record.
class cell {
 public:
  std::uint8_t written = 0;    ///< bytes that any thread has written (kept for shared memory)
  std::uint8_t forbidden = 0;  ///< bytes out of bounds (kept for global memory)

  /// A remembered access that `now` races with, or nullptr.
  template <class Sees>
  access_record const* race_with(access_record const& now, Sees const& sees) const {
    auto const races = [&](access_record const& before) {
      return (before.bytes & now.bytes) != 0 && conflict(before.kind, now.kind) && !sees(before);
    };
    for (unsigned i = 0; i < count_; ++i) {
      if (races(few_[i])) return &few_[i];
    }
    return crowd_ != nullptr && crowd_->concerns(now.kind) ? crowd_->find(races) : nullptr;
  }

  /// Remembers `now`, which races with nothing.
  template <class Sees>
  void remember(access_record const& now, Sees const& sees, crowd_pool& pool) {
    if (now.kind == access_kind::write) {
      remove_if([&](access_record& r) {
        r.bytes &= static_cast<std::uint8_t>(~now.bytes);
        return r.bytes == 0;
      });
    } else if (renew(now)) {
      return;
    }
    if (count_ == few_.size()) {
      remove_few_if([&](access_record const& r) {
        return (r.bytes & ~now.bytes) == 0 && supersedes(now.kind, r.kind) && sees(r);
      });
    }
    if (count_ < few_.size()) {
      few_[count_++] = now;
      return;
    }
    if (crowd_ == nullptr) crowd_ = pool.take();
    crowd_->put(now);
  }

  /// Forgets `dropped`, which turned out not to belong to the kernel.
  void forget(site_id dropped) {
    remove_if([&](access_record const& r) { return r.site == dropped; });
  }

 private:
  template <class Predicate>
  void remove_few_if(Predicate const& gone) {
    for (unsigned i = count_; i-- > 0;) {
      if (gone(few_[i])) few_[i] = few_[--count_];
    }
  }

  template <class Predicate>
  void remove_if(Predicate const& gone) {
    remove_few_if(gone);
    if (crowd_ != nullptr) crowd_->remove_if(gone);
  }

  /// The same thread has made the same access before: only time and place change.
  bool renew(access_record const& now) {
    for (unsigned i = 0; i < count_; ++i) {
      access_record& before = few_[i];
      if (before.thread == now.thread && before.kind == now.kind &&
          (before.bytes & ~now.bytes) == 0) {
        before = now;
        return true;
      }
    }
    return false;
  }

  std::uint8_t count_ = 0;
  std::array<access_record, 3> few_;
  crowd* crowd_ = nullptr;
};

/// The cells of global memory, made when first touched.
class global_shadow {
 public:
  cell& at(std::uintptr_t address) {
    std::uintptr_t const number = address / page_bytes;
    cached& known = cache_[number % cache_.size()];
    if (known.cells == nullptr || known.number != number) known = {number, page(number)};
    return (*known.cells)[address % page_bytes / 8];
  }

  /// Looks up again which bytes of `range` are out of bounds, after an allocation of shared memory.
  void renew_bounds(memory_range range);

  /// Forgets all accesses, but keeps the memory.
  void clear();

 private:
  static constexpr std::size_t page_bytes = 4096;
  using page_cells = std::array<cell, page_bytes / 8>;
  struct cached {
    std::uintptr_t number = 0;
    page_cells* cells = nullptr;
  };

  page_cells* page(std::uintptr_t number);
  static void mark_bounds(std::uintptr_t number, page_cells& cells);

  std::array<cached, 256> cache_{};
  std::unordered_map<std::uintptr_t, std::unique_ptr<page_cells>> pages_;
  std::vector<std::unique_ptr<page_cells>> spare_;
};

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
