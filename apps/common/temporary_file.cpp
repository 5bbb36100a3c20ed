// SPDX-License-Identifier: Apache-2.0
#include <apps/common/temporary_file.hpp>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include <apps/common/exit_code.hpp>

namespace libscan::apps {
namespace {

std::string chosen_directory;

}  // namespace

void set_temporary_directory(std::string const& directory) { chosen_directory = directory; }

std::string temporary_directory(std::string const& otherwise) {
  if (!chosen_directory.empty()) return chosen_directory;
  char const* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : otherwise;
}

int create_nameless(std::string const& directory) {
  int const nameless = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (nameless >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return nameless;
  // NFS, for example: the name lasts for a moment.
  std::string name = directory + "/.libscan-XXXXXX";
  int const named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

temporary_file::temporary_file(std::string const& otherwise)
    : directory_(temporary_directory(otherwise)),
      file_(std::make_shared<descriptor>(create_nameless(directory_))) {
  if (file_->get() < 0) check(errno);
  writer_.emplace(file_->get(), block_writer::target::file);
}

void temporary_file::check(int error) const {
  if (error == 0) return;
  throw file_error::from_errno(directory_, "cannot write a temporary file (see --temp and TMPDIR)",
                               error);
}

std::uint64_t temporary_file::free_space() const {
  struct statvfs system = {};
  // Without a size the file system does not tell what is free.
  if (::fstatvfs(file_->get(), &system) != 0 || system.f_blocks == 0) return ~std::uint64_t{0};
  std::uint64_t const free_blocks = ::geteuid() == 0 ? system.f_bfree : system.f_bavail;
  return free_blocks * system.f_frsize;
}

void temporary_file::require_space(std::uint64_t bytes) const {
  std::uint64_t const free_bytes = free_space();
  if (free_bytes >= bytes) return;
  throw file_error(directory_, "cannot hold a temporary file of " + std::to_string(bytes) +
                                   " bytes (see --temp and TMPDIR): " + std::to_string(free_bytes) +
                                   " bytes are free");
}

void temporary_file::write(std::span<std::byte const> bytes) {
  check(writer_->write(bytes));
  size_ += bytes.size();
}

void temporary_file::pad() {
  constexpr std::size_t sector = 4096;
  static constexpr std::array<std::byte, sector> zeros{};
  write({zeros.data(), (sector - size_ % sector) % sector});
}

void temporary_file::finish() {
  if (!writer_) return;
  int const error = writer_->finish();
  writer_.reset();
  check(error);
}

}  // namespace libscan::apps
