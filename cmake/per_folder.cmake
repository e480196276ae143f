# SPDX-License-Identifier: Apache-2.0

# teff_group_by_folder(PREFIX ROOT FILES...): sets PREFIX_folders to the first-level folders of ROOT
# that hold one of the FILES, and PREFIX_<folder> to the files in it.
function(teff_group_by_folder prefix root)
    set(folders "")
    foreach(file IN LISTS ARGN)
        file(RELATIVE_PATH path "${root}" "${file}")
        string(REGEX REPLACE "/.*" "" folder "${path}")
        list(APPEND folders "${folder}")
        list(APPEND files_${folder} "${file}")
        set(${prefix}_${folder} "${files_${folder}}" PARENT_SCOPE)
    endforeach()
    list(REMOVE_DUPLICATES folders)
    set(${prefix}_folders "${folders}" PARENT_SCOPE)
endfunction()
