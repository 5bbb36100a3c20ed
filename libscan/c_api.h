/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on device memory for C, other compilers and other languages. Asynchronous on a stream;
   nothing is copied, unless a call says so. The same code as libscan/device_calls.hpp and the
   headers *_device_calls.hpp, which have the details of each call. Link libscan::segments, and what
   else a call names.

   Enumerators and the layout of structs do not change within one LIBSCAN_C_API_VERSION. */
#ifndef LIBSCAN_C_API_H
#define LIBSCAN_C_API_H

#include <stddef.h>
#include <stdint.h>

#define LIBSCAN_C_API_VERSION 1

/* Hidden in a shared library that contains libscan, so that two of them may live in one process.
   Build libscan with this macro to export the calls from yours. */
#if defined(LIBSCAN_EXPORT_C_API) && defined(__GNUC__)
#define LIBSCAN_C_API __attribute__((visibility("default")))
#else
#define LIBSCAN_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call returns. Every call but the first two sets the thread's message if it fails. */
typedef enum libscan_status {
  LIBSCAN_OK = 0,
  LIBSCAN_INVALID_ARGUMENT = 1,
  LIBSCAN_ENGINE_UNAVAILABLE = 2,
  LIBSCAN_DEVICE_ERROR = 3,
  LIBSCAN_OUT_OF_MEMORY = 4,
  LIBSCAN_OTHER_ERROR = 5
} libscan_status;

/* The library's enumerations have the size of an int. -fshort-enums would give others. */
#if defined(__cplusplus)
static_assert(sizeof(libscan_status) == sizeof(int),
              "libscan/c_api.h: compile without -fshort-enums");
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(libscan_status) == sizeof(int),
               "libscan/c_api.h: compile without -fshort-enums");
#endif

typedef enum libscan_type {
  LIBSCAN_I8 = 0,
  LIBSCAN_U8 = 1,
  LIBSCAN_I16 = 2,
  LIBSCAN_U16 = 3,
  LIBSCAN_I32 = 4,
  LIBSCAN_U32 = 5,
  LIBSCAN_I64 = 6,
  LIBSCAN_U64 = 7,
  LIBSCAN_F32 = 8,
  LIBSCAN_F64 = 9,
  /* Complex numbers of two F32 or F64, the real part first. For LIBSCAN_PLUS in libscan_scan,
     libscan_reduce, libscan_reduce_by_key, the _from of them, and libscan_workspace_bytes; and for
     libscan_adjacent_difference. */
  LIBSCAN_C64 = 10,
  LIBSCAN_C128 = 11,
  /* 16-bit floats: IEEE halves and bfloat16. As items of scans and sums that end in _as, as results
     of such scans, in differences, filters and runs, as keys of segments, reductions by key and
     sorts, and as samples. bool is LIBSCAN_U8. */
  LIBSCAN_F16 = 12,
  LIBSCAN_BF16 = 13
} libscan_type;

typedef enum libscan_operator {
  LIBSCAN_PLUS = 0,
  LIBSCAN_MINIMUM = 1,
  LIBSCAN_MAXIMUM = 2,
  LIBSCAN_BIT_AND = 3,
  LIBSCAN_BIT_OR = 4,
  LIBSCAN_BIT_XOR = 5
} libscan_operator;

typedef enum libscan_scan_kind {
  LIBSCAN_INCLUSIVE = 0,
  LIBSCAN_EXCLUSIVE = 1,
  LIBSCAN_REVERSE_INCLUSIVE = 2, /* from the last item to the first; without segments */
  LIBSCAN_REVERSE_EXCLUSIVE = 3
} libscan_scan_kind;

typedef enum libscan_machine { LIBSCAN_CUDA = 0, LIBSCAN_EXECUTOR = 1 } libscan_machine;

/* Where a call runs. Zero everything that you do not set. */
typedef struct libscan_queue {
  libscan_machine machine;
  int32_t device;         /* of LIBSCAN_CUDA: its number */
  uint64_t seed;          /* of LIBSCAN_EXECUTOR */
  void* stream;           /* a cudaStream_t; NULL: the default stream */
  void* workspace;        /* device memory, aligned to 256 bytes; or NULL */
  size_t workspace_bytes; /* see libscan_workspace_bytes */
  /* Without a workspace: two functions that give and take device memory, or NULL. */
  void* (*allocate)(size_t bytes, void* stream, void* context);
  void (*deallocate)(void* memory, size_t bytes, void* stream, void* context);
  void* context;
} libscan_queue;

