// SPDX-License-Identifier: Apache-2.0
// Recordings of scan-explain: the right results for every algorithm, block and kind; the counts
// that tests/block/claims_test.cpp finds, found again by way of the program; what is drawn.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <apps/explain/drawing.hpp>
#include <apps/explain/explain.hpp>
#include <apps/explain/stages.hpp>
#include <apps/explain/svg.hpp>
#include <apps/explain/text.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan::apps;
using libscan::test::quick_types;
using libscan::test::scaled;

namespace {

std::vector<std::int32_t> const paper{3, 1, 7, 0, 4, 1, 6, 3};

std::vector<std::string> const block_scans{"sequential",
                                           "quadratic",
                                           "hillis-steele",
                                           "kogge-stone",
                                           "kogge-stone-double-buffered",
                                           "blelloch",
                                           "blelloch-padded",
                                           "blelloch-fully-padded",
                                           "brent-kung"};
std::vector<std::string> const strategies{"scan-then-fan", "scan-then-propagate",
                                          "reduce-then-scan", "chained-scan",
                                          "decoupled-look-back"};

recorded_run record(std::string algorithm, std::vector<std::int32_t> items, int block = 0,
                    bool exclusive = false, unsigned seed = 0) {
  return record_scan({std::move(items), std::move(algorithm), block, exclusive, seed});
}

std::vector<std::int32_t> items_of(int count) {
  auto items = libscan::test::make_input<std::int32_t>(libscan::test::pattern::random, count);
  for (auto& item : items) item %= 1000;
  return items;
}

/// The numbers in an array after the last launch, or the launch of that number.
std::vector<std::int32_t> numbers(recorded_run const& run, std::string const& name,
                                  std::size_t launch = ~std::size_t{0}) {
  auto const& from = launch < run.launches.size() ? run.launches[launch] : run.launches.back();
  std::vector<std::int32_t> found;
  for (std::size_t a = 0; a < run.arrays.size(); ++a) {
    if (run.arrays[a].name != name) continue;
    for (traced const cell : from.after[a]) {
      REQUIRE(run.known(cell));
      found.push_back(run.of(cell).number);
    }
  }
  return found;
}

std::vector<std::int32_t> expected(std::vector<std::int32_t> items, bool exclusive) {
  std::int32_t sum = 0;
  for (auto& item : items) {
    std::int32_t const before = sum;
    sum += item;
    item = exclusive ? before : sum;
  }
  return items;
}

/// The items that a value is the sum of, in order.
void add_items(recorded_run const& run, traced name, std::vector<int>& items) {
  value const& made = run.of(name);
  if (made.from == origin::input) items.push_back(made.item);
  if (made.from != origin::sum) return;
  add_items(run, made.earlier, items);
  add_items(run, made.later, items);
}

launch_view only_view(recorded_run const& run) {
  auto const views = views_of(run);
  REQUIRE(views.size() == 1);
  return views.front();
}

std::vector<int> additions_by_stage(launch_view const& view) {
  std::vector<int> all;
  for (stage_view const& stage : view.stages) {
    if (stage.additions > 0) all.push_back(stage.additions);
  }
  return all;
}

int log2_of(int n) { return n <= 1 ? 0 : 1 + log2_of(n / 2); }

/// The right results, of the right items in order; every addition in some stage; a text; a drawing.
void check_scan(std::string const& algorithm, int count, int block, bool exclusive,
                unsigned seed = 0) {
  INFO(algorithm << " of " << count << ", block " << block << (exclusive ? ", exclusive" : "")
                 << ", seed " << seed);
  auto const items = items_of(count);
  recorded_run const run = record(algorithm, items, block, exclusive, seed);
  CHECK((block == 0 || run.launches.front().threads <= block));
  CHECK(numbers(run, "output") == expected(items, exclusive));
  CHECK(numbers(run, "total").front() == std::accumulate(items.begin(), items.end(), 0));
  cells const& out = run.launches.back().after[1];
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::vector<int> parts;
    add_items(run, out[i], parts);
    std::vector<int> all(exclusive ? i : i + 1);
    std::iota(all.begin(), all.end(), 0);
    CHECK(parts == all);
  }
  int additions = 0;
  for (launch_view const& view : views_of(run)) additions += view.additions;
  auto const sums = std::count_if(run.values.begin(), run.values.end(),
                                  [](value const& v) { return v.from == origin::sum; });
  CHECK(additions == sums);  // no stage is forgotten
  CHECK(!text_of(run, {}).empty());
  // The time to draw grows with the square of the cells, which are as many as the threads.
  if (!libscan::test::quick_types || block <= 8) CHECK(svg_of(run).ends_with("</svg>\n"));
}

/// The smallest blocks an algorithm can do with: there must be fewer blocks than items.
int min_block(std::string const& algorithm, int count) {
  bool const alone = algorithm != "scan-then-fan" && count == 1;
  bool const fans = algorithm == "scan-then-fan" ||
                    (algorithm != "brent-kung" && !algorithm.starts_with("blelloch") &&
                     std::count(strategies.begin(), strategies.end(), algorithm) == 0);
  return fans && !alone ? 2 : 1;
}

}  // namespace

