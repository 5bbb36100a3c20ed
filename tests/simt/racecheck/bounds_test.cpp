// SPDX-License-Identifier: Apache-2.0
// Accesses outside buffers: each is found at its line with its distance from the nearest buffer;
// accesses of the host's own memory and of every byte inside a buffer are not reported.
#include <cstring>
#include <vector>

#include <tests/simt/mistakes/mistake.hpp>
#include <tests/simt/racecheck/finding.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

namespace libscan::test {

namespace {

template <class Kernel, class... Args>
auto launching(unsigned threads, Args... args) {
  return [=] { simt::launch<Kernel>({.blocks = 1, .threads = threads}, args...); };
}

struct read_kernel {
  __device__ void operator()(int const* from, int* out) const {
    out[threadIdx.x] = from[threadIdx.x];  //: read
  }
};

struct write_kernel {
  __device__ void operator()(int* to) const {
    to[threadIdx.x] = 1;  //: write
  }
};

struct atomic_kernel {
  __device__ void operator()(int* to) const {
    simt::atomic_ref<int>(to[threadIdx.x]).fetch_add(1, simt::memory_order_relaxed);  //: atomic
  }
};

struct vector_kernel {
  __device__ void operator()(int const* from, int* out) const {
    auto const four = simt::load_vector<4>(from + 4 * threadIdx.x);  //: vector
    out[threadIdx.x] = four.item[0] + four.item[3];
  }
};

struct copy_kernel {
  __device__ void operator()(char const* from, char* to, std::size_t bytes) const {
    std::memcpy(to, from, bytes);  //: memcpy
  }
};

struct byte_kernel {
  __device__ void operator()(unsigned char const* from, unsigned char* out) const {
    out[threadIdx.x] = from[threadIdx.x];  //: byte
  }
};

/// Reads `distance` items past its own static or dynamic shared memory.
struct shared_kernel {
  struct shared_storage {
    int item[32];
  };
  __device__ void operator()(shared_storage& shared, bool dynamic, int distance, int* out) const {
    int* const items = dynamic ? simt::dynamic_shared<int>() : shared.item;
    items[threadIdx.x] = 1;
    simt::sync_block();
    if (threadIdx.x == 0) out[0] = items[distance];  //: shared
  }
};

/// Block 1 reads what block 0 has in shared memory.
struct other_block_kernel {
  struct shared_storage {
    int item[32];
  };
  __device__ void operator()(shared_storage& shared, int const** known, int* out) const {
    shared.item[threadIdx.x] = 1;
    simt::sync_block();
    auto const place = simt::atomic_ref<int const*>(*known);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) place.store(&shared.item[3], simt::memory_order_release);
    if (blockIdx.x == 1) {
      int const* from = nullptr;
      while (from == nullptr) from = place.load(simt::memory_order_acquire);
      *out = *from;  //: other block
    }
  }
};

struct two_kernel {
  __device__ void operator()(int const* a, int const* b, int* out) const {
    if (threadIdx.x == 0) out[0] = *a + *b;
  }
};

}  // namespace

TEST_CASE("every item of a buffer may be read and written, none beside it") {
  device_buffer<int> const in(iota(100)), out(128);
  silent(launching<read_kernel>(100, static_cast<int const*>(in.data()), out.data()));
  found(launching<read_kernel>(101, static_cast<int const*>(in.data()), out.data()),
        {"read_kernel, block (0,0,0): thread 100 reads 4 bytes at " + at(__FILE__, "read") +
         ", out of bounds: 0 bytes past the end of a buffer of 400 bytes"});
  found(launching<read_kernel>(1, static_cast<int const*>(in.data()) + 101, out.data()),
        {"thread 0 reads 4 bytes at", "4 bytes past the end of a buffer of 400 bytes"});
  found(launching<read_kernel>(1, static_cast<int const*>(in.data()) - 2, out.data()),
        {"8 bytes before the beginning of a buffer of 400 bytes"});
  silent(launching<write_kernel>(128, out.data()));
  found(launching<write_kernel>(128, out.data() + 1),
        {"thread 127 writes 4 bytes at " + at(__FILE__, "write"),
         "0 bytes past the end of a buffer of 512 bytes"});
}

TEST_CASE("atomic, vector and block-wise accesses outside a buffer are found") {
  device_buffer<int> const in(iota(102)), out(128);
  found(launching<atomic_kernel>(103, in.data()),
        {"thread 102 atomically writes 4 bytes at " + at(__FILE__, "atomic")});
  silent(launching<vector_kernel>(25, static_cast<int const*>(in.data()), out.data()));
  found(launching<vector_kernel>(26, static_cast<int const*>(in.data()), out.data()),
        {"thread 25 reads 16 bytes at " + at(__FILE__, "vector"),
         "0 bytes past the end of a buffer of 408 bytes"});
  device_buffer<char> const text(std::vector<char>(50, 'x')), copy(64);
  silent(launching<copy_kernel>(1, static_cast<char const*>(text.data()), copy.data(),
                                std::size_t{50}));
  found(launching<copy_kernel>(1, static_cast<char const*>(text.data()), copy.data(),
                               std::size_t{51}),
        {"thread 0 reads 1 bytes at " + at(__FILE__, "memcpy"),
         "0 bytes past the end of a buffer of 50 bytes"});
}