/* n items in device memory; if d_n is not NULL, *d_n of them, at most n. */
typedef struct libscan_items {
  libscan_type type;
  void const* data;
  int64_t n;
  int64_t const* d_n;
} libscan_items;

typedef enum libscan_form {
  LIBSCAN_ONE_SEGMENT = 0,
  LIBSCAN_HEAD_BITS = 1,  /* data: uint32_t; bit i % 32 of word i / 32 begins a segment at item i */
  LIBSCAN_OFFSETS = 2,    /* data: count + 1 integers, ascending within 0 to n */
  LIBSCAN_RANGES = 3,     /* data: count begins; ends: as many */
  LIBSCAN_HEAD_FLAGS = 4, /* data: a byte for each item; nonzero begins a segment */
  LIBSCAN_KEYS = 5,  /* data: a key of type `keys` for each item; another one begins a segment */
  LIBSCAN_LENGTH = 6 /* every segment has `count` items, except the last */
} libscan_form;

/* Segments, described in device memory. Zero: all items are one segment. Zero everything that you
   do not set. */
typedef struct libscan_segments {
  libscan_form form;
  void const* data;
  void const* ends;
  int64_t count;
  libscan_type keys; /* the type of keys; or of offsets, begins and ends: 0 or LIBSCAN_I64 means
                        int64_t; LIBSCAN_I32, LIBSCAN_U32 and LIBSCAN_U64 are allowed, too */
} libscan_segments;

/* The version of the library; compare it with LIBSCAN_C_API_VERSION. */
LIBSCAN_C_API int libscan_c_api_version(void);

/* What the thread's last call that failed says; "" if none has. Valid until the next one. */
LIBSCAN_C_API char const* libscan_last_error(void);

/* out[i] = the scan of items 0 to i (inclusive) or i - 1 (exclusive), after *init, which is in host
   memory; NULL: the operator's identity. In reverse, of items i or i + 1 to the last, before *init.
   `segments` may be NULL. Without segments, *d_total in device memory receives *init and all items,
   unless it is NULL; with segments it is NULL. */
LIBSCAN_C_API libscan_status libscan_scan(libscan_queue const* queue, libscan_items items,
                                          void* out, libscan_segments const* segments,
                                          libscan_operator op, libscan_scan_kind kind,
                                          void const* init, void* d_total);

/* The same after *d_init, which is in device memory: the total of another call, for example. It
   must not be in `out`, or *d_total. */
LIBSCAN_C_API libscan_status libscan_scan_from(libscan_queue const* queue, libscan_items items,
                                               void* out, libscan_segments const* segments,
                                               libscan_operator op, libscan_scan_kind kind,
                                               void const* d_init, void* d_total);

/* out[0] = items[0], and out[i] = items[i] - items[i - 1], of items of any type; integers wrap.
   `out` may be the items. For 16-bit floats: libscan_workspace_bytes_as with the accumulator
   LIBSCAN_F32. */
LIBSCAN_C_API libscan_status libscan_adjacent_difference(libscan_queue const* queue,
                                                         libscan_items items, void* out);

/* out[0] = items[0], and out[i] = items[i - 1] op items[i]; no 16-bit floats, and complex numbers
   by LIBSCAN_PLUS only. Otherwise as the previous call. */
LIBSCAN_C_API libscan_status libscan_combine_neighbors(libscan_queue const* queue,
                                                       libscan_items items, void* out,
                                                       libscan_operator op);

/* totals[s] = *init and the items of segment s; without segments one total. *d_segments in device
   memory receives the number of segments, unless it is NULL, or they are offsets or ranges. Without
   segments it is NULL. */
LIBSCAN_C_API libscan_status libscan_reduce(libscan_queue const* queue, libscan_items items,
                                            void* totals, libscan_segments const* segments,
                                            libscan_operator op, void const* init,
                                            int64_t* d_segments);

/* The same after *d_init, which is in device memory, and not in `totals`. */
LIBSCAN_C_API libscan_status libscan_reduce_from(libscan_queue const* queue, libscan_items items,
                                                 void* totals, libscan_segments const* segments,
                                                 libscan_operator op, void const* d_init,
                                                 int64_t* d_segments);

