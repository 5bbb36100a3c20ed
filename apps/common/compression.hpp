// SPDX-License-Identifier: Apache-2.0
// Compressed files: gzip (RFC 1952) and Zstandard (RFC 8878) are read, gzip is written.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include <apps/common/byte_source.hpp>

struct z_stream_s;

namespace libscan::apps {

/// The content of `in`, decompressed if it is gzip or zstd. A raw file may begin with any bytes,
/// even those of gzip: if `raw`, a file with a name is compressed only if its name ends in ".gz" or
/// ".zst". Throws `file_error` if such a name has other data, or for zstd without libzstd.
byte_reader plain_content(byte_reader in, bool raw);

/// The compressed formats that this build reads: "gzip or zstd".
std::string_view compressed_formats();

/// Compresses bytes into one gzip member without a time stamp, so that equal content gives equal
/// files.
class gzip_compressor {
 public:
  using sink = std::function<void(std::span<std::byte const>)>;

  /// Compressed bytes go to `out` as they are produced.
  explicit gzip_compressor(sink out);
  ~gzip_compressor();
  gzip_compressor(gzip_compressor const&) = delete;
  gzip_compressor& operator=(gzip_compressor const&) = delete;

  void write(std::span<std::byte const> bytes);

  /// Writes everything left, and the trailer. Call it once, last.
  void finish();

 private:
  void run(std::span<std::byte const> bytes, int flush);

  sink out_;
  std::unique_ptr<z_stream_s> stream_;
  std::unique_ptr<std::byte[]> buffer_;
};

}  // namespace libscan::apps
