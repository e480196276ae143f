# SPDX-License-Identifier: Apache-2.0
#
# The library: libgomp.so.1.0.0, and beside it libgomp.so.1 and libteff.so as links to it. Tools
# that look for OpenMP runtimes in a process, such as Python's threadpoolctl, follow links and go by
# the file's name, so the file bears libgomp's.

add_library(teff_objects OBJECT ${core_sources})
set(teff_includes "${TEFF_RUNTIME_SRC}" "${CMAKE_CURRENT_SOURCE_DIR}/include")
target_include_directories(teff_objects PUBLIC ${teff_includes})
target_compile_definitions(teff_objects PRIVATE TEFF_VERSION="${PROJECT_VERSION}")
set_target_properties(teff_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(teff_objects PRIVATE teff_warnings PUBLIC teff_dialect teff_sanitize)
# For scripts/check_stacks.py: beside each object, what its functions need of the stack, and whom
# they call.
target_compile_options(teff_objects PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fcallgraph-info=su>)

add_library(teff_core STATIC $<TARGET_OBJECTS:teff_objects>)
target_include_directories(teff_core PUBLIC ${teff_includes})
target_link_libraries(teff_core PUBLIC teff_dialect teff_sanitize ${CMAKE_DL_LIBS})
set_target_properties(teff_core PROPERTIES LINKER_LANGUAGE CXX)

# Linked by the C driver, so that libstdc++ does not come in (decision 0001). CMake would add the
# C++ libraries back because the objects are C++; hence the empty list, for this folder only.
set(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES "")
set(CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES "")
add_library(teff SHARED $<TARGET_OBJECTS:teff_objects>)
target_link_libraries(teff PRIVATE teff_sanitize ${CMAKE_DL_LIBS})
set_target_properties(teff PROPERTIES
    LINKER_LANGUAGE C
    NO_SONAME ON
    OUTPUT_NAME gomp
    SUFFIX .so.1.0.0
    LIBRARY_OUTPUT_DIRECTORY "${TEFF_OUTPUT_DIR}/lib")
target_link_options(teff PRIVATE -Wl,-soname,libgomp.so.1 -Wl,-z,nodelete -Wl,-z,now)

# Instrumented objects leave the sanitizer's functions to the executable.
if(NOT TEFF_SANITIZE)
    target_link_options(teff PRIVATE -Wl,-z,defs)
endif()
if(EXISTS "${TEFF_EXPORTS_MAP}")
    target_link_options(teff PRIVATE "-Wl,--version-script=${TEFF_EXPORTS_MAP}")
    set_target_properties(teff PROPERTIES LINK_DEPENDS "${TEFF_EXPORTS_MAP}")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${TEFF_RUNTIME_SRC}/abi")

foreach(link libgomp.so.1 libteff.so)
    add_custom_command(TARGET teff POST_BUILD
        COMMAND "${CMAKE_COMMAND}" -E create_symlink libgomp.so.1.0.0 "${TEFF_OUTPUT_DIR}/lib/${link}"
        VERBATIM)
endforeach()

# For programs that LLVM's compilers built; it is not in the folder that `teff run` searches.
add_custom_command(TARGET teff POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${TEFF_OUTPUT_DIR}/lib/llvm"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink ../libgomp.so.1.0.0 "${TEFF_OUTPUT_DIR}/lib/llvm/libomp.so.5"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink ../libgomp.so.1.0.0 "${TEFF_OUTPUT_DIR}/lib/llvm/libiomp5.so"
    VERBATIM)

# What programs and tools include, where the product's other parts are: -I build/include.
foreach(header omp-tools.h teff.h)
    configure_file("${CMAKE_CURRENT_SOURCE_DIR}/include/${header}" "${TEFF_OUTPUT_DIR}/include/${header}" COPYONLY)
endforeach()
