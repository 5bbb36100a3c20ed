// SPDX-License-Identifier: Apache-2.0
// Extents of keys and values: read ahead, and written asynchronously.
#include <apps/radix_sort/program/record_file.hpp>

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

bucket_writer::bucket_writer(index_t records, std::size_t buckets, std::size_t extent,
                             std::size_t key_bytes, std::size_t value_bytes,
                             std::string const& directory)
    : extent_(extent),
      key_bytes_(key_bytes),
      value_bytes_(value_bytes),
      memory_(buckets, extent * (key_bytes + value_bytes)),
      file_(directory),
      buckets_(buckets) {
  file_.require_space(static_cast<std::uint64_t>(records) * (key_bytes + value_bytes));
  advise_huge_pages(memory_[0].data(), memory_.size() * memory_[0].size());
  for (record_list& bucket : buckets_) {
    bucket.keys = file_.file();
    if (value_bytes != 0) bucket.values = file_.file();
    bucket.name = file_.name();
  }
}

void bucket_writer::flush(std::size_t bucket, std::size_t count) {
  if (count == 0) return;
  record_extent extent{file_.size(), 0, static_cast<index_t>(count)};
  file_.write({keys(bucket), count * key_bytes_});
  file_.pad();
  extent.values = file_.size();
  file_.write({values(bucket), count * value_bytes_});
  file_.pad();
  buckets_[bucket].add(extent);
}

std::vector<record_list> bucket_writer::finish() {
  file_.finish();
  return std::move(buckets_);
}

}  // namespace libscan::apps