TEST_CASE("reads of shared memory past its end are found") {
  device_buffer<int> const out(1);
  for (bool const dynamic : {false, true}) {
    auto const reading = [&](int distance) {
      return [&out, dynamic, distance] {
        simt::launch<shared_kernel>(
            {.blocks = 1, .threads = 32, .dynamic_shared_bytes = 32 * sizeof(int)}, dynamic,
            distance, out.data());
      };
    };
    std::string const part = dynamic ? "dynamic" : "static";
    silent(reading(31));
    found(reading(32), {"thread 0 reads 4 bytes at " + at(__FILE__, "shared"),
                        "0 bytes past the end of the " + part + " shared memory of 128 bytes"});
    found(reading(-1),
          {"4 bytes before the beginning of the " + part + " shared memory of 128 bytes"});
  }
}

TEST_CASE("shared memory of another block is out of bounds without a cluster") {
  device_buffer<int> const out(1);
  device_buffer<int const*> const known(std::vector<int const*>(1, nullptr));
  std::string const error = error_of(
      [&] {
        simt::launch<other_block_kernel>({.blocks = 2, .threads = 32}, known.data(), out.data());
      },
      {});
  INFO(error);
  CHECK(error.find("thread 0 reads 4 bytes at " + at(__FILE__, "other block")) !=
        std::string::npos);
  CHECK(error.find("12 bytes into the static shared memory of 128 bytes of another block") !=
        std::string::npos);
}

TEST_CASE("freed device memory is out of bounds") {
  device_buffer<int> const out(128);
  int const* freed = nullptr;
  {
    device_buffer<int> const in(iota(100));
    freed = in.data();
  }
  found(launching<read_kernel>(1, freed + 2, out.data()),
        {"thread 0 reads 4 bytes at", "8 bytes into a freed buffer of 400 bytes"});
}

TEST_CASE("the host's own memory is not checked") {
  std::vector<int> const host(101, 1);
  device_buffer<int> const out(128);
  silent(launching<read_kernel>(100, host.data(), out.data()));
  int const local = 3;
  silent(launching<two_kernel>(32, &local, host.data() + 100, out.data()));
}

TEST_CASE("canaries are out of bounds for kernels, to the byte") {
  device_buffer<int> const ints(128);
  device_buffer<unsigned char> const bytes(128);
  device_image<int> image(iota(100), 1);
  silent(launching<read_kernel>(100, static_cast<int const*>(image.data()), ints.data()));
  found(launching<read_kernel>(101, static_cast<int const*>(image.data()), ints.data()),
        {"thread 100 reads", "0 bytes past the end of a buffer of 400 bytes"});
  found(launching<read_kernel>(1, static_cast<int const*>(image.data()) - 1, ints.data()),
        {"4 bytes before the beginning of a buffer of 400 bytes"});
  CHECK(image.read() == iota(100));
  CHECK(image.damage().empty());
  found(launching<read_kernel>(101, static_cast<int const*>(image.data()), ints.data()),
        {"0 bytes past the end"});

  device_image<unsigned char> odd(std::vector<unsigned char>(5, 1), 3);
  auto const* const first = static_cast<unsigned char const*>(odd.data());
  silent(launching<byte_kernel>(5, first, bytes.data()));
  found(launching<byte_kernel>(6, first, bytes.data()),
        {"thread 5 reads 1 bytes at " + at(__FILE__, "byte"),
         "0 bytes past the end of a buffer of 5 bytes"});
  found(launching<byte_kernel>(1, first - 1, bytes.data()),
        {"1 bytes before the beginning of a buffer of 5 bytes"});

  device_image<int> empty(0);
  found(launching<read_kernel>(1, static_cast<int const*>(empty.data()), ints.data()),
        {"0 bytes past the end of a buffer of 0 bytes"});
}

TEST_CASE("what is forbidden is allowed again") {
  device_buffer<int> const in(iota(100)), out(128);
  simt::executor::forbid(in.data() + 50, 200);
  found(launching<read_kernel>(51, static_cast<int const*>(in.data()), out.data()),
        {"thread 50 reads", "0 bytes past the end of a buffer of 200 bytes"});
  simt::executor::allow(in.data() + 50, 200);
  silent(launching<read_kernel>(100, static_cast<int const*>(in.data()), out.data()));
}

}  // namespace libscan::test
