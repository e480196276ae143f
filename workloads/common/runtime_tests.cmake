# SPDX-License-Identifier: Apache-2.0
#
# add_runtime_tests(NAME COMMAND...): one test per runtime and number of threads. The programs check
# their own results. So a failure on the system's libgomp is a fault of the program, and a failure
# on the other runtime alone is a fault of that runtime.

set(default_runtime_dir "")
if(TEFF_OUTPUT_DIR)
    set(default_runtime_dir "${TEFF_OUTPUT_DIR}/lib")
endif()
set(WORKLOADS_RUNTIME_DIR "${default_runtime_dir}" CACHE PATH
    "Folder of the libgomp.so.1 that the workloads are tested on besides the system's (empty: none)")

function(add_runtime_tests name)
    set(runtimes system)
    if(WORKLOADS_RUNTIME_DIR)
        list(APPEND runtimes teff)
    endif()
    foreach(runtime IN LISTS runtimes)
        foreach(threads 2 8)
            set(test "workloads.${runtime}.${name}.threads_${threads}")
            set(environment "OMP_NUM_THREADS=set:${threads}")
            if(runtime STREQUAL "teff")
                list(APPEND environment "LD_LIBRARY_PATH=path_list_prepend:${WORKLOADS_RUNTIME_DIR}")
            endif()
            add_test(NAME "${test}" COMMAND ${ARGN})
            set_tests_properties("${test}" PROPERTIES
                TIMEOUT 30 LABELS workloads ENVIRONMENT_MODIFICATION "${environment}")
        endforeach()
    endforeach()
endfunction()