TEST_CASE("every recorded scan gives the right result, made of the right items in order") {
  for (bool const exclusive : {false, true}) {
    for (int const count : {1, 2, 3, 5, 8, 13, 40}) {
      for (auto const& name : block_scans) {
        check_scan(name, count, 0, exclusive);
        check_scan(name, count, 4, exclusive, 7);
      }
      for (auto const& name : strategies) {
        check_scan(name, count, 0, exclusive);
        check_scan(name, count, 2, exclusive, 7);
      }
    }
  }
}

TEST_CASE("the largest blocks, too") {
  for (std::string const& name : strategies) check_scan(name, 3, max_threads, false);
}

TEST_CASE("blocks of every size, by every algorithm") {
  std::vector<std::string> all = block_scans;
  all.insert(all.end(), strategies.begin(), strategies.end());
  for (std::string const& name : all) {
    for (bool const exclusive : {false, true}) {
      for (int const count : {1, 7, 41}) {
        if (quick_types && exclusive == (count == 7)) continue;  // each count once
        int const least = min_block(name, count);
        int const step = count == 7 ? 1 : 3;
        for (int block = least; block <= 34; block += block < 9 ? step : scaled(step, 12)) {
          check_scan(name, count, block, exclusive);
        }
        check_scan(name, count, 65, exclusive);
        if (least == 1) continue;
        CHECK_THROWS_WITH(record(name, items_of(count), 1, exclusive),
                          Catch::Matchers::Contains("--block 2 or more"));
      }
    }
  }
}

TEST_CASE("the walkthrough's numbers: 8 items in 2 blocks of 4") {
  recorded_run const run = record("scan-then-fan", paper, 4);
  REQUIRE(run.launches.size() == 3);
  CHECK(run.launches[0].blocks == 2);
  CHECK(run.launches[0].threads == 4);
  CHECK(numbers(run, "output", 0) == std::vector<std::int32_t>{3, 4, 11, 11, 4, 5, 11, 14});
  CHECK(numbers(run, "block sums", 0) == std::vector<std::int32_t>{11, 14});
  // Its scanned sums are 11, 25. A block takes the one before its own: 0, 11 (and 25).
  CHECK(numbers(run, "block sums", 1) == std::vector<std::int32_t>{0, 11});
  CHECK(numbers(run, "total", 1) == std::vector<std::int32_t>{25});
  CHECK(numbers(run, "output") == std::vector<std::int32_t>{3, 4, 11, 11, 15, 16, 22, 25});
}

TEST_CASE("the lecture's sandwich: 100 inches, 39 left") {
  recorded_run const run = record("brent-kung", {3, 5, 2, 7, 28, 4, 3, 0, 8, 1});
  auto const cut = numbers(run, "output");
  CHECK(cut == std::vector<std::int32_t>{3, 8, 10, 17, 45, 49, 52, 52, 60, 61});
  CHECK(100 - cut.back() == 39);
}

TEST_CASE("counts are those of the claims") {
  for (int n = 2; n <= 1024; n *= 2) {
    INFO(n << " items");
    int const log2_n = log2_of(n);
    auto const items = items_of(n);
    auto const count = [&](std::string const& name, bool exclusive, int additions, int steps,
                           int barriers) {
      INFO(name);
      recorded_run const run = record(name, items, 0, exclusive);
      launch_view const view = only_view(run);
      CHECK(view.additions == additions);
      CHECK(view.steps == steps);
      CHECK(view.launch->counts.barriers == barriers);
    };
    int const naive = n * log2_n - (n - 1);
    count("sequential", false, n - 1, n - 1, 3);
    if (n <= 64) count("quadratic", false, n * (n - 1) / 2, n - 1, 3);
    count("hillis-steele", false, naive, log2_n, log2_n + 2);
    count("kogge-stone", false, naive, log2_n, 2 * log2_n + 2);
    count("kogge-stone-double-buffered", false, naive, log2_n, log2_n + 2);
    count("kogge-stone", true, naive + 1, log2_n + 1, 2 * log2_n + 3);
    count("blelloch", true, 2 * (n - 1), 2 * log2_n, 2 * log2_n + 2);
    count("blelloch-fully-padded", true, 2 * (n - 1), 2 * log2_n, 2 * log2_n + 2);
    count("brent-kung", false, 2 * (n - 1) - log2_n, 2 * log2_n - 1, 2 * log2_n + 1);
  }
  // "2048 x 2" in the lecture's exercise; and its example of 16 items.
  CHECK(only_view(record("brent-kung", items_of(2048))).additions == 4083);
  CHECK(additions_by_stage(only_view(record("brent-kung", items_of(16)))) ==
        std::vector<int>{8, 4, 2, 1, 1, 3, 7});
}