/* Reduces each run of equal neighboring keys, of which there is one for each item: unique[s] = the
   first key of run s, totals[s] = *init and the items of the run. *d_runs in device memory receives
   the number of runs, unless it is NULL. */
LIBSCAN_C_API libscan_status libscan_reduce_by_key(libscan_queue const* queue,
                                                   libscan_type key_type, void const* keys,
                                                   libscan_items items, void* unique, void* totals,
                                                   libscan_operator op, void const* init,
                                                   int64_t* d_runs);

/* Sets *bytes to the workspace that these calls need for such items and segments. Needs no device;
   of `items`, type and n matter, of `queue` the machine. For libscan_reduce_by_key, the segments
   are LIBSCAN_KEYS. */
LIBSCAN_C_API libscan_status libscan_workspace_bytes(libscan_queue const* queue,
                                                     libscan_items items,
                                                     libscan_segments const* segments,
                                                     size_t* bytes);

/* Results that are not of the items' type. Items are converted to `accumulator`, which is one of
   LIBSCAN_I8 to LIBSCAN_F64. Results are of that type; those of scans by LIBSCAN_F32 may also be of
   LIBSCAN_F16 or LIBSCAN_BF16. Init values, totals of scans and sums are accumulators. */
typedef struct libscan_results {
  libscan_type accumulator;
  libscan_type type;
  void* data;
} libscan_results;

/* libscan_scan, libscan_reduce and libscan_reduce_by_key of items of any type but complex numbers.
   Begins with *d_init, which is in device memory, if that is not NULL. */
LIBSCAN_C_API libscan_status libscan_scan_as(libscan_queue const* queue, libscan_items items,
                                             libscan_results out, libscan_segments const* segments,
                                             libscan_operator op, libscan_scan_kind kind,
                                             void const* init, void const* d_init, void* d_total);
LIBSCAN_C_API libscan_status libscan_reduce_as(libscan_queue const* queue, libscan_items items,
                                               libscan_results totals,
                                               libscan_segments const* segments,
                                               libscan_operator op, void const* init,
                                               void const* d_init, int64_t* d_segments);
LIBSCAN_C_API libscan_status libscan_reduce_by_key_as(libscan_queue const* queue,
                                                      libscan_type key_type, void const* keys,
                                                      libscan_items items, void* unique,
                                                      libscan_results totals, libscan_operator op,
                                                      void const* init, void const* d_init,
                                                      int64_t* d_runs);

/* Sets *bytes to the workspace that these need; of `results`, only types matter. */
LIBSCAN_C_API libscan_status libscan_workspace_bytes_as(libscan_queue const* queue,
                                                        libscan_items items,
                                                        libscan_results results,
                                                        libscan_segments const* segments,
                                                        size_t* bytes);

/* What a filter keeps, or which items are true; one member is not NULL. */
typedef struct libscan_rule {
  char const* expression; /* as scan-filter --keep: "> 2 and < 6"; it is read during the call */
  uint8_t const* flags;   /* in device memory: a byte for each item; nonzero keeps it */
  uint32_t const* bits;   /* in device memory: bit i % 32 of word i / 32 keeps item i */
} libscan_rule;

/* ranks[i] = the number of true items among 0 to i (inclusive) or i - 1 (exclusive) of n. `mask`
   has flags or bits. Ranks are integers of rank_bytes, 4 or 8. *d_total in device memory receives
   the number of all true items, unless it is NULL. */
LIBSCAN_C_API libscan_status libscan_binary_scan(libscan_queue const* queue,
                                                 libscan_rule const* mask, int64_t n, void* ranks,
                                                 int32_t rank_bytes, libscan_scan_kind kind,
                                                 int64_t* d_total);

/* Sets *bytes to the workspace that it needs. */
LIBSCAN_C_API libscan_status libscan_binary_scan_workspace_bytes(libscan_queue const* queue,
                                                                 int64_t n, size_t* bytes);

/* Writes the items that the rule keeps to `out`, their positions to `positions`, and the others to
   `rejected`. Expects `out`, `positions` or both; or `out` and `rejected`; or none, to count. If
   `rejected` is `out`, the others come after those kept. *d_count in device memory receives how
   many are kept, unless it is NULL. Link libscan::filter. */
