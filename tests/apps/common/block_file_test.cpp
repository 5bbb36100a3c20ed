// SPDX-License-Identifier: Apache-2.0
// Blocks that are read ahead and written in the background: every byte once, from either end, on
// file systems with and without direct I/O; files that shrink, grow, or find no space.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <apps/common/block_file.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/output_file.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <tests/apps/common/scratch.hpp>
#include <tests/support/catch.hpp>
#include <thread>
#include <vector>

namespace apps = libscan::apps;
namespace fs = std::filesystem;
using libscan::test::read_bytes;
using libscan::test::scratch_directory;
using libscan::test::write_bytes;

namespace {

/// A bound that makes blocks of 64 KiB, while this object lives.
struct small_blocks {
  small_blocks() { apps::set_memory_bound(1 << 20); }
  ~small_blocks() { apps::set_memory_bound(0); }
};

std::string some_bytes(std::size_t n) {
  std::mt19937_64 random(n);
  std::string bytes(n, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

std::span<std::byte const> bytes_of(std::string const& text) {
  return std::as_bytes(std::span<char const>(text));
}

std::shared_ptr<apps::descriptor const> opened(std::string const& path, int flags = O_RDONLY) {
  return std::make_shared<apps::descriptor>(::open(path.c_str(), flags | O_CREAT, 0600));
}

/// Directories of a disk and of memory.
std::vector<fs::path> places() {
  std::vector<fs::path> all{fs::temp_directory_path()};
  if (fs::is_directory("/dev/shm")) all.emplace_back("/dev/shm");
  return all;
}

/// A file of its own in `place`, removed at the end.
struct file_in {
  std::string path;
  explicit file_in(fs::path const& place)
      : path((place / ("libscan-block-test-" + std::to_string(::getpid()))).string()) {}
  ~file_in() { fs::remove(path); }
};

/// Reads a part of a file and checks each piece's place.
void check_reads(std::string const& path, std::string const& content, std::size_t begin,
                 std::size_t end, std::size_t piece, bool from_end) {
  apps::block_reader reader(opened(path), path, begin, end, piece, from_end);
  std::size_t at = from_end ? end : begin;
  for (;;) {
    auto const bytes = reader.next();
    if (bytes.empty()) break;
    if (from_end) at -= bytes.size();
    REQUIRE(text_of(bytes) == content.substr(at, bytes.size()));
    REQUIRE(reinterpret_cast<std::uintptr_t>(bytes.data()) % 4096 == at % 4096);
    if (!from_end) at += bytes.size();
  }
  REQUIRE(at == (from_end ? begin : end));
  REQUIRE(reader.next().empty());
}

}  // namespace

TEST_CASE("a block reader returns every byte once, from either end") {
  constexpr std::size_t piece = 3 << 14;
  for (fs::path const& place : places()) {
    file_in const file(place);
    for (std::size_t const n :
         {std::size_t{1}, std::size_t{4095}, piece, piece + 1, 9 * piece, 9 * piece + 4097}) {
      std::string const content = some_bytes(n);
      write_bytes(file.path, content);
      for (bool const from_end : {false, true}) {
        check_reads(file.path, content, 0, n, piece, from_end);
        if (n > 200) check_reads(file.path, content, 128, n - 3, piece, from_end);
        if (n > 5000) check_reads(file.path, content, 4999, n, piece / 2 + 8, from_end);
      }
    }
  }
}

TEST_CASE("pieces anywhere in a file come in the order in which they were given") {
  for (fs::path const& place : places()) {
    file_in const file(place);
    std::string const content = some_bytes(1 << 20);
    write_bytes(file.path, content);
    std::vector<apps::byte_range> pieces;
    std::mt19937 random(17);
    for (int i = 0; i < 200; ++i) {
      std::uint64_t const begin = random() % (content.size() - 9000);
      pieces.push_back({begin, begin + 1 + random() % 9000});
    }
    apps::block_reader reader(opened(file.path), file.path, pieces);
    for (apps::byte_range const& piece : pieces) {
      REQUIRE(text_of(reader.next()) == content.substr(piece.begin, piece.end - piece.begin));
    }
    REQUIRE(reader.next().empty());
  }
}

TEST_CASE("a file that shrinks ends in an error, one that grows changes nothing") {
  scratch_directory const scratch;
  std::string const path = scratch / "x", content = some_bytes(40 << 14);
  constexpr std::size_t piece = 1 << 14;
  for (std::size_t const left : {std::size_t{0}, std::size_t{11}, content.size() - 1}) {
    write_bytes(path, content);
    apps::block_reader reader(opened(path), "x", 0, content.size(), piece);
    REQUIRE(::truncate(path.c_str(), static_cast<off_t>(left)) == 0);
    std::string error;
    try {
      while (!reader.next().empty()) {
      }
    } catch (apps::file_error const& e) {
      error = e.what();
    }
    CHECK(error == "x: the file shrank while it was read");
  }
  write_bytes(path, content);
  apps::block_reader reader(opened(path), "x", 0, content.size(), piece);
  std::ofstream(path, std::ios::app | std::ios::binary) << content;
  std::size_t bytes = 0;
  for (auto some = reader.next(); !some.empty(); some = reader.next()) bytes += some.size();
  CHECK(bytes == content.size());
}

TEST_CASE("a reader that is not read to its end stops") {
  scratch_directory const scratch;
  write_bytes(scratch / "x", some_bytes(1 << 20));
  std::uint64_t const before = apps::memory_held();
  {
    apps::block_reader reader(opened(scratch / "x"), "x", 0, 1 << 20, 1 << 14);
    CHECK(reader.next().size() == 1 << 14);
    CHECK(apps::memory_held() > before);
  }
  CHECK(apps::memory_held() == before);
}

TEST_CASE("a block writer writes every byte once, from either end") {
  small_blocks const bound;
  for (fs::path const& place : places()) {
    for (std::size_t const n : {0, 1, 4097, 1 << 16, (5 << 16) + 77}) {
      file_in const file(place);
      std::string const content = some_bytes(n);
      auto const to = opened(file.path, O_RDWR);
      apps::block_writer forward(to->get(), apps::block_writer::target::file);
      for (std::size_t at = 0, step = 1; at < n; at += step, step = 3 * step + 1) {
        REQUIRE(forward.write(bytes_of(content.substr(at, step))) == 0);
      }
      REQUIRE(forward.finish() == 0);
      CHECK(read_bytes(file.path) == content);

      // Backward, after a gap of 128 bytes at the front.
      REQUIRE(::ftruncate(to->get(), 0) == 0);
      apps::block_writer backward(to->get(), n + 128);
      std::size_t at = n;
      for (std::size_t step = 1; at > 0; step = 3 * step + 1) {
        std::size_t const bytes = std::min(step, at);
        at -= bytes;
        REQUIRE(backward.write(bytes_of(content.substr(at, bytes))) == 0);
      }
      REQUIRE(backward.finish() == 0);
      if (n > 0) CHECK(read_bytes(file.path) == std::string(128, '\0') + content);
    }
  }
}

TEST_CASE("a block writer into a pipe keeps the order, and flushes on request") {
  small_blocks const bound;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  std::string const content = some_bytes((3 << 16) + 5);
  std::string got;
  std::thread reader([&] {
    char piece[4096];
    for (ssize_t n; (n = ::read(ends[0], piece, sizeof piece)) > 0;) {
      got.append(piece, static_cast<std::size_t>(n));
    }
  });
  {
    apps::block_writer writer(ends[1], apps::block_writer::target::stream);
    for (std::size_t at = 0; at < content.size(); at += 50000) {
      REQUIRE(writer.write(bytes_of(content.substr(at, 50000))) == 0);
      REQUIRE(writer.flush() == 0);
    }
    REQUIRE(writer.finish() == 0);
  }
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  CHECK(got == content);
}

TEST_CASE("a full device and a file that may not grow are reported") {
  small_blocks const bound;
  std::string const content = some_bytes(20 << 16);
  auto const full = opened("/dev/full", O_WRONLY);
  apps::block_writer to_full(full->get(), apps::block_writer::target::stream);
  int error = to_full.write(bytes_of(content));
  if (error == 0) error = to_full.finish();
  CHECK(error == ENOSPC);

  scratch_directory const scratch;
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit const little = {3 << 16, before.rlim_max};
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
  std::string words;
  try {
    apps::output_file out(scratch / "out");
    out.write(bytes_of(content));
    out.commit();
  } catch (apps::file_error const& e) {
    words = e.what();
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  ::signal(SIGXFSZ, handler);
  CHECK(words == scratch / "out" + ": cannot write: File too large");
  CHECK(scratch.entries() == 0);
}

TEST_CASE("an output may be written from its end, and its first bytes last") {
  small_blocks const bound;
  scratch_directory const scratch;
  std::string const content = some_bytes((4 << 16) + 9);
  apps::output_file out(scratch / "out");
  REQUIRE(out.may_write_from_end());
  out.write_from_end(content.size());
  for (std::size_t at = content.size(); at > 3; at -= std::min<std::size_t>(at - 3, 70000)) {
    std::size_t const bytes = std::min<std::size_t>(at - 3, 70000);
    out.write(bytes_of(content.substr(at - bytes, bytes)));
  }
  out.write_at(0, bytes_of(content.substr(0, 3)));
  out.commit();
  CHECK(read_bytes(scratch / "out") == content);
}
