// SPDX-License-Identifier: Apache-2.0
// The number of bytes that a reader took from its file, for --time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// Forwards another source and counts its bytes.
class counted_source final : public byte_source {
 public:
  /// Adds the bytes to `bytes`, which must outlive this object.
  counted_source(std::unique_ptr<byte_source> from, std::uint64_t& bytes)
      : from_(std::move(from)), bytes_(bytes) {}

  std::span<std::byte const> next() override {
    auto const piece = from_->next();
    bytes_ += piece.size();
    return piece;
  }

  std::optional<std::uint64_t> bytes_left() const override { return from_->bytes_left(); }

  std::shared_ptr<descriptor const> file() const override { return from_->file(); }

  bool waits() const override { return from_->waits(); }

  std::optional<kept_bytes> rest() override {
    auto all = from_->rest();
    if (all) bytes_ += all->bytes.size();
    return all;
  }

 private:
  std::unique_ptr<byte_source> from_;
  std::uint64_t& bytes_;
};

/// As `read_array`, including its notes; adds the file's own bytes (before decompression) to
/// `bytes`.
inline array read_counted(std::string const& path, read_options const& options,
                          std::uint64_t& bytes) {
  array data = read_array(std::make_unique<counted_source>(open_file(path, options.meter), bytes),
                          input_name(path), options);
  say_notes(data);
  return data;
}

}  // namespace libscan::apps
