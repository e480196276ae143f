# SPDX-License-Identifier: Apache-2.0
#
# The runtime is for x86-64 so far (base/arch). What AArch64 has of it is the context switch, with
# its tests. GoogleTest comes as the source that Debian's package carries, since the installed one
# is for this machine.

set(GOOGLETEST_SOURCE /usr/src/googletest/googletest CACHE PATH "The source of GoogleTest")
set(INSTALL_GTEST OFF)
add_subdirectory("${GOOGLETEST_SOURCE}" googletest EXCLUDE_FROM_ALL)
set_target_properties(gtest gtest_main PROPERTIES COMPILE_WARNING_AS_ERROR OFF) # not ours to mend
include(GoogleTest)

set(fiber "${TEFF_RUNTIME_SRC}/fiber")
add_executable(test_fiber
    "${fiber}/context.cpp" "${fiber}/context_aarch64.S" "${fiber}/shadow_stack_aarch64.cpp"
    "${fiber}/context_test.cpp" "${fiber}/exceptions_test.cpp" "${fiber}/registers_aarch64_test.cpp")
target_include_directories(test_fiber PRIVATE "${TEFF_RUNTIME_SRC}")
target_link_libraries(test_fiber PRIVATE teff_warnings teff_dialect gtest_main ${CMAKE_DL_LIBS})
set_source_files_properties("${fiber}/exceptions_test.cpp" PROPERTIES COMPILE_OPTIONS -fexceptions)
gtest_discover_tests(test_fiber DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_PREFIX "aarch64/fiber/"
    PROPERTIES TIMEOUT 120 LABELS unit)
