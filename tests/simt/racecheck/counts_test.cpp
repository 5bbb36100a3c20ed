// SPDX-License-Identifier: Apache-2.0
// What the checker counts: bank conflicts of shared memory, sectors of global memory, each on the
// line of the kernel that is to blame, and the same under every schedule.
#include <functional>
#include <memory>
#include <ostream>
#include <utility>

#include <libscan/core/operators.hpp>
#include <libscan/scan.cuh>
#include <tests/simt/racecheck/finding.hpp>

namespace libscan::test {

namespace {

using simt::executor::line_counts;

/// All counts of a launch.
template <class Launch>
simt::executor::counts counts_of(Launch launch, simt::executor::settings how = {}) {
  simt::executor::counts counts;
  how.count = &counts;
  REQUIRE(error_of(launch, how) == "");
  return counts;
}

/// What one line of this file did in a launch.
template <class Launch>
line_counts counted(Launch launch, char const* mark, simt::executor::settings const& how = {}) {
  return counts_of(launch, how).by_line[{__FILE__, line_marked(__FILE__, mark)}];
}

/// Accesses, passes, passes without conflicts.
struct shared_counts {
  std::int64_t accesses, wavefronts, ideal, worst;
  friend bool operator==(shared_counts const&, shared_counts const&) = default;
  friend std::ostream& operator<<(std::ostream& to, shared_counts const& c) {
    return to << c.accesses << " accesses, " << c.wavefronts << " wavefronts, " << c.ideal
              << " ideal, " << c.worst << "-way";
  }
};

shared_counts shared_part(line_counts const& c) {
  return {c.shared_accesses, c.shared_wavefronts, c.shared_ideal, c.shared_worst};
}

/// Each thread writes N items, as one vector, at thread * stride vectors.
template <class T, int N = 1>
struct stride_kernel {
  __device__ void operator()(int stride, bool some) const {
    int const thread = static_cast<int>(threadIdx.x);
    T* const items = simt::dynamic_shared<T>() + thread * stride * N;
    simt::vector<T, N> const zeros{};
    if (!some || thread % 3 == 0) simt::store_shared_vector<N>(items, zeros);  //: scatter
  }
};

template <class T, int N = 1>
shared_counts of_stride(int stride, int banks = 32, unsigned threads = 32, bool some = false) {
  simt::executor::settings how;
  how.shared_banks = banks;
  using kernel = stride_kernel<T, N>;
  auto const launch = [&] {
    simt::launch<kernel>({.blocks = 1, .threads = threads, .dynamic_shared_bytes = 64 * 1024},
                         stride, some);
  };
  return shared_part(counted(launch, "scatter", how));
}

/// Lanes read shared memory at any place.
template <class T, int N, class Where>
struct gather_kernel {
  __device__ void operator()(T* out, Where where) const {
    T* const items = simt::dynamic_shared<T>();
    int const lane = static_cast<int>(threadIdx.x);
    for (int k = lane; k < 1024; k += 32) items[k] = T{};
    simt::sync_block();
    T const* const from = items + where(lane);
    simt::vector<T, N> const some = simt::load_vector<N>(from);  //: gather
    out[lane] = some.item[N - 1];
  }
};

template <class T, int N = 1, class Where>
shared_counts of_gather(Where where) {
  using kernel = gather_kernel<T, N, Where>;
  std::vector<T> out(32);
  auto const launch = [&] {
    simt::launch<kernel>({.blocks = 1, .threads = 32, .dynamic_shared_bytes = 1024 * sizeof(T)},
                         out.data(), where);
  };
  return shared_part(counted(launch, "gather"));
}

template <class T>
struct copy_kernel {
  __device__ void operator()(T const* in, T* out, int stride) const {
    int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];  //: copy
  }
};

/// Global accesses and sectors of reading and writing `threads` items.
template <class T>
std::pair<std::int64_t, std::int64_t> of_copy(int stride, int offset, unsigned threads = 32) {
  struct alignas(128) buffer {
    T item[2048];
  };
  auto const in = std::make_unique<buffer>(), out = std::make_unique<buffer>();
  auto const launch = [&] {
    simt::launch<copy_kernel<T>>({.blocks = 1, .threads = threads},
                                 static_cast<T const*>(in->item + offset), out->item + offset,
                                 stride);
  };
  line_counts const c = counted(launch, "copy");
  return {c.global_accesses, c.global_sectors};
}

struct quad {
  alignas(16) int item[4];
};

using sectors = std::pair<std::int64_t, std::int64_t>;

/// Lanes repeat an access `rounds` times, or as often as their number says; half of them join a
/// second one.
struct loop_kernel {
  struct shared_storage {
    int item[32];
  };
  __device__ void operator()(shared_storage& shared, int rounds) const {
    unsigned const lane = threadIdx.x;
    int volatile* const mine = &shared.item[lane];  // or compilers keep only the last
    for (int k = 0; k < rounds; ++k) {
      *mine = k;  //: even loop
    }
    for (unsigned k = 0; k <= lane % 4; ++k) *mine = 1;  //: uneven loop
    if (lane < 16) *mine = 2;                            //: half a warp
    simt::sync_warp(lane < 16 ? 0xffffu : 0xffff0000u);
    *mine = 3;  //: after
  }
};

struct attribution_kernel {
  struct shared_storage {
    int item[64];
  };
  __device__ void operator()(shared_storage& shared, int* out) const {
    int const i = static_cast<int>(threadIdx.x);
    shared.item[i] = i;                                   //: plain
    simt::atomic_ref<int>(shared.item[i + 32]).store(1);  //: atomic
    simt::sync_warp();
    int const sum = std::plus<int>{}(shared.item[i], shared.item[31 - i]);  //: through a header
    out[i] = sum;
  }
};

struct bulk_kernel {
  struct shared_storage {
    alignas(16) int stage[64];
    simt::mbarrier full;
  };
  __device__ void operator()(shared_storage& shared, int const* in, int* out) const {
    if (threadIdx.x == 0) {
      shared.full.init(1);
      shared.full.arrive_expect(sizeof shared.stage);
      simt::bulk_load(shared.stage, in, sizeof shared.stage, shared.full);  //: bulk copy
    }
    simt::sync_block();
    shared.full.wait(0);
    out[threadIdx.x] = shared.stage[threadIdx.x];
  }
};

}  // namespace

