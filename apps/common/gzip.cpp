// SPDX-License-Identifier: Apache-2.0
// Gzip on zlib's inflate and deflate.
#include <apps/common/gzip.hpp>

#include <zlib.h>

#include <algorithm>
#include <new>
#include <string>

#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/zstd.hpp>

namespace libscan::apps {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr int gzip_window = 15 + 16;  // the largest window, in gzip's wrapping

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

}  // namespace

bool starts_gzip(byte_reader& in) {
  std::span<std::byte const> const head = in.peek(4);
  constexpr std::byte reserved_flags{0xe0};
  return head.size() >= 4 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b} &&
         head[2] == std::byte{8} && (head[3] & reserved_flags) == std::byte{0};
}

std::unique_ptr<byte_source> decompressed(byte_reader in) {
  return std::make_unique<gzip_source>(std::move(in));
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
    return byte_reader(decompressed(std::move(in)), name);
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
  constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
  for (; bytes.size() > most; bytes = bytes.subspan(most)) run(bytes.first(most), Z_NO_FLUSH);
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
