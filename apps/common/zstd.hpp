// SPDX-License-Identifier: Apache-2.0
// Zstandard (RFC 8878) on libzstd, where the build found it: a source that decompresses another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include <apps/common/byte_source.hpp>

namespace libscan::apps {

/// True if the input continues with a zstd frame, or a skippable frame.
inline bool starts_zstd(byte_reader& in) {
  constexpr std::uint32_t frame = 0xfd2fb528, skippable = 0x184d2a50;
  std::span<std::byte const> const head = in.peek(4);
  std::uint32_t magic = 0;
  if (head.size() < sizeof magic) return false;
  std::memcpy(&magic, head.data(), sizeof magic);
  return magic == frame || (magic & ~std::uint32_t{15}) == skippable;
}

/// The decompressed content of `in`: one zstd frame or several in a row, and skippable frames. Its
/// `next` throws `file_error` with the byte of the compressed file for damaged or truncated data,
/// for frames that need more than 128 MiB to decompress, and for anything else after a frame.
/// Without libzstd it throws `file_error` at once.
std::unique_ptr<byte_source> zstd_content(byte_reader in);

}  // namespace libscan::apps
