// SPDX-License-Identifier: Apache-2.0
// Runs a `piece_plan`: threads copy host memory into device memory and back, unit by unit, while
// kernels work on the pieces that are there. Plain C++ over a Runtime, which is CUDA, the executor
// or a test's. Internal.
//
// A *piece* of the items has a *place* in device memory, for its inputs and outputs. One thread
// copies a *unit* of a piece at a time, through a *block* of pinned memory. A *lane* has
// blocks for a thread, and streams; the streams of one lane serve all threads.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/piece_plan.hpp>

namespace libscan::inline v1::detail {

/// Stretches of one piece that one thread copies at once, at most a block of memory.
struct copy_unit {
  index_t piece;
  bool is_input;
  std::vector<host_part> parts;
};

/// The stretches of a piece, in units.
class unit_list {
 public:
  /// Forgets its stretches, and takes those that add(parts) adds.
  template <class Add>
  void list(Add const& add) {
    parts_.clear();
    next_ = 0;
    add(parts_);
    std::erase_if(parts_, [](host_part const& part) { return part.bytes == 0; });
  }

  bool empty() const { return next_ == parts_.size(); }

  /// The next unit's stretches, of up to `max_bytes`. A longer stretch is cut, but not one that
  /// `fill` makes.
  std::vector<host_part> take(std::size_t max_bytes) {
    std::vector<host_part> taken;
    std::size_t bytes_left = max_bytes;
    while (next_ < parts_.size()) {
      host_part& part = parts_[next_];
      if (part.host == nullptr && part.bytes > max_bytes) {
        throw std::logic_error("an input of " + std::to_string(part.bytes) +
                               " bytes that `fill` makes is longer than a unit of " +
                               std::to_string(max_bytes) + " bytes");
      }
      std::size_t const size = std::min(part.bytes, bytes_left);
      if (size < part.bytes && (part.host == nullptr || size == 0)) break;
      taken.push_back({part.host, size, part.at});
      bytes_left -= std::min(bytes_left, aligned(size));
      if (size < part.bytes) {
        part = {static_cast<std::byte*>(part.host) + size, part.bytes - size, part.at + size};
        break;
      }
      ++next_;
    }
    return taken;
  }

  /// Bytes that a stretch takes in a block.
  static std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

 private:
  std::vector<host_part> parts_;
  std::size_t next_ = 0;
};

/// Memory that copies go through, and the copy that has not ended.
template <class Runtime>
class staging_block {
 public:
  /// Memory of the host that the device copies fastest; if the system refuses it, any.
  std::byte* memory() {
    if (memory_ == nullptr) {
      memory_ = static_cast<std::byte*>(Runtime::pinned_memory(Runtime::block_bytes));
      pinned_ = memory_ != nullptr;
    }
    if (memory_ == nullptr) memory_ = new std::byte[Runtime::block_bytes];
    return memory_;
  }
  bool is_pinned() {
    (void)memory();
    return pinned_;
  }

  /// After the copy, `bytes` of the block go to `host`.
  void copy_later(void* host, std::size_t at, std::size_t bytes) {
    later_.push_back({host, bytes, at});
  }

  /// What the stream holds now must be complete before the block is used again.
  void in_use(typename Runtime::stream const& stream) {
    event_.record(stream);
    used_ = true;
  }
  typename Runtime::event const& event() const { return event_; }

  void finish() {
    if (!std::exchange(used_, false)) return;
    event_.synchronize();
    for (host_part const& part : later_) std::memcpy(part.host, memory_ + part.at, part.bytes);
    later_.clear();
  }

  /// Forgets what was to be copied.
  void drop() {
    later_.clear();
    used_ = false;
  }

 private:
  typename Runtime::event event_;
  std::byte* memory_ = nullptr;
  bool pinned_ = false;
  bool used_ = false;
  std::vector<host_part> later_;
};

/// Blocks that one thread uses in turns, and streams for both ways.
template <class Runtime>
struct copy_lane {
  typename Runtime::stream in, out;
  std::array<staging_block<Runtime>, 4> blocks;
  std::unique_ptr<copy_lane> next;  // of the lanes that no call uses

