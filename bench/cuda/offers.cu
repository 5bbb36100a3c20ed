// SPDX-License-Identifier: Apache-2.0
// The contenders: all implementations' offers for a problem, libscan's first.
#include <iterator>

#include <bench/cuda/calls.hpp>

namespace libscan::bench {

namespace {

implementations joined(std::initializer_list<implementations> parts) {
  implementations all;
  for (implementations const& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class Problem>
implementations newest_cub(Problem const& problem) {
#ifdef LIBSCAN_BENCH_NEWEST_CUB
  return by_newest_cub::offers(problem);
#else
  return (void)problem, implementations{};
#endif
}

implementations newest_cub(scan_problem const& problem) {
#ifdef LIBSCAN_BENCH_NEWEST_CUB
  using namespace by_newest_cub;
  return joined(
      {scans<integer_scans>(problem), scans<float_scans>(problem), scans<other_scans>(problem)});
#else
  return (void)problem, implementations{};
#endif
}

}  // namespace

implementations all_offers(scan_problem const& problem) {
  return joined({by_libscan::scans<integer_scans>(problem), by_libscan::scans<float_scans>(problem),
                 by_libscan::scans<other_scans>(problem), by_cub::scans<integer_scans>(problem),
                 by_cub::scans<float_scans>(problem), by_cub::scans<other_scans>(problem),
                 newest_cub(problem), by_thrust::offers(problem)});
}

implementations all_offers(reverse_scan_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem)});
}

implementations all_offers(reduce_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem)});
}

implementations all_offers(segmented_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem),
                 by_thrust::offers(problem)});
}

implementations all_offers(binary_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem)});
}

implementations all_offers(filter_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem),
                 by_thrust::offers(problem)});
}

implementations all_offers(mask_filter_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem)});
}

implementations all_offers(split_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem),
                 by_thrust::offers(problem)});
}

implementations all_offers(run_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem)});
}

implementations all_offers(sort_problem const& problem) {
  return joined({by_libscan::offers(problem), by_libscan::textbook_sorts(problem),
                 by_cub::offers(problem), newest_cub(problem)});
}

implementations all_offers(pair_sort_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem)});
}

implementations all_offers(bucket_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem)});
}

implementations all_offers(segmented_sort_problem const& problem) {
  return joined({by_libscan::offers(problem), by_cub::offers(problem), newest_cub(problem)});
}

}  // namespace libscan::bench
