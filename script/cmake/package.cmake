# SPDX-License-Identifier: Apache-2.0
# cmake --install and find_package(libscan): libraries, headers under their path in the repository,
# and programs. The installed tree may be moved.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

if(NOT LIBSCAN_INSTALL)
  return()
endif()

# One set of targets per component, so that no one needs the dependencies of what they do not use.
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/libscan)
set(targets_of_device libscan_device)
set(targets_of_libscan libscan libscan_cpu libscan_segments libscan_distributed libscan_filter libscan_sort_cpu libscan_radix_sort
    libscan_histogram libscan_spmv)
set(targets_of_executor libscan_executor)
set(targets_of_mpi libscan_mpi)
set(targets_of_nccl libscan_nccl)
set(targets_of_simulated libscan_simulated)
set(programs scan-check scan-filter scan-histogram scan-prefix scan-sort scan-spmv scan-explain
    scan-filter-mpi scan-histogram-mpi scan-prefix-mpi scan-sort-mpi scan-spmv-mpi)

# CMake links the CUDA runtime into what nvcc links; users of a static libscan link without nvcc.
get_target_property(LIBSCAN_LIBRARY_TYPE libscan TYPE)
if(LIBSCAN_WITH_CUDA AND LIBSCAN_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY")
  target_link_libraries(libscan INTERFACE
                        $<INSTALL_INTERFACE:$<LINK_ONLY:CUDA::cudart_static>>)
endif()

foreach(component device libscan executor mpi nccl simulated)
  set(existing)
  foreach(target IN LISTS targets_of_${component})
    if(TARGET ${target})
      list(APPEND existing ${target})
      # The names begin with `lib` already.
      set_target_properties(${target} PROPERTIES PREFIX "" INSTALL_RPATH $ORIGIN)
    endif()
  endforeach()
  if(existing)
    install(TARGETS ${existing} EXPORT libscan-${component})
    install(EXPORT libscan-${component} NAMESPACE libscan:: DESTINATION ${config_dir}
            FILE libscan-${component}.cmake)
  endif()
endforeach()

file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(program IN LISTS programs)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH $ORIGIN/${lib_from_bin})
    # CMake would end the path of the build folder's program by a colon. The loader takes what is empty after it for
    # the current folder, and looks for libraries there.
    if(LIBSCAN_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY")
      set_target_properties(${program} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
    endif()
    install(TARGETS ${program})
  endif()
endforeach()

# Manual pages and completions of shells, from what --help says, where a Python can make them.
find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
if(Python3_Interpreter_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(manuals ${PROJECT_BINARY_DIR}/manuals)
  set(pages)
  foreach(program IN LISTS programs)
    if(TARGET ${program})
      add_custom_command(OUTPUT ${manuals}/man1/${program}.1
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/script/manuals.py $<TARGET_FILE:${program}>
                ${manuals}
        DEPENDS ${program} ${PROJECT_SOURCE_DIR}/script/manuals.py)
      list(APPEND pages ${manuals}/man1/${program}.1)
    endif()
  endforeach()
  if(pages)
    add_custom_target(libscan_manuals ALL DEPENDS ${pages})
    # Optional: a build of single targets makes none.
    install(DIRECTORY ${manuals}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
    install(DIRECTORY ${manuals}/bash/ OPTIONAL
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(DIRECTORY ${manuals}/zsh/ OPTIONAL
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(DIRECTORY ${manuals}/fish/ OPTIONAL
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()

# Public headers are in libscan/ and in apps/<name>/include, except what only native code shares. What
# they include is installed with them, and nothing else: neither programs' headers nor tests'.
file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     libscan/*.h libscan/*.hpp libscan/*.cuh apps/*/include/*.hpp apps/*/include/*.cuh)
list(FILTER headers EXCLUDE REGEX "/(src|racecheck|host)/|(-inl|/vector_targets)\\.hpp$")
if(NOT TARGET libscan_mpi)
  list(FILTER headers EXCLUDE REGEX "/mpi\\.hpp$")
endif()
if(NOT TARGET libscan_nccl)
  list(FILTER headers EXCLUDE REGEX "/nccl\\.hpp$")
endif()
if(NOT TARGET libscan_simulated)
  list(FILTER headers EXCLUDE REGEX "/simulated_ranks\\.hpp$")
endif()
set(installed)
while(headers)
  list(POP_FRONT headers header)
  if(NOT header IN_LIST installed)
    list(APPEND installed ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} includes REGEX "^ *# *include <(libscan|apps)/")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE ".*<(.*)>.*" "\\1" include "${include}")
      if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${include})
        file(GLOB include RELATIVE ${PROJECT_SOURCE_DIR} apps/*/include/${include})
      endif()
      list(APPEND headers ${include})
    endforeach()
    # As users include them: <libscan/...>, and <apps/...> for what public headers include themselves.
    string(REGEX REPLACE "^apps/[^/]+/include/" "" target ${header})
    cmake_path(GET target PARENT_PATH folder)
    install(FILES ${header} DESTINATION include/libscan/${folder})
  endif()
endwhile()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(
  script/cmake/libscanConfig.cmake.in libscanConfig.cmake INSTALL_DESTINATION ${config_dir}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(libscanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/libscanConfig.cmake
              ${PROJECT_BINARY_DIR}/libscanConfigVersion.cmake
              script/cmake/libscanArchitectures.cmake
        DESTINATION ${config_dir})
