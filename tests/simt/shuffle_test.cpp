// SPDX-License-Identifier: Apache-2.0
// All shuffles on both machines against the PTX ISA: types of 1 to 16 bytes, all widths and
// arguments, whole, partial and split warps.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <libscan/simt/simt.cuh>
#include <tests/simt/warp_shapes.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

namespace libscan::test {

namespace {

struct three_floats {
  float x, y, z;
};
struct two_longs {
  std::int64_t first, second;
};

template <class T>
__host__ __device__ T value_of(int rank) {
  T value;
  unsigned char bytes[sizeof(T)];
  for (unsigned i = 0; i < sizeof(T); ++i) {
    bytes[i] = static_cast<unsigned char>(scramble(static_cast<unsigned>(rank) * 16 + i) % 127);
  }
  memcpy(&value, bytes, sizeof(T));
  return value;
}

constexpr int shuffle_widths = 6;  // 1, 2, ... 32
constexpr int shuffle_arguments = 34;
constexpr int shuffles_per_thread = shuffle_widths * shuffle_arguments * 4;

template <class T>
struct shuffle_kernel {
  __device__ void operator()(split how, T* out) const {
    int const rank = simt::thread_rank();
    int const mine = group_of(how, simt::lane_id());
    T const value = value_of<T>(rank);
    T* const to = out + rank * shuffles_per_thread;
    for (int group = 0; group < max_groups; ++group) {
      if (group == mine) shuffle(mask_of(how, group), value, to);
    }
  }

  __device__ static void shuffle(unsigned mask, T value, T* to) {
    for (int width = 1; width <= 32; width *= 2) {
      for (int argument = 0; argument < shuffle_arguments; ++argument) {
        unsigned const distance = static_cast<unsigned>(argument) % 32;
        *to++ = simt::shfl(mask, value, argument, width);
        *to++ = simt::shfl_up(mask, value, distance, width);
        *to++ = simt::shfl_down(mask, value, distance, width);
        *to++ = simt::shfl_xor(mask, value, argument % 32, width);
      }
    }
  }
};

/// The lane that a shuffle reads, by the pseudocode of the PTX ISA (9.7.9.6, shfl.sync).
int source_of(int kind, int argument, int width, int lane) {
  int const segment = 32 - width;
  int const clamp = kind == 1 ? 0 : 31;
  int const most = (lane & segment) | (clamp & ~segment);
  int const least = lane & segment;
  int source = 0;
  bool reached = false;
  switch (kind) {
    case 0:
      source = least | (argument & 31 & ~segment);
      reached = source <= most;
      break;
    case 1:
      source = lane - argument % 32;
      reached = source >= most;
      break;
    case 2:
      source = lane + argument % 32;
      reached = source <= most;
      break;
    default:
      source = lane ^ argument % 32;
      reached = source <= most;
  }
  return reached ? source : lane;
}

template <class T>
std::string wrong_shuffle(block_shape shape, split how, std::vector<T> const& got) {
  for (int rank = 0; rank < shape.size(); ++rank) {
    T const* result = got.data() + rank * shuffles_per_thread;
    for (int width = 1; width <= 32; width *= 2) {
      for (int argument = 0; argument < shuffle_arguments; ++argument) {
        for (int kind = 0; kind < 4; ++kind, ++result) {
          int const source = source_of(kind, argument, width, rank % 32);
          if ((members(how, rank, shape.size()) >> source & 1u) == 0) continue;  // undefined
          T const expected = value_of<T>(rank / 32 * 32 + source);
          if (std::memcmp(result, &expected, sizeof(T)) == 0) continue;
          return words(shape, how, rank) + ", shuffle " + std::to_string(kind) + ", argument " +
                 std::to_string(argument) + ", width " + std::to_string(width);
        }
      }
    }
  }
  return "";
}

template <class T>
void require_shuffles(block_shape shape) {
  for (split const how : splits) {
    device_buffer<T> const out(static_cast<std::size_t>(shape.size() * shuffles_per_thread));
    simt::launch<shuffle_kernel<T>>({.blocks = 1, .threads = {shape.x, shape.y, shape.z}}, how,
                                    out.data());
    REQUIRE(wrong_shuffle(shape, how, out.copy()) == "");
  }
}

}  // namespace

TEST_CASE("shuffles of all types, widths and arguments read the lane that PTX says") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (block_shape const shape : shapes) {
      require_shuffles<std::uint8_t>(shape);
      require_shuffles<three_floats>(shape);
      if constexpr (!quick_types) {
        require_shuffles<double>(shape);
        require_shuffles<std::int16_t>(shape);
        require_shuffles<int>(shape);
        require_shuffles<two_longs>(shape);
      }
    }
  });
}

}  // namespace libscan::test
