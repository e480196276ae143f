# SPDX-License-Identifier: Apache-2.0
#
# libteff-distribute.so, which stands in front of malloc in programs that it is preloaded into: as
# little as can be, without anything of OpenMP. What it needs of the runtime comes from the static
# library and stays inside.

set(distribute_front "${TEFF_RUNTIME_SRC}/distribute/interpose.cpp")
list(REMOVE_ITEM distribute_sources "${distribute_front}")

# All but the functions that stand in front of others, for tests.
add_library(teff_distribute_parts STATIC ${distribute_sources})
set_target_properties(teff_distribute_parts PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(teff_distribute_parts PRIVATE teff_warnings PUBLIC teff_core)

# A sanitizer stands in front of malloc itself.
if(NOT TEFF_SANITIZE)
    set(distribute_map "${TEFF_RUNTIME_SRC}/distribute/exports.map")
    add_library(teff_distribute SHARED "${distribute_front}")
    # dlsym is asked of the library that had it before glibc 2.34 (distribute/next.h).
    target_link_libraries(teff_distribute PRIVATE teff_warnings teff_distribute_parts
        -Wl,--push-state,--no-as-needed -l:libdl.so.2 -Wl,--pop-state)
    # What is defined here under the name of a builtin must not be taken for it.
    target_compile_options(teff_distribute PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-builtin-malloc;-fno-builtin-calloc>)
    set_target_properties(teff_distribute PROPERTIES
        LINKER_LANGUAGE C
        OUTPUT_NAME teff-distribute
        LINK_DEPENDS "${distribute_map}"
        LIBRARY_OUTPUT_DIRECTORY "${TEFF_OUTPUT_DIR}/lib")
    target_link_options(teff_distribute PRIVATE -Wl,-z,now -Wl,-z,defs -Wl,--gc-sections -Wl,--exclude-libs,ALL
        "-Wl,--version-script=${distribute_map}")
    # Wherever libgomp.so.1 is built, so is what `teff run` looks for beside it.
    add_dependencies(teff teff_distribute)
endif()
