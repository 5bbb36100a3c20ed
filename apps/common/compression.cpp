// SPDX-License-Identifier: Apache-2.0
// Gzip on zlib's inflate and deflate; Zstandard on libzstd's streaming decompression, where the
// build found it.
#include <apps/common/compression.hpp>

#include <zlib.h>
#ifdef LIBSCAN_WITH_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>

namespace libscan::apps {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr int gzip_window = 15 + 16;  // the largest window, in gzip's wrapping

/// True if the input continues with a gzip member: its magic bytes, method and valid flags.
bool starts_gzip(byte_reader& in) {
  std::span<std::byte const> const head = in.peek(4);
  constexpr std::byte reserved_flags{0xe0};
  return head.size() >= 4 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b} &&
         head[2] == std::byte{8} && (head[3] & reserved_flags) == std::byte{0};
}

/// The decompressed content of `in`: one gzip member or several in a row, each perhaps padded with
/// zeros, as on tapes and disks. Its `next` throws `file_error` with the byte of the compressed
/// file for damaged or truncated data, and for anything except a further member after a member.
class gzip_source final : public byte_source {
 public:
  explicit gzip_source(byte_reader in) : in_(std::move(in)) {
    if (::inflateInit2(&stream_, gzip_window) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_source() override { ::inflateEnd(&stream_); }

  std::span<std::byte const> next() override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.get());
    stream_.avail_out = buffer_bytes;
    while (stream_.avail_out > 0 && !ended_) step();
    return {buffer_.get(), buffer_bytes - stream_.avail_out};
  }

 private:
  void step() {
    std::span<std::byte const> const piece = in_.peek(1);
    if (piece.empty()) fail("the gzip data end too early");
    auto const offered = static_cast<uInt>(std::min(piece.size(), std::size_t{1} << 30));
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<Bytef const*>(piece.data()));
    stream_.avail_in = offered;
    int const code = ::inflate(&stream_, Z_NO_FLUSH);
    in_.skip(offered - stream_.avail_in);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_STREAM_END) {
      begin_next_member();
    } else if (code != Z_OK) {
      fail(std::string("damaged gzip data: ") + (stream_.msg ? stream_.msg : "no progress"));
    }
  }

  void begin_next_member() {
    skip_zeros();
    if (in_.peek(1).empty()) {
      ended_ = true;
    } else if (!starts_gzip(in_)) {
      fail("extra bytes after the gzip data, expected the end or a further gzip member");
    } else {
      ::inflateReset(&stream_);
    }
  }

  void skip_zeros() {
    for (;;) {
      std::span<std::byte const> const piece = in_.peek(1);
      auto const other =
          std::find_if(piece.begin(), piece.end(), [](std::byte b) { return b != std::byte{}; });
      in_.skip(static_cast<std::size_t>(other - piece.begin()));
      if (piece.empty() || other != piece.end()) return;
    }
  }

  [[noreturn]] void fail(std::string const& reason) const {
    throw file_error::at_byte(in_.name(), in_.offset(), reason);
  }

  byte_reader in_;
  z_stream stream_ = {};
  bool ended_ = false;
  std::unique_ptr<std::byte[]> buffer_{new std::byte[buffer_bytes]};
};

/// True if the input continues with a zstd frame, or a skippable frame.
bool starts_zstd(byte_reader& in) {
  constexpr std::uint32_t frame = 0xfd2fb528, skippable = 0x184d2a50;
  std::span<std::byte const> const head = in.peek(4);
  std::uint32_t magic = 0;
  if (head.size() < sizeof magic) return false;
  std::memcpy(&magic, head.data(), sizeof magic);
  return magic == frame || (magic & ~std::uint32_t{15}) == skippable;
}

#ifdef LIBSCAN_WITH_ZSTD
/// The decompressed content of `in`: one zstd frame or several in a row, and skippable frames. Its
/// `next` throws `file_error` with the byte of the compressed file for damaged or truncated data,
/// for frames that need more than 128 MiB to decompress, and for anything else after a frame.
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
#endif

/// The decompressed content of zstd data. Without libzstd it throws `file_error`.
std::unique_ptr<byte_source> zstd_content(byte_reader in) {
#ifdef LIBSCAN_WITH_ZSTD
  return std::make_unique<zstd_source>(std::move(in));
#else
  throw file_error(in.name(),
                   "holds zstd data, which this build cannot read: libzstd was not found");
#endif
}

}  // namespace

std::string_view compressed_formats() {
#ifdef LIBSCAN_WITH_ZSTD
  return "gzip or zstd";
#else
  return "gzip";
#endif
}

byte_reader plain_content(byte_reader in, bool raw) {
  std::string const name = in.name();
  bool const any_name = name == input_name("-");
  bool const gzip = starts_gzip(in), zstd = starts_zstd(in);
  if (named_gzip(name) && !gzip) {
    throw file_error::at_byte(name, 0, "no gzip data: expected it to begin with \\x1f\\x8b");
  }
  if (named_zstd(name) && !zstd) {
    throw file_error::at_byte(name, 0, "no zstd data: expected it to begin with (\\xb5/\\xfd");
  }
  if (gzip && (!raw || any_name || named_gzip(name))) {
    return byte_reader(std::make_unique<gzip_source>(std::move(in)), name);
  }
  if (zstd && (!raw || any_name || named_zstd(name))) {
    return byte_reader(zstd_content(std::move(in)), name);
  }
  return in;
}

gzip_compressor::gzip_compressor(sink out)
    : out_(std::move(out)),
      stream_(std::make_unique<z_stream>()),
      buffer_(new std::byte[buffer_bytes]) {
  constexpr int memory_level = 8;
  if (::deflateInit2(stream_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

gzip_compressor::~gzip_compressor() { ::deflateEnd(stream_.get()); }

void gzip_compressor::write(std::span<std::byte const> bytes) {
  constexpr std::size_t max_piece = std::size_t{1} << 30;  // zlib counts in 32 bits
  for (; bytes.size() > max_piece; bytes = bytes.subspan(max_piece))
    run(bytes.first(max_piece), Z_NO_FLUSH);
  run(bytes, Z_NO_FLUSH);
}

void gzip_compressor::finish() { run({}, Z_FINISH); }

void gzip_compressor::run(std::span<std::byte const> bytes, int flush) {
  stream_->next_in = const_cast<Bytef*>(reinterpret_cast<Bytef const*>(bytes.data()));
  stream_->avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(buffer_.get());
    stream_->avail_out = buffer_bytes;
    ::deflate(stream_.get(), flush);
    out_({buffer_.get(), buffer_bytes - stream_->avail_out});
  } while (stream_->avail_out == 0);
}

}  // namespace libscan::apps
