// SPDX-License-Identifier: Apache-2.0
// The CUDA side of a build without nvcc: there is none. No engine of kind cuda can be made then, so
// only calls that bypass the host API get here.
#include <apps/histogram/host/histogram_cuda.hpp>

#include <libscan/core/error.hpp>

namespace libscan::inline v1::detail {
namespace {

[[noreturn]] void refuse() {
  throw engine_unavailable("histogram: libscan was built without the cuda engine");
}

}  // namespace

template <class Sample>
sample_totals cuda_histogram<Sample>::count(int, Sample const*, index_t, any_bins<Sample> const&,
                                            std::uint64_t*) {
  refuse();
}

template <class Sample>
sample_totals cuda_histogram<Sample>::sum(int, Sample const*, double const*, index_t,
                                          any_bins<Sample> const&, double*) {
  refuse();
}

template struct cuda_histogram<std::int8_t>;
template struct cuda_histogram<std::uint8_t>;
template struct cuda_histogram<std::int16_t>;
template struct cuda_histogram<std::uint16_t>;
template struct cuda_histogram<std::int32_t>;
template struct cuda_histogram<std::uint32_t>;
template struct cuda_histogram<std::int64_t>;
template struct cuda_histogram<std::uint64_t>;
template struct cuda_histogram<float>;
template struct cuda_histogram<double>;
template struct cuda_histogram<float16>;
template struct cuda_histogram<bfloat16>;

}  // namespace libscan::inline v1::detail
