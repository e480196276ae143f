# SPDX-License-Identifier: Apache-2.0
#
# Runs while Teff is installed, under `cmake --install DIR --strip`: takes symbols and debug
# information out of what was installed, and keeps them in `.debug/` beside it, where debuggers and
# `teff report` look for them. install.cmake sets the variables.

if(NOT CMAKE_INSTALL_DO_STRIP)
    return()
endif()
foreach(file bin/teff libexec/teff/teff-machine
        ${teff_lib}/libgomp.so.1.0.0 ${teff_lib}/libteff-distribute.so ${teff_lib}/libteff-audit.so)
    set(object "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${file}")
    if(NOT EXISTS "${object}")
        continue()
    endif()
    cmake_path(GET object PARENT_PATH folder)
    cmake_path(GET object FILENAME name)
    set(symbols "${folder}/.debug/${name}.debug")
    file(MAKE_DIRECTORY "${folder}/.debug")
    foreach(options
            "--only-keep-debug;--compress-debug-sections;${object};${symbols}"
            "--strip-unneeded;--add-gnu-debuglink=${symbols};${object}")
        execute_process(COMMAND "${teff_objcopy}" ${options} TIMEOUT 300 COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    cmake_path(GET file PARENT_PATH below)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${CMAKE_INSTALL_PREFIX}/${below}/.debug/${name}.debug")
endforeach()
