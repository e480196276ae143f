# SPDX-License-Identifier: Apache-2.0
#
# find_blas(RESULT): sets RESULT to the first BLAS library that has the C interface, or to nothing.

include(CheckSymbolExists)
include(CMakePushCheckState)

function(find_blas result)
    set("${result}" "" PARENT_SCOPE)
    foreach(name openblas blas cblas)
        find_library(WORKLOADS_LIBRARY_${name} ${name})
        mark_as_advanced(WORKLOADS_LIBRARY_${name})
        if(NOT WORKLOADS_LIBRARY_${name})
            continue()
        endif()
        cmake_push_check_state(RESET)
        set(CMAKE_REQUIRED_LIBRARIES "${WORKLOADS_LIBRARY_${name}}")
        check_symbol_exists(cblas_dgemm cblas.h WORKLOADS_CBLAS_IN_${name})
        cmake_pop_check_state()
        if(WORKLOADS_CBLAS_IN_${name})
            set("${result}" "${WORKLOADS_LIBRARY_${name}}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
endfunction()
