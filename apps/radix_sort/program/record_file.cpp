// SPDX-License-Identifier: Apache-2.0
// Extents of keys and values: read ahead, and written asynchronously.
#include <apps/radix_sort/program/record_file.hpp>

#include <algorithm>

#include <apps/common/lazy_buffer.hpp>

namespace libscan::apps {
namespace {

std::vector<byte_range> ranges_of(record_list const& from, std::uint64_t record_extent::*at,
                                  std::size_t bytes) {
  std::vector<byte_range> ranges;
  ranges.reserve(from.extents.size());
  for (record_extent const& extent : from.extents) {
    ranges.push_back({extent.*at, extent.*at + static_cast<std::uint64_t>(extent.count) * bytes});
  }
  return ranges;
}

}  // namespace

std::vector<record_list> record_list::in_parts(std::size_t parts) const {
  std::size_t const part = std::max<std::size_t>((extents.size() + parts - 1) / parts, 1);
  std::vector<record_list> all;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i % part == 0) all.push_back({keys, values, name});
    all.back().add(extents[i]);
  }
  return all;
}

record_reader::record_reader(record_list const& from, std::size_t key_bytes,
                             std::size_t value_bytes)
    : keys_(from.keys, from.name, ranges_of(from, &record_extent::keys, key_bytes)) {
  if (!from.values) return;
  values_.emplace(from.values, from.name, ranges_of(from, &record_extent::values, value_bytes));
}

std::optional<record_piece> record_reader::next() {
  record_piece piece{keys_.next(), {}};
  if (piece.keys.empty()) return std::nullopt;
  if (values_) piece.values = values_->next();
  return piece;
}

record_file::record_file(index_t records, std::size_t key_bytes, std::size_t value_bytes,
                         std::string const& directory)
    : key_bytes_(key_bytes), value_bytes_(value_bytes), file_(directory) {
  file_.require_space(static_cast<std::uint64_t>(records) * (key_bytes + value_bytes));
}

record_extent record_file::append(std::byte const* keys, std::byte const* values,
                                  std::size_t count) {
  std::scoped_lock const lock(mutex_);
  record_extent extent{file_.size(), 0, static_cast<index_t>(count)};
  file_.write({keys, count * key_bytes_});
  file_.pad();
  extent.values = file_.size();
  file_.write({values, count * value_bytes_});
  file_.pad();
  return extent;
}

record_list record_file::list() const {
  return {file_.file(), value_bytes_ != 0 ? file_.file() : nullptr, file_.name()};
}

bucket_writer::bucket_writer(record_file& to, std::size_t buckets, std::size_t extent)
    : to_(to),
      extent_(extent),
      memory_(buckets, extent * (to.key_bytes() + to.value_bytes())),
      buckets_(buckets, to.list()) {
  advise_huge_pages(memory_[0].data(), memory_.size() * memory_[0].size());
}

void bucket_writer::flush(std::size_t bucket, std::size_t count) {
  if (count == 0) return;
  buckets_[bucket].add(to_.append(keys(bucket), values(bucket), count));
}

}  // namespace libscan::apps
