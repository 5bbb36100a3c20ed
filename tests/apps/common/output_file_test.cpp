// SPDX-License-Identifier: Apache-2.0
// Outputs are complete or absent. What only shows when a program ends is in programs_test.py.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apps/common/array_writer.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/output_file.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <tests/apps/common/scratch.hpp>
#include <tests/support/catch.hpp>

namespace apps = libscan::apps;
namespace fs = std::filesystem;
using libscan::test::read_bytes;
using libscan::test::scratch_directory;
using libscan::test::write_bytes;

namespace {

std::span<std::byte const> bytes_of(std::string const& text) {
  return std::as_bytes(std::span<char const>(text));
}

void put(std::string const& path, std::string const& text) {
  apps::output_file out(path);
  out.write(bytes_of(text));
  out.commit();
}

std::string refusal(std::string const& path) {
  try {
    apps::output_file out(path);
    return "accepted";
  } catch (apps::file_error const& e) {
    return e.what();
  }
}

unsigned mode_of(std::string const& path) {
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("an output appears when it is committed, and not before") {
  scratch_directory const scratch;
  std::string const path = scratch / "out";
  {
    apps::output_file out(path);
    out.write(bytes_of("half"));
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(scratch.entries() == 0);
  put(path, "whole");
  CHECK(read_bytes(path) == "whole");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("an output that fails leaves what was there") {
  scratch_directory const scratch;
  std::string const path = scratch / "out";
  put(path, "old");
  {
    apps::output_file out(path);
    out.write(bytes_of("new"));
  }
  CHECK(read_bytes(path) == "old");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("space that is reserved is there before anything is written") {
  scratch_directory const scratch;
  std::string const path = scratch / "out", plain = scratch / "plain";
  constexpr off_t bytes = 1 << 20;
  apps::output_file out(path);
  out.reserve(bytes);
  out.commit();
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK(status.st_size == bytes);
  // Some file systems cannot reserve.
  int const descriptor = ::open(plain.c_str(), O_RDWR | O_CREAT, 0600);
  bool const can_reserve = ::fallocate(descriptor, 0, 0, bytes) == 0;
  ::close(descriptor);
  if (can_reserve) CHECK(status.st_blocks * 512 >= bytes);
}

TEST_CASE("pieces of any size arrive in order") {
  scratch_directory const scratch;
  std::string expected;
  apps::output_file out(scratch / "out");
  for (std::size_t n = 0; n < 2000000; n = n * 2 + 1) {
    std::string const piece(n, static_cast<char>('a' + expected.size() % 26));
    out.write(bytes_of(piece));
    expected += piece;
  }
  out.commit();
  CHECK(read_bytes(scratch / "out") == expected);
}

TEST_CASE("permissions are those of the umask, or of the file that is replaced") {
  scratch_directory const scratch;
  mode_t const before = ::umask(027);
  put(scratch / "new", "x");
  ::umask(before);
  CHECK(mode_of(scratch / "new") == 0640);
  REQUIRE(::chmod((scratch / "new").c_str(), 0604) == 0);
  put(scratch / "new", "y");
  CHECK(mode_of(scratch / "new") == 0604);
}

TEST_CASE("a symbolic link stays one, its target is replaced") {
  scratch_directory const scratch;
  fs::create_directory(scratch / "elsewhere");
  put(scratch / "elsewhere/file", "old");
  fs::create_symlink("elsewhere/file", scratch / "link");
  fs::create_symlink("link", scratch / "link to link");
  put(scratch / "link to link", "new");
  CHECK(fs::is_symlink(scratch / "link"));
  CHECK(fs::is_symlink(scratch / "link to link"));
  CHECK(read_bytes(scratch / "elsewhere/file") == "new");
  fs::create_symlink(scratch / "not yet", scratch / "dangling");
  put(scratch / "dangling", "made");
  CHECK(read_bytes(scratch / "not yet") == "made");
  fs::create_symlink("loop", scratch / "loop");
  CHECK(refusal(scratch / "loop") ==
        (scratch / "loop") + ": cannot write: Too many levels of symbolic links");
}

TEST_CASE("outputs that cannot be are refused before any work") {
  scratch_directory const scratch;
  fs::create_directory(scratch / "dir");
  write_bytes(scratch / "file", "x");
  std::string const is_directory = ": is a directory, expected the name of a file to write";
  CHECK(refusal(scratch / "dir") == (scratch / "dir") + is_directory);
  CHECK(refusal(scratch / "dir/") == (scratch / "dir/") + is_directory);
  CHECK(refusal(scratch / "none/out") == (scratch / "none/out") + ": cannot create a file in " +
                                             (scratch / "none/") + ": No such file or directory");
  CHECK(refusal(scratch / "none/") ==
        (scratch / "none/") + ": is no name of a file, expected one to write");
  CHECK(refusal(scratch / "file/out") ==
        (scratch / "file/out") + ": cannot write: Not a directory");
  CHECK(refusal("") == ": is no name of a file, expected one to write");
  CHECK(scratch.entries() == 2);
}

TEST_CASE("devices are written to, not replaced") {
  scratch_directory const scratch;
  put("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
  apps::output_file full("/dev/full");
  full.write(bytes_of("x"));
  try {
    full.commit();
    FAIL("writing to /dev/full succeeded");
  } catch (apps::file_error const& e) {
    CHECK(std::string(e.what()) == "/dev/full: cannot write: No space left on device");
  }
}

TEST_CASE("descriptors are written to where they are, not replaced") {
  scratch_directory const scratch;
  write_bytes(scratch / "log", "precious\n");
  int const number = ::open((scratch / "log").c_str(), O_RDWR | O_APPEND);
  REQUIRE(number >= 0);
  std::string const name = std::to_string(number);
  fs::create_symlink("/dev/fd/" + name, scratch / "link");
  put("/dev/fd/" + name, "1");
  put("/proc/self/fd/" + name, "2");
  put("/proc/" + std::to_string(::getpid()) + "/fd/" + name, "3");
  put("/proc/thread-self/fd/" + name, "4");
  put(scratch / "link", "5");
  CHECK(read_bytes(scratch / "log") == "precious\n12345");
  CHECK(scratch.entries() == 2);
  CHECK(apps::same_output("/dev/fd/" + name, scratch / "link"));
  CHECK(apps::same_output("/dev/fd/" + name, scratch / "log"));
  CHECK_FALSE(apps::same_output("/dev/fd/" + name, scratch / "other"));
  ::close(number);
  CHECK(refusal("/dev/fd/" + name) == "/dev/fd/" + name + ": cannot write: Bad file descriptor");
  int const reading = ::open((scratch / "log").c_str(), O_RDONLY);
  std::string const of_reading = "/dev/fd/" + std::to_string(reading);
  CHECK(refusal(of_reading) == of_reading + ": cannot write: Bad file descriptor");
  ::close(reading);
}

TEST_CASE("two names of one output are known as one") {
  scratch_directory const scratch;
  fs::create_directory(scratch / "dir");
  fs::create_directory_symlink("dir", scratch / "link to dir");
  fs::create_symlink("dir/new", scratch / "link to new");
  std::string const name = scratch / "dir/new";
  for (std::string const other :
       {"dir/new", "dir/./new", "dir//new", "dir/../dir/new", "link to dir/new", "link to new"}) {
    CAPTURE(other);
    CHECK(apps::same_output(name, scratch / other));
    CHECK(apps::same_output(scratch / other, name));
  }
  CHECK(apps::same_output("new", "./new"));
  CHECK(apps::same_output("-", "/dev/stdout"));
  CHECK(apps::same_output("/proc/self/fd/1", "/dev/fd/1"));
  CHECK_FALSE(apps::same_output(name, scratch / "new"));
  CHECK_FALSE(apps::same_output(name, scratch / "dir/new2"));
  CHECK_FALSE(apps::same_output(name, "-"));
  CHECK_FALSE(apps::same_output(scratch / "none/a", scratch / "none/b"));
  put(name, "x");
  fs::create_hard_link(name, scratch / "second name");
  CHECK(apps::same_output(name, scratch / "second name"));
}

TEST_CASE("two names of a device are two outputs") {
  scratch_directory const scratch;
  fs::create_symlink("/dev/null", scratch / "null");
  CHECK_FALSE(apps::same_output("/dev/null", scratch / "null"));
  CHECK_FALSE(apps::same_output("/dev/null", "/dev/null"));
}

TEST_CASE("an output that is complete is not in place yet") {
  scratch_directory const scratch;
  {
    apps::output_file out(scratch / "out");
    out.write(bytes_of("whole"));
    out.complete();
    CHECK_FALSE(fs::exists(scratch / "out"));
  }
  CHECK(scratch.entries() == 0);
  apps::output_file out(scratch / "out");
  out.write(bytes_of("whole"));
  out.complete();
  out.commit();
  CHECK(read_bytes(scratch / "out") == "whole");
}

TEST_CASE("a file with several links is overwritten, and keeps them") {
  scratch_directory const scratch;
  for (std::string const content : {"longer than before", "short", ""}) {
    write_bytes(scratch / "file", "old content");
    if (!fs::exists(scratch / "link")) fs::create_hard_link(scratch / "file", scratch / "link");
    {
      apps::output_file given_up(scratch / "file");
      given_up.write(bytes_of("x"));
    }
    CHECK(read_bytes(scratch / "link") == "old content");
    put(scratch / "file", content);
    CHECK(read_bytes(scratch / "link") == content);
    CHECK(scratch.entries() == 2);
  }
}

TEST_CASE("several outputs appear together or not at all") {
  scratch_directory const scratch;
  fs::create_directory(scratch / "dir");
  write_bytes(scratch / "old", "precious");
  write_bytes(scratch / "linked", "precious");
  fs::create_hard_link(scratch / "linked", scratch / "link");
  for (bool const fails : {true, false}) {
    apps::output_file linked(scratch / "linked"), made(scratch / "new"), old(scratch / "old"),
        last(scratch / "dir/last");
    for (apps::output_file* const each : {&linked, &made, &old, &last}) each->write(bytes_of("x"));
    if (fails) {
      fs::remove(scratch / "dir");
      CHECK_THROWS_AS(apps::output_file::commit_together({&linked, &made, &old, &last}),
                      apps::file_error);
      CHECK_FALSE(fs::exists(scratch / "new"));
      CHECK(read_bytes(scratch / "old") == "precious");
      CHECK(read_bytes(scratch / "linked") == "precious");
      CHECK(scratch.entries() == 3);
      fs::create_directory(scratch / "dir");
    } else {
      apps::output_file::commit_together({&linked, &made, &old, &last});
      for (auto const* name : {"linked", "link", "new", "old", "dir/last"}) {
        CHECK(read_bytes(scratch / name) == "x");
      }
      CHECK(scratch.entries() == 5);
    }
  }
}

TEST_CASE("an array writer holds its caller to what was announced") {
  scratch_directory const scratch;
  std::int32_t const items[] = {1, 2};
  apps::array_writer out(scratch / "x");
  CHECK_THROWS_AS(out.append(std::span<std::int32_t const>(items)), libscan::invalid_argument);
  using apps::file_format;
  CHECK_THROWS_AS(out.begin(apps::dtype::i32, 3, file_format::automatic),
                  libscan::invalid_argument);
  out.begin(apps::dtype::i32, 3, file_format::npy);
  CHECK_THROWS_AS(out.begin(apps::dtype::i32, 3, file_format::npy), libscan::invalid_argument);
  out.append(std::span<std::int32_t const>(items));
  CHECK_THROWS_AS(out.append(apps::dtype::u32, {}), libscan::invalid_argument);
  CHECK_THROWS_AS(out.append(std::span<std::int32_t const>(items)), libscan::invalid_argument);
  CHECK_THROWS_AS(out.commit(), libscan::invalid_argument);
}

TEST_CASE("an output has the input's format unless its name says otherwise") {
  using apps::file_format;
  CHECK(apps::output_format("x.npy.gz", file_format::text) == file_format::npy);
  CHECK(apps::output_format("x.out", file_format::text) == file_format::text);
  CHECK(apps::output_format("-", file_format::raw) == file_format::raw);
}
