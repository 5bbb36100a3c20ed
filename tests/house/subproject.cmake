# SPDX-License-Identifier: Apache-2.0
# cmake -P: configures tests/subproject, which has libscan within it by add_subdirectory.
#   -D SOURCE=DIR -D WORK=DIR     libscan's sources; where everything is written
#   -D CXX=COMPILER [-D CUDA_COMPILER=NVCC]
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
set(configure ${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/subproject -D CMAKE_CXX_COMPILER=${CXX}
              -D LIBSCAN_FOLDER=${SOURCE})

# configured(FOLDER WARNS OPTIONS...): fails if cmake does, or if it warns otherwise than expected.
function(configured folder warns)
  execute_process(COMMAND ${configure} -B ${WORK}/${folder} ${ARGN} COMMAND_ERROR_IS_FATAL ANY
                  ERROR_VARIABLE said)
  if(said MATCHES "without the pipeline" AND NOT warns OR
     warns AND NOT said MATCHES "without the pipeline")
    message(FATAL_ERROR "Warned, or not, unexpectedly: ${said}")
  endif()
endfunction()

if(NOT CUDA_COMPILER)
  configured(plain OFF -D LIBSCAN_CUDA=OFF)
  return()
endif()
set(with_cuda -D LIBSCAN_CUDA=ON -D CMAKE_CUDA_COMPILER=${CUDA_COMPILER})
# None named, twice: the second time CMake has its own choice in its cache.
foreach(time first second)
  configured(unnamed OFF ${with_cuda} "-DLIBSCAN_EXPECTED=90a-real.90-virtual|native"
             "-DPARENT_EXPECTED=[0-9]+")
endforeach()
configured(unnamed OFF ${with_cuda} -D CMAKE_CUDA_ARCHITECTURES=90a
           -D LIBSCAN_EXPECTED=90a -D PARENT_EXPECTED=90a)
configured(named ON ${with_cuda} -D CMAKE_CUDA_ARCHITECTURES=80-real
           -D LIBSCAN_EXPECTED=80-real -D PARENT_EXPECTED=80-real)
