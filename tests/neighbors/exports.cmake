# SPDX-License-Identifier: Apache-2.0
# cmake -P: fails if a library exports names of libscan, or if the program does not.
#   -D NM=TOOL -D LIBRARY=FILE -D PROGRAM=FILE
function(count_exports result file)
  execute_process(COMMAND ${NM} -D -C --defined-only ${file} OUTPUT_VARIABLE names
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]*libscan::[^\n]*" found "${names}")
  list(LENGTH found number)
  set(${result} ${number} PARENT_SCOPE)
  set(${result}_names "${found}" PARENT_SCOPE)
endfunction()

count_exports(of_library ${LIBRARY})
count_exports(of_program ${PROGRAM})
if(of_library GREATER 0)
  message(FATAL_ERROR "${LIBRARY} exports ${of_library} names of libscan: ${of_library_names}")
endif()
if(of_program EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} exports no name of libscan: its neighbors are not tested")
endif()
message(STATUS "names of libscan: library 0, program ${of_program}")
