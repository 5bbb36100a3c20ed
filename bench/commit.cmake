# SPDX-License-Identifier: Apache-2.0
# Writes the header that names the commit, if it changed: cmake -D SOURCE=... -D HEADER=... -P this
execute_process(COMMAND git describe --always --dirty
                WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define LIBSCAN_BENCH_COMMIT \"${commit}\"\n")
