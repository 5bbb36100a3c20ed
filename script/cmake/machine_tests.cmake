# SPDX-License-Identifier: Apache-2.0
# Which tests of kernels a build has. Racecheck has all: it finds races, and accesses outside of buffers.
# Ordinary builds have all too, with fewer types for the quick set; but that by g++ leaves out those which
# run under racecheck in the quick set, where they find all that they find here. ThreadSanitizer has those of what all
# kernels use and of every strategy; AddressSanitizer those of the executor itself.
set(kernel_tests ALL)
set(quick_race_tests simt_intrinsics simt_shuffle simt_memory simt_cluster simt_pipeline warp_test
    warp_binary_test block_test block_reuse_test device_look_back_test device_scan_test
    device_reverse_scan_test device_reduce_test device_binary_scan_test device_segmented_scan_test
    device_segmented_reduce_test device_segment_ranges_test device_keys_in_place_test
    device_pipeline_test device_filter_test device_masks_test device_in_place_test device_split_test
    runs_device_test device_histogram_test device_cluster_digits_test device_sort_keys_test
    device_sort_values_test device_segmented_sort_test device_split_by_key_test
    device_split_sort_test device_spmv_test device_coo_test)
if(LIBSCAN_SANITIZE STREQUAL "thread")
  set(kernel_tests simt_intrinsics simt_shuffle simt_memory simt_pipeline warp_binary_test
      device_strategies_test)
elseif(LIBSCAN_SANITIZE STREQUAL "address")
  set(kernel_tests simt_intrinsics simt_shuffle simt_memory simt_cluster simt_pipeline block_test)
elseif(LIBSCAN_SANITIZE STREQUAL "race" AND LIBSCAN_QUICK_TESTS)
  set(kernel_tests ${quick_race_tests})
endif()
set(left_to_racecheck)
if(LIBSCAN_QUICK_TESTS AND NOT LIBSCAN_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(left_to_racecheck ${quick_race_tests})
  # These are of the executor itself, and this has cases with what racecheck would call a race.
  list(FILTER left_to_racecheck EXCLUDE REGEX "^simt_")
  list(REMOVE_ITEM left_to_racecheck device_segmented_reduce_test)
endif()

# A test of what the cpu engine does in parallel, for ThreadSanitizer and AddressSanitizer too:
#   libscan_threads_test(scan scan_test)
# adds the test `scan` (labels cpu and threads), which runs the target scan_test.
function(libscan_threads_test name target)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES LABELS "cpu;threads")
  if(LIBSCAN_SANITIZE)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT LIBSCAN_TEST_REDUCED=1)
  endif()
  set_property(GLOBAL APPEND PROPERTY LIBSCAN_THREADS_TESTS ${target})
endfunction()

# A test of kernels is one source compiled twice: by the C++ compiler for the executor, and by nvcc for
# the GPU.
#
#   libscan_machine_test(scan_test scan_test.cpp)
#
# makes scan_test_executor (label executor) and, where nvcc is, scan_test_cuda (label cuda; reported as
# skipped where no GPU is, and not compiled for LIBSCAN_CUDA_COMPILE_ONLY). Extra arguments are
# libraries to link to both.
function(libscan_machine_test name source)
  if(TARGET libscan_executor AND (kernel_tests STREQUAL "ALL" OR name IN_LIST kernel_tests)
     AND NOT name IN_LIST left_to_racecheck)
    add_executable(${name}_executor ${source})
    libscan_target(${name}_executor)
    if(LIBSCAN_SANITIZE STREQUAL "race")
      # The compiler announces every access of a kernel; our own runtime hears it, not TSan's.
      target_link_libraries(${name}_executor PRIVATE libscan_racecheck_kernels)
      target_compile_definitions(${name}_executor PRIVATE LIBSCAN_TEST_RACECHECK)
    endif()
    if(LIBSCAN_SANITIZE MATCHES "race|thread")
      target_compile_definitions(${name}_executor PRIVATE LIBSCAN_TEST_FINDS_RACES)
    endif()
    target_link_libraries(${name}_executor PRIVATE libscan_executor libscan_test_support ${ARGN})
    add_test(NAME ${name}_executor COMMAND ${name}_executor)
    set_tests_properties(${name}_executor PROPERTIES LABELS executor)
    if(LIBSCAN_SANITIZE OR LIBSCAN_QUICK_TESTS)
      set_tests_properties(${name}_executor PROPERTIES ENVIRONMENT LIBSCAN_TEST_REDUCED=1)
    endif()
  endif()
  if(LIBSCAN_WITH_CUDA)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu
         CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
    libscan_cuda_test(${name} ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu ${ARGN})
  endif()
endfunction()

# A test that nvcc compiles; by itself, of what only a GPU has (streams, graphs), or of a host API on one.
#   libscan_cuda_test(name source [library...])
# makes name_cuda (label cuda; reported as skipped where no GPU is). With LIBSCAN_CUDA_COMPILE_ONLY there
# is no such target, and the test, never compiled, is reported as skipped all the same.
function(libscan_cuda_test name source)
  if(NOT LIBSCAN_WITH_CUDA)
    return()
  endif()
  if(LIBSCAN_CUDA_COMPILE_ONLY)
    add_test(NAME ${name}_cuda
             COMMAND sh -c "echo 'not compiled: LIBSCAN_CUDA_COMPILE_ONLY says that no GPU will run it'; exit 77")
  else()
    add_executable(${name}_cuda ${source})
    libscan_target(${name}_cuda)
    target_link_libraries(${name}_cuda PRIVATE libscan_device libscan_test_support_cuda ${ARGN})
    add_test(NAME ${name}_cuda COMMAND ${name}_cuda)
    set_property(GLOBAL APPEND PROPERTY LIBSCAN_CUDA_TESTS ${name}_cuda)
  endif()
  set_tests_properties(${name}_cuda PROPERTIES LABELS cuda SKIP_RETURN_CODE 77)
endfunction()