  void finish() {
    for (auto& block : blocks) block.finish();
  }

  /// Waits for what the device still does, and forgets it.
  void abandon() {
    in.finish();
    out.finish();
    for (auto& block : blocks) block.drop();
  }
};

/// Lanes that no call uses. They stay until the process ends, since pinning memory takes longer
/// than a copy.
template <class Runtime>
class lane_pool {
 public:
  std::unique_ptr<copy_lane<Runtime>> take(int device) {
    {
      std::scoped_lock const lock(mutex_);
      auto const at = static_cast<std::size_t>(device);
      if (free_.size() <= at) free_.resize(at + 1);
      if (free_[at] != nullptr) {
        auto taken = (std::move)(free_[at]);
        free_[at] = (std::move)(taken->next);
        return taken;
      }
    }
    return std::make_unique<copy_lane<Runtime>>();
  }

  /// What `take` gave, for the same device.
  void give_back(int device, std::unique_ptr<copy_lane<Runtime>> used) noexcept {
    std::scoped_lock const lock(mutex_);
    auto& free = free_[static_cast<std::size_t>(device)];
    used->next = (std::move)(free);
    free = (std::move)(used);
  }

  static lane_pool& all() {
    static auto* const pool = new lane_pool;  // CUDA may end before static objects do
    return *pool;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<copy_lane<Runtime>>> free_;  // of each device: the first of a list
};

/// How a plan is run.
struct passage_shape {
  int device = 0;
  int threads = 1;
  int blocks = 2;               ///< of each thread, in turns: at most those of a lane
  int at_once = 4;              ///< pieces in device memory
  std::size_t unit_bytes = 0;   ///< that a thread copies at once; at most a block; 0: a block
  int ahead = 2;                ///< pieces whose copies in begin before a piece's copies out do
  std::byte* memory = nullptr;  ///< of the device, for `at_once` pieces, and then the workspace
};

/// One run of a plan.
template <class Runtime>
class passage {
 public:
  passage(piece_plan const& plan, passage_shape const& shape)
      : plan_(plan),
        shape_(shape),
        places_(static_cast<std::size_t>(shape.at_once)),
        shared_(lane_pool<Runtime>::all().take(shape.device)),
        copies_(lane_pool<Runtime>::all().take(shape.device)),
        kernels_(shared_->in),
        emptied_(shared_->out) {
    if (shape_.unit_bytes == 0) shape_.unit_bytes = Runtime::block_bytes;
    shape_.ahead = std::min(shape.ahead, shape.at_once - 1);  // else no copy out begins
  }

  /// Returns when all is complete. Throws what the plan and the runtime throw; nothing uses the
  /// memory anymore when the passage has been destroyed.
  void run() {
    cpu::run_workers(shape_.threads, [this] { work(); });
    if (error_) std::rethrow_exception(error_);
    host_part const& result = plan_.result;
    if (result.bytes != 0) kernels_.copy(result.host, workspace() + result.at, result.bytes);
    kernels_.synchronize();
  }

  passage(passage const&) = delete;
  ~passage() {
    for (auto* const used : {&shared_, &copies_}) {
      (*used)->abandon();
      lane_pool<Runtime>::all().give_back(shape_.device, (std::move)(*used));
    }
  }

 private:
  using lane = copy_lane<Runtime>;
  using block = staging_block<Runtime>;

  /// Memory of a piece, and how far the piece in it has come.
  struct place {
    bool free = true;
    bool outputs_claimed = false;
    int copies = 0;                   // claimed and not yet in a stream
    typename Runtime::event through;  // the kernels
    typename Runtime::event emptied;  // the copies out
  };

  /// Streams of all threads' copies: those of one direction in several streams take bandwidth from
  /// the other direction.
  typename Runtime::stream& in() { return copies_->in; }
  typename Runtime::stream& out() { return copies_->out; }

