# SPDX-License-Identifier: Apache-2.0
#
# Runs while Teff is installed: the command, and what it writes of itself: manual pages, and
# completions for shells. install.cmake sets the variables.

set(command "${teff_output}/bin/teff")
if(NOT EXISTS "${command}")
    message(STATUS "The command is not installed, as ${command} has not been built: ./run build does it.")
    return()
endif()
file(INSTALL "${command}" DESTINATION "${CMAKE_INSTALL_PREFIX}/bin" USE_SOURCE_PERMISSIONS)

file(REMOVE_RECURSE "${teff_manual}")
execute_process(COMMAND "${command}" manual "${teff_manual}" TIMEOUT 300 COMMAND_ERROR_IS_FATAL ANY)
file(INSTALL "${teff_manual}/share" DESTINATION "${CMAKE_INSTALL_PREFIX}")