LIBSCAN_C_API libscan_status libscan_filter(libscan_queue const* queue, libscan_items items,
                                            libscan_rule const* rule, void* out, void* rejected,
                                            int64_t* positions, int64_t* d_count);

/* Writes the integers whose bit `bit` is 0 to the front of `out`, and the others after them.
   *d_zeros in device memory receives the number of the former, unless it is NULL. Link
   libscan::filter. */
LIBSCAN_C_API libscan_status libscan_split_by_bit(libscan_queue const* queue, libscan_items keys,
                                                  void* out, int32_t bit, int64_t* d_zeros);

/* Writes the first item of each run of equal ones to `out`, the lengths of the runs to `lengths`,
   unless that is NULL, and the number of runs to *d_runs, unless that is. Link libscan::filter. */
LIBSCAN_C_API libscan_status libscan_unique(libscan_queue const* queue, libscan_items items,
                                            void* out, int64_t* lengths, int64_t* d_runs);

/* The same with the positions of these items in `offsets`, unless that is NULL. `lengths` is not.
   Link libscan::filter. */
LIBSCAN_C_API libscan_status libscan_run_length_encode(libscan_queue const* queue,
                                                       libscan_items items, void* out,
                                                       int64_t* lengths, int64_t* offsets,
                                                       int64_t* d_runs);

/* The same of the runs of at least min_length items: with 2, no trivial ones. Link
   libscan::filter. */
LIBSCAN_C_API libscan_status libscan_long_runs(libscan_queue const* queue, libscan_items items,
                                               void* out, int64_t* lengths, int64_t* offsets,
                                               int64_t min_length, int64_t* d_runs);

/* Sets *bytes to the workspace that libscan_long_runs needs for such items and such a length. Link
   libscan::filter. */
LIBSCAN_C_API libscan_status libscan_long_runs_workspace_bytes(libscan_queue const* queue,
                                                               libscan_items items,
                                                               int64_t min_length, size_t* bytes);

/* Sets *bytes to the workspace that each other of these calls needs for such items. Link
   libscan::filter. */
LIBSCAN_C_API libscan_status libscan_filter_workspace_bytes(libscan_queue const* queue,
                                                            libscan_items items, size_t* bytes);

/* How keys are sorted. Zero: ascending, by all bits. */
typedef struct libscan_order {
  int32_t descending;
  int32_t first_bit;
  int32_t end_bit; /* one past the last bit that is compared; 0: all bits from first_bit on */
} libscan_order;

/* What moves with keys. Values have any size. Those of 4 or 8 bytes, and positions, lie at
   multiples of their size. Others lie anywhere, and move at the end, by positions in the workspace.
 */
typedef struct libscan_values {
  int32_t bytes;  /* of each value, at least 1; of each position: 4 or 8 */
  void const* in; /* NULL: positions of keys, from 0, unsigned */
  void* out;      /* NULL: only keys are sorted or split */
} libscan_values;

/* Sorts keys into `out`, stably, and moves values, unless `values` is NULL. To sort to positions,
   `out` is NULL. With `segments`, in any form, each segment is sorted; positions are those among
   all keys, and keys.d_n is NULL. What is in no segment does not change. `out` may be the keys, and
   the values' out their in; within segments they are copied first. `segments` and `order` may be
   NULL. Link libscan::radix_sort. */
LIBSCAN_C_API libscan_status libscan_sort(libscan_queue const* queue, libscan_items keys, void* out,
                                          libscan_values const* values,
                                          libscan_segments const* segments,
                                          libscan_order const* order);

/* Sets *bytes to the workspace of libscan_sort, except for a sort within segments whose output is
   its input. Only these are read: the keys' type and n, the values' size, and everything of the
   segments but the arrays. With values->in NULL it suffices for positions, and for such values.
   Link libscan::radix_sort. */
LIBSCAN_C_API libscan_status libscan_sort_workspace_bytes(libscan_queue const* queue,
                                                          libscan_items keys,
                                                          libscan_values const* values,
                                                          libscan_segments const* segments,
                                                          size_t* bytes);

/* The same for a sort of keys and values over themselves, or over one of them. Link
   libscan::radix_sort. */
