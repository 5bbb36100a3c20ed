# SPDX-License-Identifier: Apache-2.0
# cmake -P: copies libscan, as another build of it or another version: with tiles of other sizes and
# an error in other words.
#   -D FROM=DIR -D TO=DIR         project; where the copy is written
#   -D NAMESPACE=v1               inline namespace of the copy
file(REMOVE_RECURSE ${TO})
file(GLOB_RECURSE files RELATIVE ${FROM} ${FROM}/libscan/*.hpp ${FROM}/libscan/*.cuh
     ${FROM}/libscan/*.cpp)

# What is replaced, and how often that happened.
set(replaced 0)
macro(replace pattern replacement)
  string(REGEX REPLACE "${pattern}" "${replacement}" changed "${text}")
  if(NOT changed STREQUAL text)
    math(EXPR replaced "${replaced} + 1")
    set(text "${changed}")
  endif()
endmacro()

foreach(file IN LISTS files)
  # Semicolons and brackets mean something in lists of CMake: not in quoted strings.
  file(READ ${FROM}/${file} text)
  if(file STREQUAL "libscan/core/tuning.hpp")
    replace("items_per_thread = [^;]*;" "items_per_thread = 3;")
  elseif(file STREQUAL "libscan/device/item_count.cuh")
    replace("number of items is" "${NAMESPACE} of another kind has items:")
  endif()
  string(REPLACE "inline v1" "inline ${NAMESPACE}" text "${text}")
  string(REPLACE "v1_cuda" "${NAMESPACE}_cuda" text "${text}")
  string(REPLACE "v1_executor" "${NAMESPACE}_executor" text "${text}")
  file(WRITE ${TO}/${file} "${text}")
endforeach()

if(NOT replaced EQUAL 2)
  message(FATAL_ERROR "the copy of libscan is like the original: its tiles or its words have changed")
endif()
file(TOUCH ${TO}/copied)
