// SPDX-License-Identifier: Apache-2.0
// Plug-ins that each contain a libscan, in one process: with their own symbols or with shared ones,
// called from several threads at once, closed and opened again, and in a child that fork makes.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/sizes.hpp>

namespace {

using is_right = int (*)(std::size_t);
constexpr std::size_t many = libscan::test::sized(1 << 17, 1 << 16);  // several chunks

/// A plug-in while it is open.
class plug_in {
 public:
  plug_in(char const* path, int scope) : handle_(::dlopen(path, RTLD_NOW | scope)) {
    if (handle_ == nullptr) FAIL(::dlerror());
    call_ = reinterpret_cast<is_right>(::dlsym(handle_, "libscan_copy_is_right"));
    REQUIRE(call_ != nullptr);
  }
  ~plug_in() { ::dlclose(handle_); }
  plug_in(plug_in const&) = delete;
  plug_in& operator=(plug_in const&) = delete;

  bool right(std::size_t n) const { return call_(n) == 1; }

 private:
  void* handle_;
  is_right call_ = nullptr;
};

/// Whether both are right, in turns and at once.
void require_right(plug_in const& a, plug_in const& b) {
  CHECK(a.right(many));
  CHECK(b.right(many));
  std::vector<int> right(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < right.size(); ++i) {
      threads.emplace_back(
          [&, i] { right[i] = (i % 2 == 0 ? a : b).right(i < 2 ? many : 100) ? 1 : 0; });
    }
  }
  CHECK(right == std::vector<int>(right.size(), 1));
}

void require_right_in_child(plug_in const& a, plug_in const& b) {
  pid_t const child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(a.right(many) && b.right(many) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}

}  // namespace

TEST_CASE("Plug-ins with a libscan each do not disturb each other") {
  int const local = RTLD_LOCAL, global = RTLD_GLOBAL;
  for (auto const& [first, second] :
       {std::pair{local, local}, std::pair{global, global}, std::pair{global, local}}) {
    CAPTURE(first, second);
    for (int round = 0; round < (first == global || libscan::test::quick_types ? 1 : 2); ++round) {
      plug_in const a(LIBSCAN_TEST_COPY_A, first);
      CHECK(a.right(many));
      plug_in const b(LIBSCAN_TEST_COPY_B, second);
      require_right(a, b);
      require_right_in_child(a, b);
      require_right(a, b);
    }
  }
}

TEST_CASE("A plug-in is right after another one is gone") {
  plug_in const a(LIBSCAN_TEST_COPY_A, RTLD_LOCAL);
  {
    plug_in const b(LIBSCAN_TEST_COPY_B, RTLD_GLOBAL);
    require_right(a, b);
  }
  CHECK(a.right(many));
  plug_in const b(LIBSCAN_TEST_COPY_B, RTLD_LOCAL);
  require_right(a, b);
}