LIBSCAN_C_API libscan_status libscan_sort_in_place_workspace_bytes(libscan_queue const* queue,
                                                                   libscan_items keys,
                                                                   libscan_values const* values,
                                                                   libscan_segments const* segments,
                                                                   size_t* bytes);

/* Groups keys, which are integers in [0, buckets), by bucket into `out`, each bucket's in their
   order, and moves values, unless `values` is NULL. buckets <= 256. `offsets`, buckets + 1 int64_t
   in device memory, receives where buckets begin. Link libscan::radix_sort. */
LIBSCAN_C_API libscan_status libscan_split_by_key(libscan_queue const* queue, libscan_items keys,
                                                  void* out, libscan_values const* values,
                                                  int32_t buckets, int64_t* offsets);

/* Sets *bytes to the workspace that it needs. Of keys, type and n matter, of values the size. Link
   libscan::radix_sort. */
LIBSCAN_C_API libscan_status libscan_split_by_key_workspace_bytes(libscan_queue const* queue,
                                                                  libscan_items keys,
                                                                  libscan_values const* values,
                                                                  size_t* bytes);

/* Bins: of equal width from lo to hi; or, if `edges` is not NULL, between count + 1 edges in device
   memory, which ascend. */
typedef struct libscan_bins {
  int64_t count;
  double lo, hi;
  double const* edges;
} libscan_bins;

/* Counts the samples of each bin; or, if `weights` is not NULL, sums their weights into `sums`.
   d_totals, four int64_t in device memory, receives how many samples are below the bins, inside,
   above, and NaN. Link libscan::histogram. */
LIBSCAN_C_API libscan_status libscan_histogram(libscan_queue const* queue, libscan_items samples,
                                               libscan_bins const* bins, uint64_t* counts,
                                               double const* weights, double* sums,
                                               int64_t* d_totals);

/* Writes the bins that are not empty, ascending, to `full`, and the number of samples of each to
   `counts`; *d_full in device memory receives the number of these bins. Otherwise as
   libscan_histogram. Link libscan::histogram. */
LIBSCAN_C_API libscan_status libscan_sparse_histogram(libscan_queue const* queue,
                                                      libscan_items samples,
                                                      libscan_bins const* bins, int64_t* full,
                                                      uint64_t* counts, int64_t* d_full,
                                                      int64_t* d_totals);

typedef enum libscan_histogram_kind {
  LIBSCAN_COUNTED = 0,
  LIBSCAN_WEIGHTED = 1,
  LIBSCAN_SPARSE = 2
} libscan_histogram_kind;

/* Sets *bytes to the workspace that libscan_histogram needs, without or with weights, or
   libscan_sparse_histogram. Link libscan::histogram. */
LIBSCAN_C_API libscan_status libscan_histogram_workspace_bytes(libscan_queue const* queue,
                                                               libscan_items samples,
                                                               libscan_bins const* bins,
                                                               libscan_histogram_kind kind,
                                                               size_t* bytes);

/* The types of a histogram's arrays. Zero everything that you do not set: it is LIBSCAN_U64 for
   counts, LIBSCAN_I64 for bins, LIBSCAN_F64 for the others, as in calls without types. Counts are
   integers of 32 or 64 bits; those of sparse histograms, and `bins`, of any size that holds them,
   but not LIBSCAN_I8. Weights are LIBSCAN_F32 or LIBSCAN_F64; edges LIBSCAN_F64 or of the samples'
   type, for 16-bit floats LIBSCAN_F32. What a call does not have does not matter. */
typedef struct libscan_histogram_types {
  libscan_type counts;
  libscan_type bins; /* numbers of bins that are not empty, in sparse histograms */
  libscan_type weights;
  libscan_type edges; /* then bins->edges points to these, cast */
} libscan_histogram_types;

/* The same calls with arrays of other types, which are converted in the workspace. Link
   libscan::histogram. */
LIBSCAN_C_API libscan_status libscan_histogram_as(libscan_queue const* queue, libscan_items samples,
                                                  libscan_bins const* bins, void* counts,
                                                  void const* weights, double* sums,
                                                  libscan_histogram_types types, int64_t* d_totals);
LIBSCAN_C_API libscan_status libscan_sparse_histogram_as(
    libscan_queue const* queue, libscan_items samples, libscan_bins const* bins, void* full,
    void* counts, libscan_histogram_types types, int64_t* d_full, int64_t* d_totals);
