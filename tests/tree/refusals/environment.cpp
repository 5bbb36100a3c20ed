// SPDX-License-Identifier: Apache-2.0
// What headers refuse of the translation unit around them: each section includes one. The standard
// library's own headers do not survive macros min and max, so that those come first.

// refused: the headers need C++20
#undef __cplusplus
#define __cplusplus 201703L
#include <libscan/core/types.hpp>

// refused: calls report errors by exceptions
#undef __cpp_exceptions
#include <libscan/libscan.hpp>

// refused: min or max is a macro
#include <atomic>
#include <string>
#define min(a, b) ((a) < (b) ? (a) : (b))
#include <libscan/libscan.hpp>

// refused: min or max is a macro
#include <functional>
#include <limits>
#define max(a, b) ((a) > (b) ? (a) : (b))
#include <libscan/cpu/filter.hpp>

// refused: min or max is a macro
#include <functional>
#include <limits>
#define max(a, b) ((a) > (b) ? (a) : (b))
#include <libscan/scan.cuh>

// taken
#include <sys/sysmacros.h>
#define I (0.0F + 1.0iF)
#define foreach for
#define emit
#define signals public
#define likely(x) __builtin_expect(!!(x), 1)
#define None 0L
#define Bool int
#define Status int
#define Success 0
#define True 1
#define False 0
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define ASSERT(x)
#define CHECK(x)
#define LOG(x)
#define DEBUG 1
#define ERROR 0
#define DELETE 1
#define TRUE 1
#define FALSE 0
#define IN
#define OUT
#include <libscan/callables.hpp>
#include <libscan/coo_to_csr.cuh>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/spmv.hpp>
#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/runs.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_sort.hpp>
#include <libscan/sorted_histogram.cuh>
#include <libscan/split_by_key.cuh>
#include <libscan/spmv.hpp>
