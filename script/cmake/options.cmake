# SPDX-License-Identifier: Apache-2.0
# What is built. Everything but the `cuda` engine builds without nvcc.
include(CheckLanguage)
include(libscanArchitectures)

option(LIBSCAN_APPS "Build the applications and their programs" ${PROJECT_IS_TOP_LEVEL})
option(LIBSCAN_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(LIBSCAN_BENCH "Offer scan-bench as a target" ${PROJECT_IS_TOP_LEVEL})
option(LIBSCAN_INSTALL "Install libscan along with the project" ${PROJECT_IS_TOP_LEVEL})
set(LIBSCAN_CUDA "AUTO" CACHE STRING "Build the cuda engine: AUTO (if nvcc is found), ON, OFF")
option(LIBSCAN_CUDA_COMPILE_ONLY
       "Compile CUDA code of libraries and programs, not of tests and scan-check, and neither optimize nor assemble it: no GPU will run it"
       OFF)
set(LIBSCAN_MPI "AUTO" CACHE STRING "Build libscan::mpi: AUTO (if MPI is found), ON, OFF")
set(LIBSCAN_SANITIZE "" CACHE STRING
    "Instrument everything: address (with undefined), thread, or race (the executor's own checker)")
option(LIBSCAN_EXECUTOR "Build the executor, where Boost.Context is" ON)
option(LIBSCAN_QUICK_TESTS
       "Build the quick set of tests (machine_tests.cmake), and all else as fast as that goes" OFF)
set(LIBSCAN_NCCL "AUTO" CACHE STRING "Build libscan::nccl: AUTO (with CUDA, if NCCL is found), ON, OFF")
set_property(CACHE LIBSCAN_CUDA LIBSCAN_MPI LIBSCAN_NCCL PROPERTY STRINGS AUTO ON OFF)
set_property(CACHE LIBSCAN_SANITIZE PROPERTY STRINGS "" address thread race)

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL)
  if(NOT multi_config AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  find_program(LIBSCAN_CCACHE ccache)
  if(LIBSCAN_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers need the sloppiness. With CCACHE_DEPEND, ccache looks only at the files that the compiler
    # says it included: running the preprocessor first would add a tenth to each compilation.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${LIBSCAN_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${LIBSCAN_CCACHE})
  endif()
else()
  # Within another project, only what it links is built, unless it wants programs, tests or an
  # installation of libscan.
  if(NOT LIBSCAN_APPS AND NOT LIBSCAN_TESTS AND NOT LIBSCAN_INSTALL)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY EXCLUDE_FROM_ALL ON)
  endif()
  # Unoptimized, libscan is slower than a plain loop. The project's own targets stay as they are.
  string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" flags_of_type)
  string(STRIP "${${flags_of_type}}" flags_of_type)
  if(NOT multi_config AND "${flags_of_type}" STREQUAL "" AND NOT CMAKE_CXX_FLAGS MATCHES "(^| )-O")
    set(reason "no CMAKE_BUILD_TYPE is set")
    if(CMAKE_BUILD_TYPE)
      set(reason "CMAKE_BUILD_TYPE ${CMAKE_BUILD_TYPE} has no flags")
    endif()
    message(STATUS "libscan: ${reason}; libscan's own targets are built as Release")
    set(CMAKE_BUILD_TYPE Release)
  endif()
  # The project's compiler may be newer, and warn of more, than those libscan is tested with. The
  # same holds for the project's checkers, and for libscan's headers in the project's sources.
  set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY SYSTEM ON)
  foreach(checker CLANG_TIDY CPPCHECK CPPLINT INCLUDE_WHAT_YOU_USE)
    set(CMAKE_CXX_${checker} "")
  endforeach()
  set(CMAKE_LINK_WHAT_YOU_USE OFF)
  set(CMAKE_UNITY_BUILD OFF)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(LIBSCAN_WITH_CUDA OFF)
