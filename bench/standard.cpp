// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <bench/distributions.hpp>
#include <bench/standard.hpp>
#include <libscan/core/engine.hpp>

namespace libscan::bench {

namespace {

constexpr index_t large = index_t{1} << 28;  // on a GPU; a CPU's memory is slower

/// The lengths of sorted segments: tiny, middling, of any length, one huge one among tiny ones, few
/// huge.
std::vector<std::string> const sorted_lengths{"short",     "rows-16", "medium",  "rows-1024",
                                              "power-law", "huge",    "few-huge"};

std::vector<options> cuda_parts() {
  using strings = std::vector<std::string>;
  std::vector<options> parts;
  auto const add = [&](std::string operation, std::vector<index_t> sizes) -> options& {
    parts.push_back({});
    parts.back().operation = std::move(operation);
    parts.back().engines = {"cuda"};
    parts.back().sizes = std::move(sizes);
    return parts.back();
  };
  std::vector<index_t> const ladder{1 << 16, 1 << 20, 1 << 24, large};
  add("scan", ladder).types = strings{"i32", "f32", "i64", "f64"};
  add("scan", {1 << 24, large}).types = strings{
      "i8", "u8", "i16", "u16", "u32", "u64", "f16", "bf16", "affine", "i8->i32", "u16->u32"};
  options& inclusive = add("scan", {large});
  inclusive.types = {"i32"};
  inclusive.kinds = {scan_kind::inclusive};
  options& operators = add("scan", {large});
  operators.types = {"i32"};
  operators.operators = {"min", "xor"};
  add("reverse-scan", {1 << 16, 1 << 20, 1 << 24, large});
  options& segments = add("segmented-scan", {large});
  segments.types = {"u32"};
  options& short_segments = add("segmented-scan", {1 << 16, 1 << 20, 1 << 24});
  short_segments.types = {"u32"};
  short_segments.lengths = {"short"};
  add("segmented-reduce", {1 << 20, 1 << 24, large}).lengths =
      strings{"one", "short", "power-law", "half-empty"};
  add("reduce", ladder).types = strings{"i32", "f32"};
  add("reduce", {large}).types = strings{"i8->i32", "f16->f32", "i64", "f64"};
  add("binary-scan", ladder);
  add("filter", ladder);
  add("filter", ladder).in_place = true;
  add("filter", ladder).masks = names_of(mask_axis);
  options& over_input = add("filter", {1 << 24, large});
  over_input.masks = names_of(mask_axis);
  over_input.in_place = true;
  add("split", ladder);
  options& uneven = add("split", {large});
  uneven.outputs = {"two"};
  uneven.per_mille = {10, 990};
  options& flagged = add("split", {large});
  flagged.outputs = {"two"};
  flagged.masks = {"bytes"};
  add("runs", ladder);
  add("runs", {1 << 24, large}).in_place = true;
  options& sorts = add("sort", ladder);
  sorts.types = {"u32", "u64"};
  sorts.keys = names_of(key_axis);
  add("sort", {large}).types = strings{"u16"};
  options& pairs = add("sort", ladder);
  pairs.sorts = {"pairs", "argsort"};
  pairs.keys = names_of(key_axis);
  options& few = add("sort", {1 << 12});
  few.types = {"u32"};
  few.keys = {"uniform"};
  few.sorts = {"keys", "pairs"};
  options& in_segments = add("segmented-sort", {1 << 20, 1 << 27});
  in_segments.sorts = {"keys", "pairs"};
  in_segments.lengths = sorted_lengths;
  add("split-by-key", ladder);
  options& counts = add("histogram", {large});
  counts.bins = {256, 2048, 32768, 65536, 1 << 20};
  counts.bin_kinds = {"integers", "even"};
  add("histogram", {1 << 20, 1 << 24, large}).types = strings{"u8"};
  options& of_floats = add("histogram", {large});
  of_floats.types = {"f32"};
  of_floats.bin_kinds = {"even", "edges"};
  add("spmv", {});
  add("coo-to-csr", {1 << 20, 1 << 24, 1 << 27});
  add("algorithms", {});
  return parts;
}

/// The cpu engine and memcpy on 1, 2, 4, ... threads, up to `most` or all cores.
std::vector<options> scaling_parts(int most) {
  if (most == 0) most = engine::cpu().threads();
  std::vector<options> parts;
  for (int threads = 1;; threads = std::min(2 * threads, most)) {
    auto const add = [&](std::string operation, index_t n, std::string type) -> options& {
      parts.push_back({});
      options& part = parts.back();
      part.operation = std::move(operation);
      part.engines = {"cpu"};
      part.implementations = {"libscan", "memcpy"};
      part.sizes = {n};
      part.types = {std::move(type)};
      part.threads = threads;
      part.tell_threads = true;
      return part;
    };
    add("scan", 1 << 26, "i32");
    add("scan", 1 << 26, "f64");
    options& segments = add("segmented-scan", 1 << 24, "u32");
    segments.heads = {"flags"};
    segments.lengths = {"short"};
    add("filter", 1 << 26, "u32").per_mille = {500};
    add("sort", 1 << 24, "u32");
    add("sort", 1 << 24, "u32").sorts = {"pairs"};
    add("histogram", 1 << 26, "u8").spreads = {"uniform"};
    options& bins = add("histogram", 1 << 26, "u32");
    bins.bins = {2048};
    bins.spreads = {"zipf-1.1"};
    add("spmv", 1 << 24, "f32").matrices = {"stencil7", "uniform16"};
    if (threads == most) return parts;
  }
}

/// Every operation on so few items that waking a thread would take longer than most calls.
std::vector<options> cpu_parts_of_a_thousand() {
  std::vector<options> parts;
  auto const add = [&](std::string operation) -> options& {
    parts.push_back({});
    parts.back().operation = std::move(operation);
    parts.back().engines = {"cpu"};
    parts.back().sizes = {1000};
    return parts.back();
  };
  add("scan").types = {"i32"};
  for (auto const* operation : {"segmented-scan", "segmented-reduce"}) {
    options& segments = add(operation);
    segments.heads = {"flags"};
    segments.lengths = {"short"};
  }
  add("reduce").types = {"i32"};
  add("binary-scan");
  add("filter").per_mille = {500};
  add("split");
  add("runs").runs = {8};
  add("sort").sorts = {"keys", "pairs", "argsort"};
  options& in_segments = add("segmented-sort");
  in_segments.sorts = {"keys", "pairs"};
  in_segments.lengths = {"short"};
  add("split-by-key").buckets = {8};
  options& counts = add("histogram");
  counts.types = {"u8"};
  counts.spreads = {"uniform"};
  add("spmv").matrices = {"stencil7", "uniform16"};
  add("coo-to-csr");
  return parts;
}

std::vector<options> cpu_parts() {
  std::vector<options> parts;
  auto const add = [&](std::string operation) -> options& {
    parts.push_back({});
    parts.back().operation = std::move(operation);
    parts.back().engines = {"cpu"};
    return parts.back();
  };
  add("scan");
  options& powers = add("scan");
  powers.types = {"i32"};
  powers.sizes = {1 << 10};
  options& narrow = add("scan");
  narrow.types = {"i8", "u16", "i64"};
  narrow.sizes = {1 << 24};
  options& others = add("scan");
  others.types = {"f32", "i8->i32"};
  others.sizes = {1 << 10, 1 << 16, 1 << 20, 1 << 27};
  options& maps = add("scan");
  maps.types = {"affine"};
  maps.sizes = {1 << 20, 1 << 24};
  options& inclusive = add("scan");
  inclusive.types = {"i32", "f32", "f64", "i8->i32"};
  inclusive.kinds = {scan_kind::inclusive};
  inclusive.sizes = {1 << 10, 1 << 16, 1 << 27};
  options& segments = add("segmented-scan");
  segments.sizes = {1 << 20, 1 << 24};
  options& many_segments = add("segmented-scan");
  many_segments.heads = {"flags", "keys"};
  many_segments.lengths = {"short"};
  many_segments.sizes = {1 << 27};
  options& totals = add("segmented-reduce");
  totals.lengths = {"one", "short", "power-law", "half-empty"};
  totals.sizes = {1 << 20, 1 << 24};
  add("reduce");
  add("binary-scan");
  add("filter");
  options& masks = add("filter");
  masks.masks = names_of(mask_axis);
  masks.sizes = {1 << 16, 1 << 20, 1 << 24};
  add("split");
  options& flagged = add("split");
  flagged.outputs = {"two"};
  flagged.masks = {"bytes"};
  flagged.sizes = {1 << 24};
  add("runs");
  add("sort").types = {"u32", "u64"};
  options& easier = add("sort");
  easier.keys = {"256-distinct", "sorted", "constant"};
  easier.sizes = {1 << 24};
  add("sort").sorts = {"pairs", "argsort"};
  options& in_segments = add("segmented-sort");
  in_segments.sorts = {"keys", "pairs"};
  in_segments.lengths = sorted_lengths;
  in_segments.sizes = {1 << 20};
  options& in_more_segments = add("segmented-sort");
  in_more_segments.sorts = {"keys", "pairs"};
  in_more_segments.lengths = {"short", "power-law"};
  in_more_segments.sizes = {1 << 24};
  add("split-by-key");
  add("histogram");
  options& more_bins = add("histogram");
  more_bins.types = {"u32"};
  more_bins.bins = {2048, 1 << 20};
  more_bins.sizes = {1 << 20, 1 << 24};
  add("spmv");
  add("coo-to-csr");
  add("algorithms");
  for (options& part : cpu_parts_of_a_thousand()) parts.push_back(std::move(part));
  return parts;
}

}  // namespace

std::vector<options> parts_of(options const& wanted) {
  bool const scaling = wanted.operation == "scaling";
  if (!scaling && wanted.operation != "standard") return {wanted};
  std::vector<options> all = scaling_parts(wanted.threads);
  if (!scaling) {
    for (auto const& of_engine : {cpu_parts(), cuda_parts()}) {
      for (options part : of_engine) {
        part.implementations = wanted.implementations;
        part.threads = wanted.threads;
        all.push_back(std::move(part));
      }
    }
  }
  auto const& requested = wanted.engines;
  std::vector<options> parts;
  for (options& part : all) {
    if (std::find(requested.begin(), requested.end(), part.engines.front()) == requested.end())
      continue;
    part.rounds = wanted.rounds;
    if (!wanted.sizes.empty()) part.sizes = wanted.sizes;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace libscan::bench
