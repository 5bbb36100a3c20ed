// SPDX-License-Identifier: Apache-2.0
// A directory for the files of one test, removed with them in the end.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace libscan::test {

/// A fresh empty directory in the system's place for temporary files.
class scratch_directory {
 public:
  scratch_directory() {
    // mkdtemp replaces the six letters.
    std::string name =
        (std::filesystem::temp_directory_path() / "libscan-test-").string() + std::string(6, 'X');
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed for " + name);
    path_ = name;
  }
  ~scratch_directory() { std::filesystem::remove_all(path_); }
  scratch_directory(scratch_directory const&) = delete;
  scratch_directory& operator=(scratch_directory const&) = delete;

  /// Path of the file `name` in it.
  std::string operator/(std::string const& name) const { return (path_ / name).string(); }

  /// Number of entries, hidden ones included.
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

/// Writes a file, as it is.
inline void write_bytes(std::string const& path, std::string const& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

/// The content of a file.
inline std::string read_bytes(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace libscan::test