TEST_CASE("warps divide where the lecture says") {
  // 512, 256, ... 32, 16 threads add: the sixth step is the first to divide a warp.
  recorded_run const run = record("brent-kung", items_of(1024));
  launch_view const view = only_view(run);
  std::vector<int> divided;
  for (tile_stage const& stage : view.tiles.front().stages) {
    if (!stage.sums.empty()) divided.push_back(stage.divergent_warps(run, view.launch->threads));
  }
  REQUIRE(divided.size() == 19);
  CHECK(std::vector<int>(divided.begin(), divided.begin() + 6) ==
        std::vector<int>{0, 0, 0, 0, 0, 1});
  CHECK(std::vector<int>(divided.begin() + 6, divided.end()) == std::vector<int>(13, 1));
}

TEST_CASE("bank conflicts and traffic are counted as the kernels' tests count them") {
  recorded_run const plain = record("blelloch", items_of(512), 0, true);
  if (!plain.accesses_heard) return;  // no libdw where this was built
  auto const padded = record("blelloch-fully-padded", items_of(512), 0, true);
  line_counts const& conflicting = plain.launches.front().counts;
  // The tree takes 665 passes where 140 would do; the same others come to both.
  CHECK(conflicting.shared_wavefronts - conflicting.shared_ideal == 665 - 140);
  CHECK(conflicting.shared_worst == 16);
  CHECK(padded.launches.front().counts.shared_wavefronts ==
        padded.launches.front().counts.shared_ideal);
  // Stages of a block add up to the launch.
  line_counts sum;
  for (interval const& each : plain.launches.front().ran.front().intervals) sum += each.accesses;
  CHECK(sum.shared_wavefronts == conflicting.shared_wavefronts);
  CHECK(sum.global_sectors == conflicting.global_sectors);
  // 512 items in, 512 out and the total: 64 + 64 + 1 sectors.
  CHECK(conflicting.global_sectors == 129);
}

TEST_CASE("drawings show each operand where it lay: Kogge-Stone reaches back 1, 2, 4") {
  drawing const plan = drawing_of(record("kogge-stone", paper));
  std::map<std::string, std::set<double>> reach;
  for (arrow const& each : plan.arrows) {
    drawn_cell const &from = plan.cells[each.from], &to = plan.cells[each.to];
    if (to.global) continue;
    std::string const& row = plan.rows[static_cast<std::size_t>(to.row)].label;
    if (each.kind == arrow_kind::earlier) reach[row].insert(to.column - from.column);
    if (each.kind == arrow_kind::later) CHECK(from.column == to.column);
  }
  CHECK(reach ==
        std::map<std::string, std::set<double>>{{"step 1", {1}}, {"step 2", {2}}, {"step 3", {4}}});
}

TEST_CASE("no two cells of a drawing lie on each other") {
  auto check = [](recorded_run const& run) {
    INFO(run.algorithm << " of " << run.count << ", blocks of " << run.launches.front().threads
                       << (run.exclusive ? ", exclusive" : ""));
    drawing const plan = drawing_of(run);
    std::map<int, std::vector<double>> rows;
    for (drawn_cell const& cell : plan.cells) rows[cell.row].push_back(cell.column);
    for (auto& [row, columns] : rows) {
      std::sort(columns.begin(), columns.end());
      for (std::size_t i = 1; i < columns.size(); ++i) CHECK(columns[i] - columns[i - 1] >= 1);
    }
  };
  for (bool const exclusive : {false, true}) {
    for (int const count : {1, 5, 8, 12, 27, 64}) {
      for (auto const& name : block_scans) {
        check(record(name, items_of(count), 0, exclusive));
        check(record(name, items_of(count), 4, exclusive));
      }
      for (auto const& name : strategies) {
        check(record(name, items_of(count), 2, exclusive));
        check(record(name, items_of(count), 4, exclusive));
      }
    }
  }
}

TEST_CASE("requests that cannot be met are refused with words") {
  auto const words_of = [](auto const& call) {
    try {
      call();
    } catch (libscan::invalid_argument const& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(words_of([] { record("kogge-brent", paper); }),
             Contains("kogge-stone, ") && Contains("\"kogge-brent\" is unknown"));
  CHECK_THAT(words_of([] { record("kogge-stone", {}); }), Contains("expected 1 to 2048"));
  CHECK_THAT(words_of([] { record("scan-then-fan", paper, 1); }),
             Contains("blocks of 1 thread") && Contains("--block 2 or more"));
  CHECK_THAT(words_of([] { record("chained-scan", paper, -3); }),
             Contains("blocks of -3 threads") && Contains("1 to 1024"));
  CHECK_THAT(words_of([] { record("blelloch", paper, 1025); }), Contains("1 to 1024"));
  CHECK_THAT(words_of([] { numbers_in("1 2 three"); }), Contains("number 3, 'three'"));
  CHECK_THAT(words_of([] { numbers_in("1 2147483648"); }), Contains("2147483647"));
  CHECK_THAT(words_of([] { check_drawable(65); }), Contains("65 numbers are too many"));
  CHECK(numbers_in(" 1,2 ,\t-3\n") == std::vector<std::int32_t>{1, 2, -3});
}