  place& place_of(index_t piece) {
    return places_[static_cast<std::size_t>(piece % shape_.at_once)];
  }
  std::byte* memory_of(index_t piece) const {
    return shape_.memory + static_cast<std::size_t>(piece % shape_.at_once) * plan_.device_bytes;
  }
  std::byte* workspace() const {
    return shape_.memory + static_cast<std::size_t>(shape_.at_once) * plan_.device_bytes;
  }
  /// Host memory for a piece's counts; null if it has none.
  index_t* counts_of(index_t piece) {
    if (plan_.counts == 0) return nullptr;
    return reinterpret_cast<index_t*>(shared_->blocks[0].memory()) +
           piece % shape_.at_once * piece_plan::max_counts;
  }

  /// One thread's share.
  void work() {
    try {
      typename Runtime::scope const here(shape_.device);
      auto own = lane_pool<Runtime>::all().take(shape_.device);
      try {
        for (std::size_t turn = 0; auto const unit = claim(); ++turn) {
          block& with = own->blocks[turn % static_cast<std::size_t>(shape_.blocks)];
          with.finish();
          unit->is_input ? copy_in(with, *unit) : copy_out(with, *unit);
        }
        own->finish();
      } catch (...) {
        fail();
        in().finish();
        out().finish();
        own->abandon();
      }
      lane_pool<Runtime>::all().give_back(shape_.device, (std::move)(own));
    } catch (...) {
      fail();
    }
  }

  /// The next unit of copies; none if there is nothing left. Waits only for units that other
  /// threads have claimed.
  std::optional<copy_unit> claim() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (failed_) return {};
      if (next_in_ == plan_.pieces && next_out_ == plan_.pieces) return {};
      bool const in = has_input(), out = has_output();
      std::optional<copy_unit> unit;
      if (out && (!in || last_was_input_)) {
        unit = claim_output(lock);
      } else if (in) {
        unit = claim_input();
      } else {
        changed_.wait(lock);
      }
      if (unit) return unit;
    }
  }

  bool has_input() { return next_in_ < plan_.pieces && (has_inputs_ || place_of(next_in_).free); }
  bool has_output() const {
    if (listing_ || next_out_ == enqueued_) return false;
    return next_in_ == plan_.pieces || next_in_ >= next_out_ + shape_.ahead;
  }

  /// None if the piece reads nothing.
  std::optional<copy_unit> claim_input() {
    place& at = place_of(next_in_);
    if (!has_inputs_) {
      at.free = at.outputs_claimed = false;
      inputs_.list([this](auto& parts) { plan_.inputs(next_in_, parts); });
      has_inputs_ = true;
    }
    std::optional<copy_unit> unit;
    if (!inputs_.empty()) {
      unit = copy_unit{next_in_, true, inputs_.take(shape_.unit_bytes)};
      ++at.copies;
      last_was_input_ = true;
    }
    if (inputs_.empty()) {
      has_inputs_ = false;
      ++next_in_;
      enqueue_ready();
      changed_.notify_all();  // copies out of an earlier piece may begin
    }
    return unit;
  }

  /// None if the piece writes nothing.
  std::optional<copy_unit> claim_output(std::unique_lock<std::mutex>& lock) {
    place& at = place_of(next_out_);
    if (!has_outputs_) {
      listing_ = true;
      if (plan_.counts != 0) {
        lock.unlock();
        at.through.synchronize();
        lock.lock();
        if (failed_) return {};
      }
      outputs_.list([&](auto& parts) { plan_.outputs(next_out_, counts_of(next_out_), parts); });
      has_outputs_ = true;
      listing_ = false;
      changed_.notify_all();
    }
    std::optional<copy_unit> unit;
    if (!outputs_.empty()) {
      unit = copy_unit{next_out_, false, outputs_.take(shape_.unit_bytes)};
      ++at.copies;
      last_was_input_ = false;
    }
    if (outputs_.empty()) {
      at.outputs_claimed = true;
      has_outputs_ = false;
      ++next_out_;
      empty_if_done(at);
    }
    return unit;
  }