LIBSCAN_C_API libscan_status libscan_histogram_workspace_bytes_as(
    libscan_queue const* queue, libscan_items samples, libscan_bins const* bins,
    libscan_histogram_kind kind, libscan_histogram_types types, size_t* bytes);

/* A matrix by rows in device memory: row r has the entries offsets[r] to offsets[r + 1] - 1, in
   columns `indices` with `values`, which are of `type`: LIBSCAN_F32, LIBSCAN_F64 or LIBSCAN_I64;
   NULL: each entry counts as one. Offsets ascend from 0 to `nonzeros`. */
typedef struct libscan_matrix {
  libscan_type type;
  int64_t rows;
  int64_t columns;
  int64_t nonzeros;
  int64_t const* offsets;
  int32_t const* indices;
  void const* values;
} libscan_matrix;

typedef enum libscan_semiring {
  LIBSCAN_PLUS_TIMES = 0,
  LIBSCAN_MIN_PLUS = 1,
  LIBSCAN_MAX_TIMES = 2,
  LIBSCAN_OR_AND = 3
} libscan_semiring;

/* How to multiply: y = alpha A x + beta y. alpha and beta, of the matrix's type, are in host
   memory; NULL: one, and zero, with which y is not read. Zero everything that you do not set. */
typedef struct libscan_product {
  libscan_semiring semiring;
  void const* alpha;
  void const* beta;
} libscan_product;

/* What a matrix's offsets tell, for many products. */
typedef struct libscan_plan libscan_plan;

/* Makes a plan on the queue's stream, for the caller to destroy. Its memory is the queue's
   workspace, which it then keeps; without one, memory of the queue. Link libscan::spmv. */
LIBSCAN_C_API libscan_status libscan_plan_create(libscan_queue const* queue,
                                                 libscan_matrix const* matrix, libscan_plan** plan);

/* Ends a plan, after the work that is already on its stream. NULL is none. Link libscan::spmv. */
LIBSCAN_C_API void libscan_plan_destroy(libscan_plan* plan);

/* Multiplies. `plan` is NULL, or was made of a matrix with the same type and offsets; `how` may be
   NULL. Link libscan::spmv. */
LIBSCAN_C_API libscan_status libscan_spmv(libscan_queue const* queue, libscan_matrix const* matrix,
                                          libscan_plan const* plan, void const* x, void* y,
                                          libscan_product const* how);

/* Sets *workspace to the bytes that a product needs, and *plan to those of a plan, unless that is
   NULL. Of the matrix, type, rows and nonzeros matter. Link libscan::spmv. */
LIBSCAN_C_API libscan_status libscan_spmv_workspace_bytes(libscan_queue const* queue,
                                                          libscan_matrix const* matrix,
                                                          size_t* workspace, size_t* plan);

/* What a list of entries omits: nothing; one entry of each pair (r, c), (c, r); or the same with
   the other entry negated. */
typedef enum libscan_symmetry {
  LIBSCAN_GENERAL = 0,
  LIBSCAN_SYMMETRIC = 1,
  LIBSCAN_SKEW = 2
} libscan_symmetry;

/* A matrix as a list of entries, in device memory, in any order. Types and values are those of
   libscan_matrix. */
typedef struct libscan_entries {
  libscan_type type;
  libscan_symmetry symmetry;
  int64_t rows;
  int64_t columns;
  int64_t entries;
  int32_t const* row_indices;
  int32_t const* indices;
  void const* values;
} libscan_entries;

/* Writes the matrix by rows: rows + 1 offsets, the last of which is the number of entries, indices,
   and values, unless the list has none. Entries at the same place add up. Indices and values have
   space for as many entries as the list, twice that unless it is general. Link libscan::spmv. */
LIBSCAN_C_API libscan_status libscan_coo_to_csr(libscan_queue const* queue,
                                                libscan_entries const* list, int64_t* offsets,
                                                int32_t* indices, void* values);

/* Sets *bytes to the workspace that it needs. Link libscan::spmv. */
LIBSCAN_C_API libscan_status libscan_coo_to_csr_workspace_bytes(libscan_queue const* queue,
                                                                libscan_entries const* list,
                                                                size_t* bytes);

#ifdef __cplusplus
}
#endif

#endif
