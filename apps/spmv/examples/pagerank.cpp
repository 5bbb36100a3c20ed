// SPDX-License-Identifier: Apache-2.0
// PageRank (Page, Brin, Motwani & Winograd 1999) of a graph in a Matrix Market file, by products of
// a sparse matrix and a vector: pagerank GRAPH.mtx[.gz] NAMES.txt [TOP]. Row i, column j of the
// graph: i points to j. Line i of NAMES.txt is the name of i. data/make_wordnet.py makes both.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <apps/common/arguments.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/matrix_market.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/program.hpp>
#include <apps/common/steps.hpp>
#include <apps/common/table.hpp>
#include <apps/common/text.hpp>
#include <libscan/spmv.hpp>

namespace {

using namespace libscan;

constexpr double damping = 0.85;  // the probability that a reader follows a pointer
constexpr double enough = 1e-12;  // the total change of all ranks that ends the iteration
constexpr int max_rounds = 1000;

// The graph, the list of shares, what sorts it, and the matrix that comes of it.
constexpr std::uint64_t bytes_per_pointer = 4 + 16 + 16 + 12;

constexpr char const* what_it_does =
    "PageRank of a graph: how often a reader who follows pointers is where.";

constexpr char const* exit_codes =
    "One of GRAPH and NAMES may be -, which is standard input.\n"
    "Exit codes: 0 done, 2 usage, 3 bad file, 4 device or memory.\n"
    "Text: docs/text.md describes what is read.";

/// Entry (j, i) is the share of i's rank that goes to j.
sparse_matrix<double> shares(engine const& on, sparse_matrix<double> const& graph) {
  std::vector<std::int32_t> from, to;
  std::vector<double> share;
  auto const pointers = static_cast<std::size_t>(graph.nonzeros());
  from.reserve(pointers);
  to.reserve(pointers);
  share.reserve(pointers);
  for (index_t i = 0; i < graph.rows; ++i) {
    auto const row = static_cast<std::size_t>(i);
    auto const end = static_cast<std::size_t>(graph.offsets[row + 1]);
    auto k = static_cast<std::size_t>(graph.offsets[row]);
    double const each = 1 / static_cast<double>(end - k);
    for (; k < end; ++k) {
      from.push_back(static_cast<std::int32_t>(i));
      to.push_back(graph.indices[k]);
      share.push_back(each);
    }
  }
  return to_rows(on,
                 coo_matrix<double>{graph.columns, graph.rows, static_cast<index_t>(share.size()),
                                    to.data(), from.data(), share.data(), symmetry::general});
}

/// The cost of the iteration.
struct effort {
  int rounds = 0;
  double prepare_seconds = 0;
  double product_seconds = 0;  ///< of all rounds
};

/// The ranks, which sum to 1. A node without pointers shares its rank equally among all.
std::vector<double> ranks(engine const& on, sparse_matrix<double> const& graph, effort& took) {
  auto const n = static_cast<std::size_t>(graph.rows);
  sparse_matrix<double> const moves = shares(on, graph);
  auto ready =
      apps::timed(took.prepare_seconds, [&] { return prepared_matrix<double>(on, moves); });
  std::vector<double> rank(n, 1 / static_cast<double>(n)), next(n);
  double change = 1;
  for (; took.rounds < max_rounds && change > enough; ++took.rounds) {
    double idle = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (graph.offsets[i] == graph.offsets[i + 1]) idle += rank[i];
    }
    double const everyone = (1 - damping + damping * idle) / static_cast<double>(n);
    std::fill(next.begin(), next.end(), everyone);
    took.product_seconds += ready.multiply(rank, next, {.alpha = damping, .beta = 1.0});
    change = 0;
    for (std::size_t i = 0; i < n; ++i) change += std::abs(next[i] - rank[i]);
    rank.swap(next);
  }
  return rank;
}

void print(std::string const& text) {
  apps::output_file out("-");
  out.write(std::as_bytes(std::span<char const>(text)));
  out.commit();
}

/// The graph in a file: an entry for each pointer, without values.
sparse_matrix<double> read_graph(engine const& on, std::string const& path) {
  auto const file = apps::read_matrix_market(path);
  if (file.rows != file.columns || file.rows == 0) {
    throw apps::file_error(apps::input_name(path),
                           "no graph: " + std::to_string(file.rows) + " rows and " +
                               std::to_string(file.columns) +
                               " columns, expected as many of both, at least one");
  }
  bool const twice = file.symmetry != apps::matrix_symmetry::general;
  auto const pointers = static_cast<std::uint64_t>(file.entries()) * (twice ? 2 : 1);
  apps::require_memory(pointers * bytes_per_pointer + static_cast<std::uint64_t>(file.rows) * 32,
                       "the ranks of " + apps::input_name(path));
  return to_rows(on, coo_matrix<double>{file.rows, file.columns, file.entries(),
                                        file.row_indices.data(), file.column_indices.data(),
                                        nullptr, static_cast<symmetry>(file.symmetry)});
}

apps::exit_code run(std::string const& graph_path, std::string const& names_path,
                    std::uint64_t top) {
  engine const on = engine::best();
  sparse_matrix<double> const graph = read_graph(on, graph_path);
  auto const n = static_cast<std::size_t>(graph.rows);
  std::vector<std::string> const names = apps::read_lines(names_path);
  if (names.size() != n) {
    throw apps::file_error(
        apps::input_name(names_path),
        std::to_string(names.size()) + " names, expected " + std::to_string(n) + ", one a row");
  }
  effort took;
  std::vector<double> const rank = ranks(on, graph, took);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank[a] > rank[b]; });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::uint64_t>(n, top); ++k) {
    char line[48];
    std::snprintf(line, sizeof line, "%3zu  %.6f  ", k + 1, rank[order[k]]);
    text.append(line).append(names[order[k]]).append("\n");
  }
  print(text);
  char times[96];
  std::snprintf(times, sizeof times, "; ready in %.3f ms, %.3f ms a product",
                1e3 * took.prepare_seconds, 1e3 * took.product_seconds / took.rounds);
  apps::say(std::to_string(graph.nonzeros()) + " pointers, " + std::to_string(took.rounds) +
            " rounds on " + on.description() + times);
  return apps::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  return apps::run_program("pagerank", [&] {
    std::string graph, names;
    std::uint64_t top = 20;
    CLI::App app(what_it_does, "pagerank");
    app.footer(exit_codes);
    app.add_option("GRAPH", graph,
                   "Matrix Market file, also gzip-compressed, of a square matrix: an entry in row\n"
                   "i and column j says that i points to j, however often, whatever its value")
        ->required();
    app.add_option("NAMES", names, "text, also gzip-compressed: line i is what i is called")
        ->required();
    apps::add_whole_number(app, "TOP", top, 1, std::numeric_limits<std::uint64_t>::max(),
                           "how many of the highest ranks to print");
    apps::add_version_flag(app);
    if (!apps::parse_arguments(app, argc, argv)) return apps::exit_code::done;
    if (graph == "-" && names == "-") {
      throw apps::usage_error("GRAPH and NAMES cannot both be standard input");
    }
    return run(graph, names, top);
  });
}
