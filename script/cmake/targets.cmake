# SPDX-License-Identifier: Apache-2.0
# What every target of the project shares.

# Warnings are errors where libscan is the project itself. Within another project a newer compiler's
# warnings must not stop the build, even if that project's own do.
function(libscan_warnings target)
  if(NOT PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE  # -w: -Werror=... is stronger than -Wno-error
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-error;-w>
      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-error,-w>)
    return()
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror;-Wno-unknown-pragmas>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Wall,-Wextra,-Werror>)
  # `#pragma unroll` is an order to nvcc, and a request to clang++.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-pass-failed>)
  # g++ 12 and 13 see uninitialized values, overlapping strings and reads past an end where there are none.
  set(quiet -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overread)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:${quiet}>")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(TRANSFORM quiet PREPEND -Xcompiler=)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${quiet}>")
  endif()
endfunction()

# LIBSCAN_SANITIZE=address|thread applies to all code of a target; `race` only to tests of kernels (see
# machine_tests.cmake).
function(libscan_sanitize target)
  if(LIBSCAN_SANITIZE STREQUAL "address")
    set(flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  elseif(LIBSCAN_SANITIZE STREQUAL "thread")
    set(flags -fsanitize=thread)
  else()
    return()
  endif()
  target_compile_definitions(${target} PRIVATE LIBSCAN_FEW_VECTOR_TARGETS)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${flags}>)
  target_link_options(${target} PRIVATE ${flags})
endfunction()

# -ffast-math of a project around libscan, or of whoever builds it, is not for libscan's own code, which
# knows NaN and adds in order. Options of a target come after all others.
function(libscan_exact_math target)
  if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_FLAGS MATCHES "-Ofast|-math")
    return()
  endif()
  set(exact -fno-fast-math -fno-unsafe-math-optimizations -fno-finite-math-only)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${exact}>")
  target_link_options(${target} PRIVATE $<$<LINK_LANGUAGE:CXX>:-fno-fast-math>)
endfunction()

# A library or program of the project: language level, warnings, sanitizer.
function(libscan_target target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  # CMake 3.25 does not know CUDA 20.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  libscan_warnings(${target})
  libscan_exact_math(${target})
  libscan_sanitize(${target})
  target_compile_definitions(${target} PRIVATE $<$<BOOL:${LIBSCAN_WITH_CUDA}>:LIBSCAN_WITH_CUDA>
                             $<$<BOOL:${LIBSCAN_HOST_EXECUTOR}>:LIBSCAN_WITH_EXECUTOR>)
  if(LIBSCAN_QUICK_TESTS)
    target_compile_definitions(${target} PRIVATE LIBSCAN_FEW_VECTOR_TARGETS)
  endif()
endfunction()

# libscan_targets_below(result folder): the targets of the folder and of those below it.
function(libscan_targets_below result folder)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    libscan_targets_below(more ${inner})
    list(APPEND found ${more})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# What most sources include of the standard library. In the quick set it is read once for all targets with the
# same options, as part of their precompiled headers.
set(LIBSCAN_STANDARD_HEADERS)
if(LIBSCAN_QUICK_TESTS)
  set(LIBSCAN_STANDARD_HEADERS
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <concepts> <condition_variable> <cstdint>
    <cstdio> <cstring> <exception> <filesystem> <functional> <iostream> <iterator> <limits> <map>
    <memory> <mutex> <new> <numeric> <optional> <random> <set> <span> <sstream> <stdexcept> <string>
    <string_view> <thread> <tuple> <type_traits> <unordered_map> <utility> <variant> <vector>)
endif()
