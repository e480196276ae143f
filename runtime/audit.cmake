# SPDX-License-Identifier: Apache-2.0
#
# libteff-audit.so, which the dynamic linker loads before the program that `teff` starts, to ask it
# which library to take (LD_AUDIT). It needs nothing but the dynamic linker, and has no start-up
# code.

# A sanitizer needs the libraries that this one does without.
if(NOT TEFF_SANITIZE)
    set(audit_map "${TEFF_RUNTIME_SRC}/audit/exports.map")
    add_library(teff_audit SHARED ${audit_sources})
    target_include_directories(teff_audit PRIVATE "${TEFF_RUNTIME_SRC}")
    target_link_libraries(teff_audit PRIVATE teff_warnings teff_dialect)
    # A loop must not become a call of a function of the C library.
    target_compile_options(teff_audit PRIVATE -ffreestanding -fno-stack-protector
        $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-tree-loop-distribute-patterns>)
    set_target_properties(teff_audit PROPERTIES
        LINKER_LANGUAGE C
        OUTPUT_NAME teff-audit
        LINK_DEPENDS "${audit_map}"
        LIBRARY_OUTPUT_DIRECTORY "${TEFF_OUTPUT_DIR}/lib")
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
        set(dynamic_linker ld-linux-aarch64.so.1)
    else()
        set(dynamic_linker ld-linux-x86-64.so.2)
    endif()
    target_link_options(teff_audit PRIVATE -nostdlib -Wl,-z,now -Wl,-z,defs "-Wl,--version-script=${audit_map}")
    target_link_libraries(teff_audit PRIVATE "-l:${dynamic_linker}")
    # Wherever libgomp.so.1 is built, so is what `teff run` looks for beside it.
    add_dependencies(teff teff_audit)
endif()