  void copy_in(block& with, copy_unit const& unit) {
    auto& stream = in();
    std::byte* const device = memory_of(unit.piece);
    if (unit.piece >= shape_.at_once) stream.wait(place_of(unit.piece).emptied);
    // Stretches that are neighbors on the device are in the block, too, and take one copy.
    std::size_t begin = 0, end = 0, at = 0;  // in the block; of `begin` on the device
    auto const copy_staged = [&] {
      if (begin < end) stream.copy(device + at, with.memory() + begin, end - begin);
    };
    for (host_part const& part : unit.parts) {
      if (!stages(part.host, with)) {
        stream.copy(device + part.at, part.host, part.bytes);
        continue;
      }
      if (part.host == nullptr || part.at != at + (end - begin)) {
        copy_staged();
        begin = end = unit_list::aligned(end);
        at = part.at;
      }
      std::byte* const staged = with.memory() + end;
      end += part.bytes;
      if (part.host != nullptr) {
        std::memcpy(staged, part.host, part.bytes);
      } else {
        plan_.fill(unit.piece, staged);
      }
    }
    copy_staged();
    with.in_use(stream);
    std::scoped_lock const lock(mutex_);
    kernels_.wait(with.event());
    --place_of(unit.piece).copies;
    enqueue_ready();
  }

  void copy_out(block& with, copy_unit const& unit) {
    std::byte* const device = memory_of(unit.piece);
    place& at = place_of(unit.piece);
    auto& stream = out();
    stream.wait(at.through);
    std::size_t offset = 0;
    for (host_part const& part : unit.parts) {
      void* to = part.host;
      if (stages(part.host, with)) {
        to = with.memory() + offset;
        with.copy_later(part.host, offset, part.bytes);
        offset += unit_list::aligned(part.bytes);
      }
      stream.copy(to, device + part.at, part.bytes);
    }
    with.in_use(stream);
    std::scoped_lock const lock(mutex_);
    emptied_.wait(with.event());
    --at.copies;
    empty_if_done(at);
  }

  /// Whether a stretch of host memory goes through a block.
  static bool stages(void* host, block& with) {
    return host == nullptr || (!Runtime::reaches(host) && with.is_pinned());
  }

  /// Enqueues the kernels of the pieces whose copies are all in streams. The caller holds mutex_.
  void enqueue_ready() {
    while (enqueued_ < next_in_ && place_of(enqueued_).copies == 0 && !failed_) {
      place& at = place_of(enqueued_);
      if (enqueued_ >= shape_.at_once) kernels_.wait(at.emptied);
      std::byte* const memory = memory_of(enqueued_);
      plan_.enqueue({memory, enqueued_, kernels_.handle(), workspace()});
      if (plan_.counts != 0) {
        kernels_.copy(counts_of(enqueued_), memory + plan_.counts_at,
                      static_cast<std::size_t>(plan_.counts) * sizeof(index_t));
      }
      at.through.record(kernels_);
      ++enqueued_;
      changed_.notify_all();
    }
  }

  /// Frees a piece's memory for the next one if all its copies out are in streams. The caller holds
  /// mutex_.
  void empty_if_done(place& at) {
    if (!at.outputs_claimed || at.copies != 0 || at.free) return;
    emptied_.wait(at.through);  // if there was nothing to copy
    at.emptied.record(emptied_);
    at.free = true;
    changed_.notify_all();
  }

  /// Keeps the exception being handled, if it is the first, and ends the other threads' work.
  void fail() {
    std::scoped_lock const lock(mutex_);
    failed_ = true;
    if (!error_) error_ = std::current_exception();
    changed_.notify_all();
  }

  piece_plan const& plan_;
  passage_shape shape_;
  std::deque<place> places_;
  std::unique_ptr<lane> shared_, copies_;  // by all threads
  typename Runtime::stream& kernels_;
  typename Runtime::stream& emptied_;  // waits for copies out, in their order
  std::mutex mutex_;                   // of all that follows
  std::condition_variable changed_;
  unit_list inputs_, outputs_;  // of pieces next_in_ and next_out_, if listed
  bool has_inputs_ = false;
  bool has_outputs_ = false;
  bool listing_ = false;  // the outputs, by a thread that waits for counts
  bool last_was_input_ = false;
  bool failed_ = false;
  index_t next_in_ = 0, next_out_ = 0, enqueued_ = 0;
  std::exception_ptr error_;
};

}  // namespace libscan::inline v1::detail
