# SPDX-License-Identifier: Apache-2.0
# cmake -P: installs a build, moves the installed tree, builds and runs tests/consumer against it.
#   -D BUILD=DIR -D WORK=DIR      the build to install; where everything is written
#   -D COMPONENTS=LIST            libscan, executor, device, mpi, simulated
#   -D CXX=COMPILER [-D CUDA_COMPILER=NVCC]
cmake_minimum_required(VERSION 3.25)
set(source ${CMAKE_CURRENT_LIST_DIR}/../consumer)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved)

# Each installed header finds what it includes, and none is there whose code is not.
set(include ${WORK}/moved/include/libscan)
file(GLOB_RECURSE headers RELATIVE ${include} ${include}/*)
foreach(header IN LISTS headers)
  file(STRINGS ${include}/${header} lines REGEX "^ *# *include <(libscan|apps)/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*<(.*)>.*" "\\1" included "${line}")
    if(NOT EXISTS ${include}/${included})
      message(FATAL_ERROR "${header} includes <${included}>, which is not installed")
    endif()
  endforeach()
endforeach()
foreach(header libscan/libscan.hpp libscan/spmv.cuh libscan/cpu/histogram.hpp)
  if(NOT header IN_LIST headers)
    message(FATAL_ERROR "<${header}> is not installed")
  endif()
endforeach()
foreach(header apps/spmv/program/spy.hpp apps/radix_sort/device/tiny_tuning.hpp
               apps/common/program.hpp apps/filter/program/run_filter.hpp)
  if(header IN_LIST headers OR NOT EXISTS ${source}/../../${header})
    message(FATAL_ERROR "<${header}>, a program's or a test's, is installed, or is no more")
  endif()
endforeach()

foreach(component IN LISTS COMPONENTS)
  set(options -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=Release
              -D CMAKE_PREFIX_PATH=${WORK}/moved -D COMPONENT=${component})
  # What a component has no use for must not be looked for.
  if(component MATCHES "device|executor")
    list(APPEND options -D CMAKE_DISABLE_FIND_PACKAGE_TBB=ON
                        -D CMAKE_DISABLE_FIND_PACKAGE_hwy=ON)
  endif()
  if(NOT component STREQUAL "mpi")
    list(APPEND options -D CMAKE_DISABLE_FIND_PACKAGE_MPI=ON)
  endif()
  if(component STREQUAL "device")
    list(APPEND options -D CMAKE_CUDA_COMPILER=${CUDA_COMPILER} -D CMAKE_DISABLE_FIND_PACKAGE_Boost=ON)
  endif()
  run(${CMAKE_COMMAND} -G Ninja -S ${source} -B ${WORK}/${component} ${options})
  run(${CMAKE_COMMAND} --build ${WORK}/${component})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/${component} --output-on-failure
      --no-tests=error)
endforeach()

# README.md's first program, by its own project.
if("libscan" IN_LIST COMPONENTS)
  run(${CMAKE_COMMAND} -G Ninja -S ${source}/../../examples/first -B ${WORK}/first_program
      -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${WORK}/moved)
  run(${CMAKE_COMMAND} --build ${WORK}/first_program)
  execute_process(COMMAND ${WORK}/first_program/first OUTPUT_VARIABLE printed
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${source}/../../README.md readme)
  string(FIND "${readme}" "<!-- printed by: examples/first -->\n```\n${printed}```" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "README.md does not show what its first program prints: ${printed}")
  endif()
endif()

# A project with CUDA code that names no architectures learns which it gets.
if("device" IN_LIST COMPONENTS)
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${source} -B ${WORK}/unnamed -D UNNAMED=ON
                          -D COMPONENT=device -D CMAKE_CXX_COMPILER=${CXX}
                          -D CMAKE_CUDA_COMPILER=${CUDA_COMPILER} -D CMAKE_PREFIX_PATH=${WORK}/moved
                  OUTPUT_QUIET ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said MATCHES "names no CUDA")
    message(FATAL_ERROR "Nothing said of architectures that nobody named: ${said}")
  endif()
endif()

# The installed programs find their libraries.
file(GLOB programs ${WORK}/moved/bin/scan-*)
foreach(program IN LISTS programs)
  run(${program} --version)
endforeach()