TEST_CASE("strides of 4-byte words: 32 banks") {
  for (int const stride : {1, 3, 17, 33})
    CHECK(of_stride<int>(stride) == shared_counts{1, 1, 1, 1});
  for (int const stride : {2, 4, 8, 16, 32}) {
    CHECK(of_stride<int>(stride) == shared_counts{1, stride, 1, stride});
  }
}

TEST_CASE("strides of 4-byte words: 16 banks, half a warp at a time") {
  for (int const stride : {1, 3, 17, 33}) {
    CHECK(of_stride<int>(stride, 16) == shared_counts{1, 2, 2, 1});
  }
  for (int const stride : {2, 4, 8, 16}) {
    CHECK(of_stride<int>(stride, 16) == shared_counts{1, 2 * stride, 2, stride});
  }
  CHECK(of_stride<int>(32, 16) == shared_counts{1, 32, 2, 16});
  CHECK(of_stride<int>(2, 16, 16) == shared_counts{1, 2, 1, 2});
}

TEST_CASE("items narrower than a word share its bank") {
  CHECK(of_stride<unsigned char>(1) == shared_counts{1, 1, 1, 1});
  CHECK(of_stride<short>(1) == shared_counts{1, 1, 1, 1});
  CHECK(of_stride<short>(64) == shared_counts{1, 32, 1, 32});
}

TEST_CASE("wide items go by halves and quarters of a warp") {
  CHECK(of_stride<double>(1) == shared_counts{1, 2, 2, 1});
  CHECK(of_stride<double>(2) == shared_counts{1, 4, 2, 2});
  CHECK(of_stride<double>(17) == shared_counts{1, 2, 2, 1});
  CHECK(of_stride<int, 2>(1) == shared_counts{1, 2, 2, 1});
  CHECK(of_stride<int, 4>(1) == shared_counts{1, 4, 4, 1});
  CHECK(of_stride<int, 4>(2) == shared_counts{1, 8, 4, 2});
  CHECK(of_stride<double, 2>(1) == shared_counts{1, 4, 4, 1});
  CHECK(of_stride<unsigned char, 16>(1) == shared_counts{1, 4, 4, 1});
  CHECK(of_stride<double>(1, 32, 16) == shared_counts{1, 1, 1, 1});
  // Two instructions on a GPU, whose accesses are at most 16 bytes wide.
  CHECK(of_stride<double, 4>(1) == shared_counts{2, 16, 8, 2});
}

TEST_CASE("lanes that are absent ask for nothing") {
  CHECK(of_stride<int>(16, 32, 32, true) == shared_counts{1, 6, 1, 6});
  CHECK(of_stride<int>(1, 32, 70) == shared_counts{3, 3, 3, 1});
}

