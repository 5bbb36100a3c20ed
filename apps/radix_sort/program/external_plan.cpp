// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/program/external_plan.hpp>

#include <algorithm>

#include <apps/common/block_file.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/radix_sort/program/memory_needs.hpp>

namespace libscan::apps {
namespace {

constexpr std::uint64_t program_bytes = std::uint64_t{6} << 20;  // libraries, stacks, the heap
constexpr std::uint64_t blocks = 20;      // of a temporary file, and of the readers
constexpr int max_readers = 4;            // of keys and of values, while records are distributed
constexpr std::size_t min_extent = 4096;  // records: whole sectors of keys and of values

}  // namespace

external_plan external_plan::of(dtype type, std::size_t value_bytes, int threads,
                                std::string const& what) {
  std::uint64_t const taken = program_bytes + blocks * block_bytes();
  constexpr std::uint64_t min_bytes = std::uint64_t{4} << 20;
  require_memory(taken + min_bytes, what);
  std::uint64_t const left = memory_bound() - taken;
  external_plan plan;
  plan.record_bytes = size_of(type) + value_bytes;
  // What a sort may need for each record, and two more buckets: one is read, one is written.
  constexpr std::uint64_t many = std::uint64_t{1} << 24;
  sort_shape shape{many, size_of(type), value_bytes};
  shape.words = !is_float(type);  // there may be -0 and NaN
  shape.threads = threads;
  std::uint64_t const bytes = needs_of(shape).max_bytes / many + 1 + 3 * plan.record_bytes;
  plan.bucket_items = static_cast<index_t>(left / bytes);
  plan.staging_bytes = static_cast<std::size_t>(left / 2);
  plan.sampled_keys = 64;
  plan.threads = std::min(threads, value_bytes == 0 ? max_readers : max_readers / 2);
  return plan;
}

std::size_t external_plan::buckets(index_t n) const {
  // Samples err: buckets are planned smaller than those that fit.
  auto const wanted =
      static_cast<std::size_t>(ceil_div(n, std::max<index_t>(bucket_items / 4 * 3, 1)));
  // The splitters may make three times as many of them.
  std::size_t const max_blocks = staging_bytes / (3 * min_extent * record_bytes);
  return std::clamp<std::size_t>(wanted, 2, std::max<std::size_t>(max_blocks, 2));
}

std::size_t external_plan::sampled_blocks(std::size_t buckets) { return 24 * buckets; }

std::size_t external_plan::splitting_threads(std::size_t buckets) const {
  constexpr std::size_t min_bytes = std::size_t{1} << 17;  // shorter extents take longer to read
  std::size_t const fit = staging_bytes / (buckets * min_bytes);
  return std::clamp<std::size_t>(fit, 1, static_cast<std::size_t>(threads));
}

std::size_t external_plan::extent_items(std::size_t buckets) const {
  std::size_t const fit = std::min<std::size_t>(staging_bytes / buckets, std::size_t{1} << 20);
  return std::max<std::size_t>(fit / record_bytes / min_extent, 1) * min_extent;
}

}  // namespace libscan::apps
