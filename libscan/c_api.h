/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on device memory for C, other compilers and other languages. Asynchronous on a stream;
   nothing is copied. The same code as libscan/device_calls.hpp, which has the details of each call.
   Link libscan::segments.

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
  LIBSCAN_F64 = 9
} libscan_type;

typedef enum libscan_operator {
  LIBSCAN_PLUS = 0,
  LIBSCAN_MINIMUM = 1,
  LIBSCAN_MAXIMUM = 2,
  LIBSCAN_BIT_AND = 3,
  LIBSCAN_BIT_OR = 4,
  LIBSCAN_BIT_XOR = 5
} libscan_operator;

typedef enum libscan_scan_kind { LIBSCAN_INCLUSIVE = 0, LIBSCAN_EXCLUSIVE = 1 } libscan_scan_kind;

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
  LIBSCAN_HEAD_BITS = 1, /* data: uint32_t; bit i % 32 of word i / 32 begins a segment at item i */
  LIBSCAN_OFFSETS = 2,   /* data: count + 1 int64_t, ascending within 0 to n */
  LIBSCAN_RANGES = 3     /* data: count int64_t begins; ends: as many */
} libscan_form;

/* Segments, described in device memory. Zero: all items are one segment. */
typedef struct libscan_segments {
  libscan_form form;
  void const* data;
  void const* ends;
  int64_t count;
} libscan_segments;

/* The version of the library; compare it with LIBSCAN_C_API_VERSION. */
LIBSCAN_C_API int libscan_c_api_version(void);

/* What the thread's last call that failed says; "" if none has. Valid until the next one. */
LIBSCAN_C_API char const* libscan_last_error(void);

/* out[i] = the scan of items 0 to i (inclusive) or i - 1 (exclusive), after *init, which is in host
   memory; NULL: the operator's identity. `segments` may be NULL. Without segments, *d_total in
   device memory receives *init and all items, unless it is NULL. */
LIBSCAN_C_API libscan_status libscan_scan(libscan_queue const* queue, libscan_items items,
                                          void* out, libscan_segments const* segments,
                                          libscan_operator op, libscan_scan_kind kind,
                                          void const* init, void* d_total);

/* totals[s] = *init and the items of segment s; without segments one total. *d_segments in device
   memory receives the number of segments of bits, unless it is NULL. */
LIBSCAN_C_API libscan_status libscan_reduce(libscan_queue const* queue, libscan_items items,
                                            void* totals, libscan_segments const* segments,
                                            libscan_operator op, void const* init,
                                            int64_t* d_segments);

/* Sets *bytes to the workspace that either call needs for such items and segments. Needs no device;
   of `items`, type and n matter, of `queue` the machine. */
LIBSCAN_C_API libscan_status libscan_workspace_bytes(libscan_queue const* queue,
                                                     libscan_items items,
                                                     libscan_segments const* segments,
                                                     size_t* bytes);

#ifdef __cplusplus
}
#endif

#endif
