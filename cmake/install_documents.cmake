# SPDX-License-Identifier: Apache-2.0
#
# Runs while Teff is installed. Some documents link to files that only the source tree has. In the
# installed copies, this script replaces each such link by its text.

set(documents_folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/teff")
file(GLOB_RECURSE documents "${documents_folder}/*.md")
foreach(document IN LISTS documents)
    cmake_path(GET document PARENT_PATH folder)
    file(READ "${document}" text)
    string(REGEX MATCHALL "\\([^()#; ]+[#)]" targets "${text}")
    list(REMOVE_DUPLICATES targets)
    set(changed "${text}")
    foreach(target IN LISTS targets)
        string(REGEX REPLACE "[(#)]" "" target "${target}")
        if(target MATCHES "^[a-z]+:" OR EXISTS "${folder}/${target}")
            continue()
        endif()
        string(REGEX REPLACE "([][+.*?^$|\\\\])" "\\\\\\1" pattern "${target}")
        string(REGEX REPLACE "\\[([^]]*)\\]\\(${pattern}(#[^)]*)?\\)" "\\1" changed "${changed}")
    endforeach()
    if(NOT changed STREQUAL text)
        file(WRITE "${document}" "${changed}")
    endif()
endforeach()
