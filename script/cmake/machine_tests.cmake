# SPDX-License-Identifier: Apache-2.0
# Which tests of kernels a build has. Racecheck has all: it finds races, and accesses outside of buffers.
# Ordinary builds have all too, with fewer types for the quick set, which leaves out those that run under
# racecheck in it: there they find all that they would find here. ThreadSanitizer has those of what all
# kernels use and of every strategy; AddressSanitizer those of the executor itself.
set(kernel_tests ALL)
set(quick_race_tests simt.intrinsics simt.shuffle simt.memory simt.cluster simt.pipeline warp.collectives
    warp.binary_scan block.collectives block.reuse device.look_back device.scan
    device.reverse_scan device.reduce device.binary_scan device.segmented_scan
    device.segmented_reduce device.segment_ranges device.keys_in_place device.adjacent_difference
    device.pipeline device.filter device.masks device.in_place device.split
    device.runs device.histogram device.cluster_digits device.sort_keys
    device.sort_values device.segmented_sort device.split_by_key
    device.split_sort device.spmv device.coo)
if(LIBSCAN_SANITIZE STREQUAL "thread")
  set(kernel_tests simt.intrinsics simt.shuffle simt.memory simt.pipeline warp.binary_scan
      device.strategies)
elseif(LIBSCAN_SANITIZE STREQUAL "address")
  set(kernel_tests simt.intrinsics simt.shuffle simt.memory simt.cluster simt.pipeline block.collectives)
elseif(LIBSCAN_SANITIZE STREQUAL "race" AND LIBSCAN_QUICK_TESTS)
  set(kernel_tests ${quick_race_tests})
endif()
set(left_to_racecheck)
if(LIBSCAN_QUICK_TESTS AND NOT LIBSCAN_SANITIZE)
  set(left_to_racecheck ${quick_race_tests})
  # These are of the executor itself, and this has cases with what racecheck would call a race.
  list(FILTER left_to_racecheck EXCLUDE REGEX "^simt\\.")
  list(REMOVE_ITEM left_to_racecheck device.segmented_reduce)
endif()

# Those that take longest on a GPU begin first, so that none runs by itself at the end.
set(longest_cuda_tests host_api.piece_applications host_api.split_by_key host_api.segmented_sort host_api.sort
    host_api.selection device.histogram device.segmented_scan device.sort_keys device.strategies
    device.lane_sort device.offsets_to_bits device.binary_scan device.masks block.textbook)

# libscan_left_to_full_runs(test... [PROGRAMS target...]): the quick set has neither these tests, which get the label
# `full` there, nor the programs that only they run; a build makes them on request. No planted mistake of
# tests/mutants is found by these tests only, or they take very long for what they find.
function(libscan_left_to_full_runs)
  if(NOT LIBSCAN_QUICK_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "PROGRAMS" ${ARGN})
  foreach(test IN LISTS arg_UNPARSED_ARGUMENTS)
    if(TEST ${test})
      set_property(TEST ${test} APPEND PROPERTY LABELS full)
    endif()
    list(APPEND arg_PROGRAMS ${test})  # tests of kernels have their program's name
  endforeach()
  foreach(program IN LISTS arg_PROGRAMS)
    if(TARGET ${program})
      set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endfunction()

# A test of what the cpu engine does in parallel, for ThreadSanitizer and AddressSanitizer too:
#   libscan_threads_test(cpu.scan cpu_scan_test)
# adds the test `cpu.scan` (labels cpu and threads), which runs the target cpu_scan_test.
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
#   libscan_machine_test(device.scan scan_test.cpp)
#
# makes device.scan.executor (label executor) and, where nvcc is, device.scan.cuda (label cuda; reported as
# skipped where no GPU is, and not compiled for LIBSCAN_CUDA_COMPILE_ONLY). Extra arguments are
# libraries to link to both.
function(libscan_machine_test name source)
  libscan_executor_test(${name} ${source} ${ARGN})
  if(LIBSCAN_WITH_CUDA)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu
         CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
    libscan_cuda_test(${name} ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu ${ARGN})
  endif()
endfunction()

# A test of kernels that makes sense in the executor only, which counts accesses: name.executor.
#   libscan_executor_test(name source [library...])
function(libscan_executor_test name source)
  if(TARGET libscan_executor AND (kernel_tests STREQUAL "ALL" OR name IN_LIST kernel_tests)
     AND NOT name IN_LIST left_to_racecheck)
    add_executable(${name}.executor ${source})
    libscan_target(${name}.executor)
    if(LIBSCAN_SANITIZE STREQUAL "race")
      # The compiler announces every access of a kernel; our own runtime hears it, not TSan's.
      target_link_libraries(${name}.executor PRIVATE libscan_racecheck_kernels)
      target_compile_definitions(${name}.executor PRIVATE LIBSCAN_TEST_RACECHECK)
    endif()
    if(LIBSCAN_SANITIZE MATCHES "race|thread")
      target_compile_definitions(${name}.executor PRIVATE LIBSCAN_TEST_FINDS_RACES)
    endif()
    target_link_libraries(${name}.executor PRIVATE libscan_executor libscan_test_support ${ARGN})
    add_test(NAME ${name}.executor COMMAND ${name}.executor)
    set_tests_properties(${name}.executor PROPERTIES LABELS executor)
    if(LIBSCAN_SANITIZE OR LIBSCAN_QUICK_TESTS)
      set_tests_properties(${name}.executor PROPERTIES ENVIRONMENT LIBSCAN_TEST_REDUCED=1)
    endif()
  endif()
endfunction()

# A test that nvcc compiles; by itself, of what only a GPU has (streams, graphs), or of a host API on one.
#   libscan_cuda_test(name source [library...])
# makes name.cuda (label cuda; reported as skipped where no GPU is). With LIBSCAN_CUDA_COMPILE_ONLY there
# is no such target, and the test, never compiled, is reported as skipped all the same.
function(libscan_cuda_test name source)
  if(NOT LIBSCAN_WITH_CUDA)
    return()
  endif()
  if(LIBSCAN_CUDA_COMPILE_ONLY)
    add_test(NAME ${name}.cuda
             COMMAND sh -c "echo 'not compiled: LIBSCAN_CUDA_COMPILE_ONLY says that no GPU will run it'; exit 77")
  else()
    add_executable(${name}.cuda ${source})
    libscan_target(${name}.cuda)
    target_link_libraries(${name}.cuda PRIVATE libscan_device libscan_test_support_cuda ${ARGN})
    add_test(NAME ${name}.cuda COMMAND ${name}.cuda)
    set_property(GLOBAL APPEND PROPERTY LIBSCAN_CUDA_TESTS ${name}.cuda)
  endif()
  libscan_label_cuda(${name})
endfunction()

function(libscan_label_cuda name)
  set_tests_properties(${name}.cuda PROPERTIES LABELS cuda SKIP_RETURN_CODE 77)
  if(name IN_LIST longest_cuda_tests)
    set_tests_properties(${name}.cuda PROPERTIES COST 50)
  endif()
endfunction()
