# SPDX-License-Identifier: Apache-2.0
# cmake -P: configures tests/subproject, which has libscan within it by add_subdirectory.
#   -D SOURCE=DIR -D WORK=DIR     libscan's sources; where everything is written
#   -D CXX=COMPILER [-D CUDA_COMPILER=NVCC]
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
set(configure ${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/subproject -D CMAKE_CXX_COMPILER=${CXX}
              -D LIBSCAN_FOLDER=${SOURCE})

# configured(FOLDER WARNS OPTIONS...): configures, and sets `said` to all that cmake says. WARNS is a
# regular expression of the warning that is expected of libscan, or OFF.
function(configured folder warns)
  execute_process(COMMAND ${configure} -B ${WORK}/${folder} ${ARGN} RESULT_VARIABLE failed
                  OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(failed)
    message(FATAL_ERROR "${folder} is not configured: ${out}${err}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " err "${err}")
  if(err MATCHES "libscan: " AND NOT warns OR warns AND NOT err MATCHES "${warns}")
    message(FATAL_ERROR "${folder}: warned, or not, unexpectedly: ${err}")
  endif()
  set(said "${out}${err}" PARENT_SCOPE)
endfunction()

# compilations(FOLDER RESULT): the commands that compile what the project's `all` needs, a list.
function(compilations folder result)
  execute_process(COMMAND ${NINJA} -C ${WORK}/${folder} -t commands all OUTPUT_VARIABLE commands
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," commands "${commands}")
  string(REPLACE "\n" ";" commands "${commands}")
  list(FILTER commands INCLUDE REGEX " -c ")
  set(${result} "${commands}" PARENT_SCOPE)
endfunction()

# expect(FOLDER SOURCE [HAS REGEX...] [LACKS REGEX...]): flags of the source whose path ends so.
function(expect folder source)
  cmake_parse_arguments(PARSE_ARGV 2 flags "" "" "HAS;LACKS")
  compilations(${folder} commands)
  list(FILTER commands INCLUDE REGEX "${source}$")
  list(LENGTH commands found)
  if(NOT found EQUAL 1)
    message(FATAL_ERROR "${folder}: ${source} is compiled ${found} times, not once")
  endif()
  foreach(flag IN LISTS flags_HAS)
    if(NOT commands MATCHES "${flag}")
      message(FATAL_ERROR "${folder}: ${source} lacks ${flag}: ${commands}")
    endif()
  endforeach()
  foreach(flag IN LISTS flags_LACKS)
    if(commands MATCHES "${flag}")
      message(FATAL_ERROR "${folder}: ${source} has ${flag}: ${commands}")
    endif()
  endforeach()
endfunction()

find_program(NINJA ninja REQUIRED)
set(optimized " -O[23] .*-DNDEBUG|-DNDEBUG.* -O[23] ")

# Without a build type: libscan is optimized, which is said, and the project is not.
configured(plain OFF -D LIBSCAN_CUDA=OFF)
if(NOT said MATCHES "no CMAKE_BUILD_TYPE is set; libscan's own targets are built as Release")
  message(FATAL_ERROR "Not said that libscan is optimized: ${said}")
endif()
foreach(source libscan/host/libscan.cpp libscan/cpu/vector_scan.cpp apps/filter/host/filter.cpp)
  expect(plain ${source} HAS "${optimized}" LACKS " -Werror")
endforeach()
expect(plain /mine.cpp LACKS " -O" " -DNDEBUG")

# Nor has a build type without flags any optimization.
configured(none OFF -D LIBSCAN_CUDA=OFF -D CMAKE_BUILD_TYPE=None)
if(NOT said MATCHES "CMAKE_BUILD_TYPE None has no flags; libscan's own targets are built as Release")
  message(FATAL_ERROR "Not said that libscan is optimized: ${said}")
endif()
expect(none libscan/cpu/vector_scan.cpp HAS "${optimized}")
expect(none /mine.cpp LACKS " -O" " -DNDEBUG")

# A project's own warnings as errors, checkers and joined sources are not libscan's; and scans only
# (without the executor) need few sources.
configured(strict OFF -D LIBSCAN_CUDA=OFF -D LINKED=libscan::libscan -D CMAKE_BUILD_TYPE=Debug
           "-DCMAKE_CXX_FLAGS=-Werror -Werror=conversion" -D CMAKE_COMPILE_WARNING_AS_ERROR=ON
           -D CMAKE_CXX_CLANG_TIDY=my-tidy -D CMAKE_UNITY_BUILD=ON -D LIBSCAN_EXECUTOR=OFF)
if(said MATCHES "no CMAKE_BUILD_TYPE")
  message(FATAL_ERROR "A build type was set, but it is said that none was: ${said}")
endif()
expect(strict libscan/cpu/vector_scan.cpp HAS " -g .* -Wno-error -w " LACKS " -O[23s]" " -Wno-error .* -Werror" "my-tidy")
expect(strict /unity_0_cxx.cxx HAS " -Werror" "-isystem ${SOURCE} " "my-tidy" LACKS " -Wno-error" " -w " "-I${SOURCE} ")
compilations(strict commands)
list(LENGTH commands number)
if(number GREATER 7)
  message(FATAL_ERROR "A project that only scans compiles ${number} sources, not 7: ${commands}")
endif()

# Nor is its -ffast-math.
configured(fast OFF -D LIBSCAN_CUDA=OFF -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_FLAGS=-ffast-math)
foreach(source libscan/host/libscan.cpp libscan/cpu/vector_scan.cpp apps/filter/host/filter.cpp)
  expect(fast ${source} HAS " -ffast-math .* -fno-fast-math " LACKS " -fno-fast-math .* -ffast-math")
endforeach()
expect(fast /mine.cpp HAS " -ffast-math" LACKS " -fno-fast-math")

if(NOT CUDA_COMPILER)
  return()
endif()
set(with_cuda -D LIBSCAN_CUDA=ON -D CMAKE_CUDA_COMPILER=${CUDA_COMPILER})
set(unnamed_expected "-DLIBSCAN_EXPECTED=90a-real.90-virtual|native" "-DPARENT_EXPECTED=[0-9]+")
# None named, twice: the second time CMake has its own choice in its cache.
foreach(time first second)
  configured(unnamed OFF ${with_cuda} ${unnamed_expected})
  if(NOT said MATCHES "no CUDA architectures are named")
    message(FATAL_ERROR "Not said that no architectures are named: ${said}")
  endif()
endforeach()
configured(unnamed OFF ${with_cuda} -D CMAKE_CUDA_ARCHITECTURES=90a
           -D LIBSCAN_EXPECTED=90a -D PARENT_EXPECTED=90a)
# A project with CUDA code is warned, until it names some.
foreach(time first second)
  configured(cuda_project "names no CUDA architectures, so CMake compiles its CUDA code for [0-9]+, and libscan"
             -D PARENT_CUDA=ON ${with_cuda} ${unnamed_expected})
endforeach()
configured(cuda_project "without the pipeline" -D PARENT_CUDA=ON ${with_cuda}
           -D CMAKE_CUDA_ARCHITECTURES=80-real -D LIBSCAN_EXPECTED=80-real -D PARENT_EXPECTED=80-real)
