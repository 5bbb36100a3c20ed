# SPDX-License-Identifier: Apache-2.0
# Explicit instantiation: what a library compiles for each item type.

# libscan_compile_for_types(target header code group...): compiles `code`, an explicit instantiation
# for a type T, for the types of each group: one source for each, which includes `header`. A group is
# a list of libscan/core/item_types.hpp, or several joined by "+": BYTES WORDS+LONG_WORDS. Lists joined
# by "/", and several instantiations in `code`, are compiled together by the C++ compiler, and apart by
# nvcc, which takes long; nvcc takes all together for LIBSCAN_CUDA_COMPILE_ONLY, which leaves out what takes
# long. A .cuh is for nvcc, and left out of a build without it.
function(libscan_compile_for_types target header code)
  if(header MATCHES "\\.cuh$")
    if(NOT LIBSCAN_WITH_CUDA)
      return()
    endif()
    if(LIBSCAN_CUDA_COMPILE_ONLY)
      string(REGEX REPLACE "[/;]" "+" ARGN "${ARGN}")
      libscan_type_sources(sources "${header}" "${code}" cu ${ARGN})
      target_sources(${target} PRIVATE ${sources})
      return()
    endif()
    string(REPLACE "/" ";" ARGN "${ARGN}")
    set(number 1)
    list(REMOVE_ITEM code "")  # after the last semicolon
    foreach(instantiation IN LISTS code)
      libscan_type_sources(sources "${header}" "${instantiation};" ${number}.cu ${ARGN})
      target_sources(${target} PRIVATE ${sources})
      math(EXPR number "${number} + 1")
    endforeach()
    return()
  endif()
  libscan_type_sources(sources "${header}" "${code}" cpp ${ARGN})
  target_sources(${target} PRIVATE ${sources})
endfunction()

# libscan_compile_for_executor(target source...): compiles .cu files for the executor, by the C++
# compiler; little optimized, since the executor around them takes most of the time.
function(libscan_compile_for_executor target)
  foreach(source IN LISTS ARGN)
    string(REGEX REPLACE "[/.]" "_" name ${source})
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${name}_executor.cpp)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include <${source}>\n")
    list(APPEND wrappers ${wrapper})
  endforeach()
  libscan_add_executor_sources(${target} ${wrappers})
endfunction()

# libscan_compile_types_for_executor(target header code group...): as libscan_compile_for_types, for
# the executor.
function(libscan_compile_types_for_executor target header code)
  string(REPLACE "/" "+" ARGN "${ARGN}")
  if(CMAKE_UNITY_BUILD)
    list(JOIN ARGN "+" ARGN)  # all types in one source
  endif()
  libscan_type_sources(sources "${header}" "${code}" executor.cpp ${ARGN})
  libscan_add_executor_sources(${target} ${sources})
endfunction()

# libscan_compile_types_for_machines(target header code group...): as libscan_compile_for_types, for
# GPUs and for the executor, if the build has them. Kernels that racecheck watches are those of tests only.
function(libscan_compile_types_for_machines target header code)
  libscan_compile_for_types(${target} ${header} "${code}" ${ARGN})
  if(LIBSCAN_HOST_EXECUTOR)
    libscan_compile_types_for_executor(${target} ${header} "${code}" ${ARGN})
    target_link_libraries(${target} PRIVATE libscan_executor)
  endif()
endfunction()

# libscan_compile_for_machines(target source...): the same for .cu files, by their path in the
# repository.
function(libscan_compile_for_machines target)
  if(LIBSCAN_WITH_CUDA)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
    target_sources(${target} PRIVATE ${sources})
  endif()
  if(LIBSCAN_HOST_EXECUTOR)
    libscan_compile_for_executor(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE libscan_executor)
  endif()
endfunction()

function(libscan_add_executor_sources target)
  set(sources ${ARGN})
  if(CMAKE_UNITY_BUILD)
    # One source for all of the target: a kernel that several of them call is compiled once.
    get_target_property(code ${target} libscan_executor_code)
    list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE includes)
    set_property(TARGET ${target} APPEND PROPERTY libscan_executor_code ${includes})
    if(code)
      return()
    endif()
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/${target}_executor.cpp)
    file(GENERATE OUTPUT ${sources}
         CONTENT "$<JOIN:$<TARGET_PROPERTY:${target},libscan_executor_code>,\n>\n")
  endif()
  set(options "$<IF:$<BOOL:${LIBSCAN_QUICK_TESTS}>,-O0,$<$<CONFIG:Release>:-O1>>")
  if(LIBSCAN_SANITIZE STREQUAL "address")
    list(APPEND options -fno-sanitize=pointer-overflow)  # kernels of no items add to null pointers
  endif()
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${options}")
  target_sources(${target} PRIVATE ${sources})
endfunction()

function(libscan_type_sources result header code extension)
  get_filename_component(name ${header} NAME_WLE)
  foreach(group IN LISTS ARGN)
    string(REPLACE "+" ";" lists ${group})
    list(TRANSFORM lists REPLACE "(.+)" "LIBSCAN_\\1(INSTANTIATE)" OUTPUT_VARIABLE calls)
    list(JOIN calls "\n" calls)
    string(TOLOWER ${group} suffix)
    string(REPLACE "+" "_and_" suffix ${suffix})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_${suffix}.${extension})
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"#include <@header@>
#include <libscan/core/item_types.hpp>
#define INSTANTIATE(name, T) @code@
@calls@
#undef INSTANTIATE
")
    list(APPEND sources ${source})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()
