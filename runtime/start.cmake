# SPDX-License-Identifier: Apache-2.0
#
# libteff-start.so, which `teff run --devices` preloads into all processes of the run: in a device,
# it replaces the program's main. It needs nothing but the C library.

# A sanitizer's own start-up code comes first.
if(NOT TEFF_SANITIZE)
    set(start_map "${TEFF_RUNTIME_SRC}/start/exports.map")
    add_library(teff_start SHARED ${start_sources})
    # dlsym is asked of the library that had it before glibc 2.34.
    target_include_directories(teff_start PRIVATE "${TEFF_RUNTIME_SRC}")
    target_link_libraries(teff_start PRIVATE teff_warnings teff_dialect
        -Wl,--push-state,--no-as-needed -l:libdl.so.2 -Wl,--pop-state)
    set_target_properties(teff_start PROPERTIES
        LINKER_LANGUAGE C
        OUTPUT_NAME teff-start
        LINK_DEPENDS "${start_map}"
        LIBRARY_OUTPUT_DIRECTORY "${TEFF_OUTPUT_DIR}/lib")
    # Its constructor is the first of the process, before anything is allocated.
    target_link_options(teff_start PRIVATE -Wl,-z,now -Wl,-z,defs -Wl,-z,initfirst "-Wl,--version-script=${start_map}")
    # Wherever libgomp.so.1 is built, so is what `teff run` looks for beside it.
    add_dependencies(teff teff_start)
endif()
