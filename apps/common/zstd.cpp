// SPDX-License-Identifier: Apache-2.0
// Zstandard on libzstd's streaming decompression.
#include <apps/common/zstd.hpp>

#include <zstd.h>

#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <apps/common/exit_code.hpp>

namespace libscan::apps {
namespace {

class zstd_source final : public byte_source {
 public:
  explicit zstd_source(byte_reader in) : in_(std::move(in)), stream_(::ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

  std::span<std::byte const> next() override {
    ZSTD_outBuffer out{buffer_.get(), buffer_bytes, 0};
    while (out.pos < out.size && step(out)) {
    }
    return {buffer_.get(), out.pos};
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

  struct freed {
    void operator()(ZSTD_DStream* stream) const { ::ZSTD_freeDStream(stream); }
  };

  /// Decompresses a piece of input; false at the end.
  bool step(ZSTD_outBuffer& out) {
    if (!within_frame_ && in_.peek(1).empty()) return false;
    if (!within_frame_ && !starts_zstd(in_)) {
      fail("extra bytes after the zstd data, expected the end or a further zstd frame");
    }
    std::span<std::byte const> const piece = in_.peek(1);
    ZSTD_inBuffer from{piece.data(), piece.size(), 0};
    std::size_t const before = out.pos;
    std::size_t const code = ::ZSTD_decompressStream(stream_.get(), &out, &from);
    if (::ZSTD_isError(code) != 0) {
      fail(std::string("damaged zstd data: ") + ::ZSTD_getErrorName(code));
    }
    in_.skip(from.pos);
    if (piece.empty() && out.pos == before) fail("the zstd data end too early");
    within_frame_ = code != 0;
    return true;
  }

  [[noreturn]] void fail(std::string const& reason) const {
    throw file_error::at_byte(in_.name(), in_.offset(), reason);
  }

  byte_reader in_;
  std::unique_ptr<ZSTD_DStream, freed> stream_;
  std::unique_ptr<std::byte[]> buffer_{new std::byte[buffer_bytes]};
  bool within_frame_ = false;
};

}  // namespace

std::unique_ptr<byte_source> zstd_content(byte_reader in) {
  return std::make_unique<zstd_source>(std::move(in));
}

}  // namespace libscan::apps
