# SPDX-License-Identifier: Apache-2.0
#
# What every unit test of the runtime is compiled with: the interface library teff_unit_test, the
# object library whose precompiled header they all use, and the function that makes the executables.
#
# GoogleTest's header, and those of the standard library that many tests include, take longer to
# compile than most tests: once for all of them. Debug information is for their lines alone, as a
# test is compiled a fifth faster so. With a precompiled header GCC has false warnings of
# std::string (its bug 105329): those that its optimizers find are off. The preset
# `debug` compiles each test without this header, and so shows what a test forgot to include.

find_package(GTest REQUIRED)
include(GoogleTest)
add_library(teff_unit_test INTERFACE)
target_link_libraries(teff_unit_test INTERFACE teff_warnings teff_dialect teff_sanitize GTest::gtest_main)
target_compile_options(teff_unit_test INTERFACE -g1
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
if(TEFF_SANITIZE)
    target_compile_definitions(teff_unit_test INTERFACE TEFF_SANITIZED) # malloc is the sanitizer's
endif()
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp" "")
add_library(teff_test_headers OBJECT "${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp")
target_link_libraries(teff_test_headers PRIVATE teff_unit_test)
target_precompile_headers(teff_test_headers PRIVATE <gtest/gtest.h> <algorithm> <fstream> <random> <thread>)

option(TEFF_UNITY_TESTS "Compile unit tests twelve files at a time; OFF is faster where one file changes" ON)

# teff_add_unit_test(TARGET FILES...): an executable of unit tests.
function(teff_add_unit_test target)
    add_executable(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE teff_unit_test)
    target_precompile_headers(${target} REUSE_FROM teff_test_headers)
    if(TEFF_UNITY_TESTS)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    endif()
endfunction()
