// SPDX-License-Identifier: Apache-2.0
// Bulk insertion into a queue. Each item that leaves the queue puts any number of new items in. A
// scan of these numbers gives every item its place, without locks or atomics. Here the items are
// chess boards with queens in the first rows, and each is followed by those with one queen more.
#include <bit>
#include <cstdlib>

#include <examples/uses/program.hpp>

namespace examples {

/// The squares of the next row that queens above attack: straight, and along both diagonals.
struct board {
  unsigned columns, left, right;
};

/// The free squares of the next row.
LIBSCAN_HOST_DEVICE constexpr unsigned free_squares(board b, int size) {
  return ~(b.columns | b.left | b.right) & ((1u << size) - 1);
}

/// With a queen on a square of the next row.
LIBSCAN_HOST_DEVICE constexpr board with_queen(board b, unsigned square) {
  return {b.columns | square, (b.left | square) << 1, (b.right | square) >> 1};
}

/// The length of the queue after each row; the last one is the number of solutions.
template <class Engine>
std::vector<index_t> place_queens(Engine& on, int size) {
  auto queue = on.array(std::vector<board>{{0, 0, 0}});
  std::vector<index_t> lengths;
  for (int row = 0; row < size; ++row) {
    auto const wanted =
        generate<index_t>(on, queue.size(), [=, q = queue.data()] __device__(index_t i) {
          return index_t{simt::popc(free_squares(q[i], size))};
        });
    auto const [places, total] = on.exclusive_scan(wanted, plus<index_t>{});
    auto next = on.array(std::vector<board>(static_cast<std::size_t>(total)));
    on.each(queue.size(),
            [=, q = queue.data(), place = places.data(), next = next.data()] __device__(index_t i) {
              board* to = next + place[i];
              for (unsigned free = free_squares(q[i], size); free != 0; free &= free - 1) {
                *to++ = with_queen(q[i], free & -free);
              }
            });
    queue = std::move(next);
    lengths.push_back(total);
  }
  return lengths;
}

/// The loop, which is a recursion: one board after another.
inline void place_queens_by_loop(board b, std::size_t row, int size,
                                 std::vector<index_t>& lengths) {
  if (row == lengths.size()) return;
  for (int column = 0; column < size; ++column) {
    unsigned const square = 1u << column;
    if ((free_squares(b, size) & square) == 0) continue;
    ++lengths[row];
    place_queens_by_loop(with_queen(b, square), row + 1, size, lengths);
  }
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words given) {
        int const size = given.empty() ? 8 : std::atoi(given[0]);
        if (size < 1 || size > 12) throw invalid_argument("queue: board of size 1 to 12 expected");
        auto const lengths = place_queens(on, size);
        print("boards after each row", lengths);
        std::printf("%d queens: %d solutions\n", size, static_cast<int>(lengths.back()));
      },
      [](auto& on, index_t n, random_numbers&) {
        int const size = static_cast<int>(n % 9);
        std::vector<index_t> expected(static_cast<std::size_t>(size));
        place_queens_by_loop({0, 0, 0}, 0, size, expected);
        return place_queens(on, size) == expected;
      });
}
