# SPDX-License-Identifier: Apache-2.0
# cuda_tests: what a GPU is needed for. The programs, and the tests with the label cuda but not the large
# ones. Tests of the cpu engine and of the executor are the same in every build: `release` has them.
add_custom_target(cuda_tests)
foreach(program scan-check scan-filter scan-histogram scan-prefix scan-sort scan-spmv)
  if(TARGET ${program})
    add_dependencies(cuda_tests ${program})
  endif()
endforeach()
get_property(targets GLOBAL PROPERTY LIBSCAN_CUDA_TESTS)
list(FILTER targets EXCLUDE REGEX "^large_")
if(targets)
  add_dependencies(cuda_tests ${targets})
endif()
