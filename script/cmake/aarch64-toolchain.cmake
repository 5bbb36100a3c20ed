# SPDX-License-Identifier: Apache-2.0
# Builds for 64-bit Arm with Debian's cross compiler; programs run under qemu's user mode, so that
# ctest works as ever. LIBSCAN_AARCH64_ROOT is a folder with arm64 packages unpacked into it, the C
# library among them: script/test-aarch64 makes one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(LIBSCAN_AARCH64_ROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-root
    CACHE PATH "Folder with arm64 packages unpacked into it")
cmake_path(ABSOLUTE_PATH LIBSCAN_AARCH64_ROOT NORMALIZE OUTPUT_VARIABLE CMAKE_SYSROOT)
# Trial compilations read this file too, and know nothing of the cache.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LIBSCAN_AARCH64_ROOT)
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/include)
  message(FATAL_ERROR "libscan: no arm64 packages in ${CMAKE_SYSROOT}; script/test-aarch64 unpacks "
                      "them there, or LIBSCAN_AARCH64_ROOT says where they are")
endif()

# Programs are this machine's; what is compiled and linked is of the other.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${CMAKE_SYSROOT})