if(NOT LIBSCAN_CUDA STREQUAL "OFF")
  # `native` is a hard error where no GPU is; Hopper is what the library is tuned for.
  execute_process(COMMAND bash ${PROJECT_SOURCE_DIR}/script/has-gpu RESULT_VARIABLE no_gpu
                  OUTPUT_QUIET ERROR_QUIET TIMEOUT 20)
  set(default_architectures 90a-real 90-virtual)
  if(no_gpu EQUAL 0)
    set(default_architectures native)
  endif()
  if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${default_architectures} CACHE STRING "CUDA architectures")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # A project that names none gets CMake's choice for its own code, and libscan's for libscan.
    libscan_unnamed_architectures(unnamed)
    if(NOT PROJECT_IS_TOP_LEVEL AND unnamed)
      set(CMAKE_CUDA_ARCHITECTURES ${default_architectures})
      if(CUDA IN_LIST languages)
        libscan_warn_of_unnamed("${unnamed}" ", and libscan's own for ${default_architectures}")
      else()
        message(STATUS "libscan: no CUDA architectures are named: libscan is built for "
                       "${default_architectures}, other CUDA code for ${unnamed}; "
                       "-D CMAKE_CUDA_ARCHITECTURES=... names others")
      endif()
    endif()
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
      message(FATAL_ERROR "libscan: the cuda engine needs CUDA 12.4 or later, found "
                          "${CMAKE_CUDA_COMPILER_VERSION}; -D LIBSCAN_CUDA=OFF builds without it")
    endif()
    set(LIBSCAN_WITH_CUDA ON)
    if(LIBSCAN_CUDA_COMPILE_ONLY)
      set(CMAKE_CUDA_ARCHITECTURES 90a-virtual)
      set(CMAKE_CUDA_FLAGS_RELEASE "-O0 -Xcicc -O0")
      if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        set(CMAKE_CUDA_FLAGS_RELEASE "-O0 -fdevice-syntax-only")
      endif()
    endif()
  elseif(LIBSCAN_CUDA STREQUAL "ON")
    message(FATAL_ERROR "libscan: LIBSCAN_CUDA=ON, but no working nvcc was found")
  endif()
endif()
if(LIBSCAN_WITH_CUDA)
  message(STATUS "libscan: engines cpu and cuda (nvcc ${CMAKE_CUDA_COMPILER_VERSION}, "
                 "architectures ${CMAKE_CUDA_ARCHITECTURES})")
  if(NOT PROJECT_IS_TOP_LEVEL AND
     NOT CMAKE_CUDA_ARCHITECTURES MATCHES "(^|;)(9[0-9]|[1-9][0-9][0-9]|native|all)")
    message(WARNING "libscan: built for GPU architectures ${CMAKE_CUDA_ARCHITECTURES}, as the project "
                    "around it is: without the pipeline for Hopper (90 and later), which most of the "
                    "measured speed comes from. CMAKE_CUDA_ARCHITECTURES names others.")
  endif()
else()
  message(STATUS "libscan: engine cpu only (no nvcc, or LIBSCAN_CUDA=OFF)")
endif()

set(LIBSCAN_WITH_MPI OFF)
if(LIBSCAN_MPI STREQUAL "ON")
  find_package(MPI 3.1 REQUIRED COMPONENTS CXX)
elseif(NOT LIBSCAN_MPI STREQUAL "OFF" AND NOT LIBSCAN_SANITIZE)
  find_package(MPI 3.1 QUIET COMPONENTS CXX)
endif()
if(MPI_CXX_FOUND)
  set(LIBSCAN_WITH_MPI ON)
  message(STATUS "libscan: ranks over MPI (${MPI_CXX_COMPILER})")
endif()

set(LIBSCAN_WITH_NCCL OFF)
if(LIBSCAN_WITH_CUDA AND NOT LIBSCAN_NCCL STREQUAL "OFF")
  cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH toolkit)
  cmake_path(GET toolkit PARENT_PATH toolkit)
  find_path(LIBSCAN_NCCL_INCLUDE nccl.h HINTS ${toolkit}/include)
  find_library(LIBSCAN_NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${toolkit}/lib64 ${toolkit}/lib)
  mark_as_advanced(LIBSCAN_NCCL_INCLUDE LIBSCAN_NCCL_LIBRARY)
  if(LIBSCAN_NCCL_INCLUDE AND LIBSCAN_NCCL_LIBRARY)
    set(LIBSCAN_WITH_NCCL ON)
    message(STATUS "libscan: ranks over NCCL (${LIBSCAN_NCCL_LIBRARY})")
  endif()
endif()
if(LIBSCAN_NCCL STREQUAL "ON" AND NOT LIBSCAN_WITH_NCCL)
  message(FATAL_ERROR "libscan: LIBSCAN_NCCL=ON, but nccl.h or the library nccl was not found, or the build is "
                      "without CUDA")
endif()
