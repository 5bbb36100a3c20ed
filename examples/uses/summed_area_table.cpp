// SPDX-License-Identifier: Apache-2.0
// A summed-area table: entry (r, c) is the sum of all pixels above and to the left, so the sum over
// any rectangle takes four reads (Crow 1984). Scans along the rows, then along the columns.
#include <examples/uses/program.hpp>

namespace examples {

/// The image of `columns` times n / columns pixels with rows and columns exchanged.
template <class T, class Engine, class Array>
Array transpose(Engine& on, Array const& image, index_t columns) {
  index_t const rows = image.size() / columns;
  return generate<T>(on, image.size(), [=, pixels = image.data()] __device__(index_t i) {
    return pixels[i % rows * columns + i / rows];
  });
}

/// The sums of each row, from its begin.
template <class Engine, class Array>
Array scan_rows(Engine& on, Array const& image, index_t columns) {
  auto const begins = generate<std::uint8_t>(
      on, image.size(), [columns] __device__(index_t i) { return i % columns == 0; });
  return on.inclusive_segmented_scan(image, begins, plus<int>{});
}

/// The table of an image with `columns` pixels in each row.
template <class Engine>
std::vector<int> summed_areas(Engine& on, std::vector<int> const& image, index_t columns) {
  if (image.empty()) return {};
  index_t const rows = std::ssize(image) / columns;
  auto const along_rows = scan_rows(on, on.array(image), columns);
  auto const along_both = scan_rows(on, transpose<int>(on, along_rows, columns), rows);
  return transpose<int>(on, along_both, rows).copy();
}

/// The loop.
inline std::vector<int> summed_areas_by_loop(std::vector<int> image, std::size_t columns) {
  for (std::size_t i = 0; i < image.size(); ++i) {
    if (i % columns > 0) image[i] += image[i - 1];
  }
  for (std::size_t i = columns; i < image.size(); ++i) image[i] += image[i - columns];
  return image;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words) {
        auto const table = summed_areas(on, {3, 1, 7, 0, 4, 1, 6, 3, 1, 1, 1, 1}, 4);
        for (auto row = table.begin(); row != table.end(); row += 4) {
          print(" ", std::span(row, 4));
        }
        std::printf("rows 1-2, columns 1-2: %d\n", table[10] - table[2] - table[8] + table[0]);
      },
      [](auto& on, index_t n, random_numbers& random) {
        index_t const columns = 1 + random.below(n + 1);
        auto const image = random.vector<int>(n / columns * columns, 256);
        return summed_areas(on, image, columns) ==
               summed_areas_by_loop(image, static_cast<std::size_t>(columns));
      });
}
