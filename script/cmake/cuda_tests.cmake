# SPDX-License-Identifier: Apache-2.0
# cuda_tests: what a GPU is needed for. The tests with the label cuda but not the large ones, and
# scan-check, which one of them runs. Tests of the cpu engine and of the executor are the same in every
# build: `release` has them.
add_custom_target(cuda_tests)
if(TARGET scan-check)
  add_dependencies(cuda_tests scan-check)
endif()
get_property(targets GLOBAL PROPERTY LIBSCAN_CUDA_TESTS)
list(FILTER targets EXCLUDE REGEX "^large[.]")
if(targets)
  add_dependencies(cuda_tests ${targets})
endif()