TEST_CASE("loads are counted like stores") {
  CHECK(of_gather<int>([](int lane) { return 31 - lane; }) == shared_counts{1, 1, 1, 1});
  CHECK(of_gather<int>([](int) { return 5; }) == shared_counts{1, 1, 1, 1});
  CHECK(of_gather<double>([](int) { return 5; }) == shared_counts{1, 2, 2, 1});
  CHECK(of_gather<int>([](int lane) { return lane / 2; }) == shared_counts{1, 1, 1, 1});
  CHECK(of_gather<int>([](int lane) { return lane % 2 * 32; }) == shared_counts{1, 2, 1, 2});
  CHECK(of_gather<int, 4>([](int lane) { return lane * 4; }) == shared_counts{1, 4, 4, 1});
  CHECK(of_gather<int, 4>([](int lane) { return lane * 32; }) == shared_counts{1, 32, 4, 8});
}

TEST_CASE("sectors of coalesced, strided and misaligned accesses") {
  // One line reads and writes: two accesses.
  CHECK(of_copy<int>(1, 0) == sectors{2, 2 * 4});
  CHECK(of_copy<int>(2, 0) == sectors{2, 2 * 8});
  CHECK(of_copy<int>(8, 0) == sectors{2, 2 * 32});
  CHECK(of_copy<int>(64, 0) == sectors{2, 2 * 32});
  CHECK(of_copy<int>(1, 1) == sectors{2, 2 * 5});
  CHECK(of_copy<unsigned char>(1, 0) == sectors{2, 2 * 1});
  CHECK(of_copy<unsigned char>(1, 1) == sectors{2, 2 * 2});
  CHECK(of_copy<double>(1, 0) == sectors{2, 2 * 8});
  CHECK(of_copy<quad>(1, 0) == sectors{2, 2 * 16});
  CHECK(of_copy<int>(1, 0, 96) == sectors{6, 6 * 4});
  CHECK(of_copy<int>(1, 0, 40) == sectors{4, 2 * 5});
}

TEST_CASE("lanes meet in an access as often as the loop around it says") {
  for (auto const& how : schedules()) {
    auto const launch = [] { simt::launch<loop_kernel>({.blocks = 1, .threads = 32}, 5); };
    auto counts = counts_of(launch, how);
    auto const of = [&](char const* mark) {
      return counts.by_line[{__FILE__, line_marked(__FILE__, mark)}].shared_accesses;
    };
    CHECK(of("even loop") == 5);
    CHECK(of("uneven loop") == 4);
    CHECK(of("half a warp") == 1);
    CHECK(of("after") == 1);
  }
}

TEST_CASE("accesses of headers and operators count for the kernel's line") {
  std::vector<int> out(32);
  auto counts = counts_of(
      [&] { simt::launch<attribution_kernel>({.blocks = 1, .threads = 32}, out.data()); });
  auto const of = [&](char const* mark) {
    return counts.by_line[{__FILE__, line_marked(__FILE__, mark)}].shared_accesses;
  };
  CHECK(of("plain") == 1);
  CHECK(of("atomic") == 1);
  CHECK(of("through a header") == 2);
  CHECK(counts.total().shared_accesses == 4);
  CHECK(counts.total().global_accesses == 1);
}

TEST_CASE("a bulk copy counts where it is issued") {
  struct alignas(128) buffer {
    int item[64];
  };
  auto const in = std::make_unique<buffer>();
  std::vector<int> out(64);
  auto const launch = [&] {
    simt::launch<bulk_kernel>({.blocks = 1, .threads = 64}, static_cast<int const*>(in->item),
                              out.data());
  };
  line_counts const c = counted(launch, "bulk copy");
  CHECK(c.global_accesses == 1);
  CHECK(c.global_sectors == 8);
}

TEST_CASE("a library scan reads and writes each item once, on lines of its own") {
  constexpr index_t n = 100000;  // what tiles tell one another is small beside this
  struct alignas(128) buffer {
    int item[n];
  };
  auto const in = std::make_unique<buffer>(), out = std::make_unique<buffer>();
  workspace ws;
  auto const counts = counts_of([&] { exclusive_scan(ws, in->item, out->item, n, plus<int>{}); });
  std::int64_t const item_sectors = 2 * n * 4 / 32;
  CHECK(counts.total().global_sectors >= item_sectors);
  CHECK(counts.total().global_sectors < item_sectors + item_sectors / 10);
  for (auto const& [line, count] : counts.by_line) {
    INFO(line.file << ":" << line.line);
    CHECK(line.file.find("libscan/simt/") == std::string::npos);
    CHECK(line.file.find("/usr/") == std::string::npos);
  }
}

}  // namespace libscan::test
