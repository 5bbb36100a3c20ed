# SPDX-License-Identifier: Apache-2.0
# Whether a project names the GPU architectures that it is built for. One that names none gets the
# oldest that nvcc knows, by CMake's choice. Installed, too: libscanConfig.cmake includes it.

# libscan_unnamed_architectures(RESULT): sets RESULT to CMake's choice, or to nothing if the project or
# its user named architectures, or if CUDA is not enabled yet.
function(libscan_unnamed_architectures result)
  set(${result} "" PARENT_SCOPE)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT CUDA IN_LIST languages)
    return()
  endif()
  # CUDAARCHS names some, and CMake keeps them in its cache like its own choice.
  if(NOT "$ENV{CUDAARCHS}" STREQUAL "")
    set(LIBSCAN_CUDAARCHS "$ENV{CUDAARCHS}" CACHE INTERNAL "What CUDAARCHS named")
  endif()
  # CMake's choice is a cache entry with this text. An entry from the command line has another, a
  # project's variable none; one that was edited later differs from the choice.
  get_property(text CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
  if(NOT text STREQUAL "CUDA architectures" OR
     NOT CMAKE_CUDA_ARCHITECTURES STREQUAL "$CACHE{CMAKE_CUDA_ARCHITECTURES}" OR
     CMAKE_CUDA_ARCHITECTURES STREQUAL "${LIBSCAN_CUDAARCHS}")
    return()
  endif()
  if(NOT DEFINED LIBSCAN_UNNAMED_ARCHITECTURES)
    set(LIBSCAN_UNNAMED_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}" CACHE INTERNAL "CMake's choice")
  endif()
  if(CMAKE_CUDA_ARCHITECTURES STREQUAL LIBSCAN_UNNAMED_ARCHITECTURES)
    set(${result} "${CMAKE_CUDA_ARCHITECTURES}" PARENT_SCOPE)
  endif()
endfunction()

# libscan_warn_of_unnamed(CHOICE NOTE): says what CMake chose, and how to name another.
function(libscan_warn_of_unnamed choice note)
  message(WARNING "libscan: this project names no CUDA architectures, so CMake compiles its CUDA code for "
                  "${choice}${note}. Kernels for less than 90a lack the pipeline for Hopper, which most of "
                  "the measured speed comes from. Name the GPUs to build for, for example by "
                  "-D CMAKE_CUDA_ARCHITECTURES=native (this machine's GPU) or "
                  "\"-D CMAKE_CUDA_ARCHITECTURES=90a-real;90-virtual\" (Hopper and later).")
endfunction()
