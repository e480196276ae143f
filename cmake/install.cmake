# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` puts where (docs/installing.md). The command finds all else relative to
# itself, so the tree can be moved. It is installed if it has been built: by cargo, as CMake does
# not.
#
# The libraries are in a folder of their own on every system. Those folders that the loader searches
# have libgomp.so.1 from the compiler, which stays what programs get unless their user says
# otherwise.

set(TEFF_INSTALL_LIB lib/teff)

install(FILES
    "${TEFF_OUTPUT_DIR}/lib/libgomp.so.1.0.0"
    "${TEFF_OUTPUT_DIR}/lib/libgomp.so.1"
    "${TEFF_OUTPUT_DIR}/lib/libteff.so"
    DESTINATION ${TEFF_INSTALL_LIB})
foreach(library libteff-audit.so libteff-distribute.so libteff-start.so)
    install(FILES "${TEFF_OUTPUT_DIR}/lib/${library}" DESTINATION ${TEFF_INSTALL_LIB} OPTIONAL)
endforeach()
install(PROGRAMS "${TEFF_OUTPUT_DIR}/libexec/teff/teff-machine" DESTINATION libexec/teff OPTIONAL)
install(DIRECTORY "${TEFF_OUTPUT_DIR}/share/teff/machines" DESTINATION share/teff OPTIONAL)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/runtime/include/" DESTINATION include/teff FILES_MATCHING PATTERN "*.h")
install(FILES "${CMAKE_SOURCE_DIR}/README.md" "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION share/doc/teff)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs" DESTINATION share/doc/teff)

install(CODE "
    set(teff_output \"${TEFF_OUTPUT_DIR}\")
    set(teff_manual \"${CMAKE_BINARY_DIR}/manual\")
    set(teff_lib \"${TEFF_INSTALL_LIB}\")
    set(teff_objcopy \"${CMAKE_OBJCOPY}\")")
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/install_documents.cmake")
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/install_tools.cmake")
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/separate_symbols.cmake")
