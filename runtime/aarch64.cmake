# SPDX-License-Identifier: Apache-2.0
#
# The unit tests that run on AArch64: those of the context switch, and of what depends on the
# processor. GoogleTest comes as the source that Debian's package carries, since the installed one
# is for the machine that compiles.

set(GOOGLETEST_SOURCE /usr/src/googletest/googletest CACHE PATH "The source of GoogleTest")
if(NOT EXISTS "${GOOGLETEST_SOURCE}/CMakeLists.txt")
    message(STATUS "The unit tests are left out: there is no ${GOOGLETEST_SOURCE} (Debian: googletest)")
    return()
endif()
set(INSTALL_GTEST OFF)
add_subdirectory("${GOOGLETEST_SOURCE}" googletest EXCLUDE_FROM_ALL)
set_target_properties(gtest gtest_main PROPERTIES COMPILE_WARNING_AS_ERROR OFF UNITY_BUILD OFF) # not ours to mend
include(GoogleTest)

function(teff_add_aarch64_test folder)
    add_executable(test_${folder} ${ARGN})
    target_include_directories(test_${folder} PRIVATE "${TEFF_RUNTIME_SRC}")
    target_link_libraries(test_${folder} PRIVATE teff_warnings teff_dialect gtest_main ${CMAKE_DL_LIBS})
    gtest_discover_tests(test_${folder} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        TEST_PREFIX "aarch64/${folder}/"
        PROPERTIES TIMEOUT 120 LABELS unit)
endfunction()

set(fiber "${TEFF_RUNTIME_SRC}/fiber")
teff_add_aarch64_test(fiber
    "${fiber}/context.cpp" "${fiber}/context_aarch64.S" "${fiber}/shadow_stack_aarch64.cpp"
    "${fiber}/context_test.cpp" "${fiber}/exceptions_test.cpp" "${fiber}/registers_aarch64_test.cpp")
set_target_properties(test_fiber PROPERTIES UNITY_BUILD OFF)
set_source_files_properties("${fiber}/exceptions_test.cpp" PROPERTIES COMPILE_OPTIONS -fexceptions)

set(base "${TEFF_RUNTIME_SRC}/base")
teff_add_aarch64_test(base "${base}/arch_test.cpp" "${base}/call_site.cpp" "${base}/call_site_test.cpp")
