# SPDX-License-Identifier: Apache-2.0
# LIBSCAN_PYTHON: a Python 3 that has NumPy, for tests. FindPython3 would look for NumPy's and
# Python's C headers too, and takes the first interpreter on PATH whether it has NumPy or not.
function(libscan_python_has_numpy result candidate)
  execute_process(COMMAND ${candidate} -c "import numpy" RESULT_VARIABLE failed
                  OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

find_program(LIBSCAN_PYTHON NAMES python3 VALIDATOR libscan_python_has_numpy REQUIRED
             DOC "A Python 3 with NumPy, for tests")
