// SPDX-License-Identifier: Apache-2.0
// Which words of a kernel's shared storage hold what, derived from the storage types themselves.
// Templates over types that only sources for the executor see.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <apps/explain/recorder.hpp>

namespace libscan::apps {

/// The name of the arrays of a level: 1 holds the sums of blocks of items, 2 those of blocks of
/// these, and so on.
inline std::string name_of_sums(int level) {
  if (level == 1) return "block sums";
  if (level == 2) return "sums of sums";
  return "sums of level " + std::to_string(level);
}

/// Collects the regions of one storage.
class region_list {
 public:
  explicit region_list(void const* begin) : begin_(static_cast<traced const*>(begin)) {}

  /// The cells at `place(i)` for i < count.
  template <class Place>
  void add(std::string name, int count, int spread, Place place) {
    region next{std::move(name), false, spread, {}};
    for (int i = 0; i < count; ++i) next.word.push_back(word_of(place(i)));
    regions_.push_back(std::move(next));
  }

  void add_single(std::string name, traced const& variable) {
    regions_.push_back({std::move(name), true, 1, {word_of(variable)}});
  }

  std::vector<region> take() { return std::move(regions_); }

 private:
  std::size_t word_of(traced const& cell) const { return static_cast<std::size_t>(&cell - begin_); }

  traced const* begin_;
  std::vector<region> regions_;
};

/// A block of a kernel: its number of threads, the number that its shared memory is for, and the
/// number of items of the tile per item of the block scan.
struct block_shape {
  int threads = 0;
  int most = 0;
  int spread = 1;

  /// How many of the `items` of `most` threads this block may use: trees are padded.
  int used(int items) const {
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(items / most * threads)));
  }
};

/// A tile of a textbook scan.
template <template <class, int, class> class Tile, int Items, class Layout>
void add_tile(region_list& list, std::string name, Tile<traced, Items, Layout>& tile,
              block_shape const& block) {
  list.add(std::move(name), block.used(Items), block.spread,
           [&](int i) -> traced const& { return tile.at(i); });
}

/// The tree of a reduction: level k begins after the levels before it.
template <std::size_t Words>
void add_levels(region_list& list, traced (&value)[Words], int leaves) {
  int begin = 0, spread = 1;
  for (int n = leaves, level = 0;; n = (n + 1) / 2, ++level, spread *= 2) {
    list.add("level" + std::to_string(level), n, spread,
             [&](int i) -> traced const& { return value[begin + i]; });
    if (n == 1) return;
    begin += n;
  }
}

/// The parts of the storages of block scans, reductions and strategies.
template <class Storage>
void add_storage(region_list& list, Storage& shared, block_shape const& block) {
  if constexpr (requires { Storage::items; }) {  // tile_storage
    list.add("row", block.used(Storage::items), 1,
             [&](int i) -> traced const& { return shared.at(i); });
  } else if constexpr (requires { shared.item; }) {
    add_tile(list, "item", shared.item, block);
  }
  if constexpr (requires { shared.buffer; }) {
    add_tile(list, "buffer0", shared.buffer[0], block);
    add_tile(list, "buffer1", shared.buffer[1], block);
  }
  if constexpr (requires { shared.value; }) add_levels(list, shared.value, block.threads);
  if constexpr (requires { shared.row; }) add_storage(list, shared.row, block);
  if constexpr (requires { shared.scan; }) add_storage(list, shared.scan, block);
  if constexpr (requires { shared.total; }) list.add_single("total", shared.total);
  if constexpr (requires { shared.carry; }) list.add_single("carry", shared.carry);
}

/// Describes to the recorder the shared memory of a kernel with blocks of `threads`. If a thread
/// has several consecutive items, the block scan has one per `spread`.
template <class Kernel>
void know(recorder& to, int threads, int spread = 1) {
  if constexpr (requires { typename Kernel::shared_storage; }) {
    using storage = typename Kernel::shared_storage;
    auto const shared = std::make_unique<storage>();
    region_list list(shared.get());
    add_storage(list, *shared, {threads, Kernel::block_threads, spread});
    to.know(typeid(Kernel).name(), list.take());
  }
}

}  // namespace libscan::apps
