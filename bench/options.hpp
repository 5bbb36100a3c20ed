// SPDX-License-Identifier: Apache-2.0
// What scan-bench measures: one operation, and the axes along which it varies.
#pragma once

#include <string>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::bench {

/// The words of a command line. An empty axis means the operation's standard choice.
struct options {
  std::string operation;  ///< "scan", "segmented-scan", "reduce", ...
  std::vector<std::string> engines{"cpu", "cuda"};
  std::vector<std::string> implementations;  ///< "libscan", "cub", ...; empty: all there are
  std::vector<index_t> sizes;
  std::vector<std::string> types;  ///< "i32", "f16", "i8->i32", "affine", ...
  std::vector<std::string> operators{"sum"};
  std::vector<scan_kind> kinds;
  std::vector<std::string> items{"random"};  ///< values of the items
  std::vector<std::string> heads;            ///< how segments are described
  std::vector<std::string> lengths;          ///< of segments
  std::vector<std::string> masks;            ///< "bytes", "bits"
  bool in_place = false;                     ///< the output of a filter or `unique` is its input
  std::vector<int> per_mille;                ///< kept by a filter, true in a mask
  std::vector<std::string> outputs;          ///< of a split: "two", "one", "reversed"
  std::vector<int> runs;                     ///< mean lengths of runs of equal items
  std::vector<std::string> sorts;            ///< what is sorted: "keys", "pairs", "argsort"
  std::vector<std::string> keys;             ///< values of keys
  std::vector<int> buckets;                  ///< of a split by key
  std::vector<std::string> bin_kinds;        ///< kinds of bins of a histogram
  std::vector<int> bins;                     ///< of a histogram
  std::vector<std::string> spreads;          ///< how a histogram's samples are spread
  std::vector<std::string> matrices;         ///< of a product of matrix and vector
  std::vector<std::string> matrix_files;     ///< more of them, in Matrix Market files
  std::vector<std::string> algorithms;       ///< strategies of the catalog
  std::string block_scan;                    ///< of the strategies' blocks; empty: the default
  std::vector<int> tiles;                    ///< items of a tile, of every strategy alike
  std::vector<std::string> figures;          ///< of the chapter
  int rounds = 21;                           ///< 0: run and verify once, time nothing
  int threads = 0;                           ///< of the cpu engine; 0: all cores
  int beside = 0;                            ///< busy processes beside the cpu engine
  bool tell_threads = false;                 ///< with the name of each operation
  std::vector<int> blocks;                   ///< grids of the chapter's figures; threads of a block
  int repetitions = 1024;                    ///< of a primitive of the chapter within its kernel
};

/// `asked`, or `standard` if it is empty.
template <class T>
std::vector<T> or_standard(std::vector<T> const& requested, std::vector<T> const& standard) {
  return requested.empty() ? standard : requested;
}

}  // namespace libscan::bench
