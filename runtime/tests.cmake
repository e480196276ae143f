# SPDX-License-Identifier: Apache-2.0
#
# One test executable per folder; CTest asks it for its tests when it runs, so that each counts and
# times out alone.

include("${CMAKE_SOURCE_DIR}/cmake/per_folder.cmake")

set(TEFF_TEST_TIMEOUT 180 CACHE STRING "Seconds that one unit test may take")

option(TEFF_SEARCHES "Build the long searches of the explorer: explored_*_test.cpp" ON)
if(NOT TEFF_SEARCHES)
    list(FILTER test_sources EXCLUDE REGEX "/explored_[a-z_]*_test\\.cpp$")
endif()

set(TEFF_TEST_FOLDERS "" CACHE STRING "The folders of runtime/src whose unit tests are built, by their names; empty: all")

# Libraries that tests load.
add_subdirectory(test_objects)
add_subdirectory(pretended)

# These stand for programs that throw; the runtime and its other tests do without.
set_source_files_properties("${TEFF_RUNTIME_SRC}/fiber/exceptions_test.cpp" PROPERTIES
    COMPILE_OPTIONS -fexceptions SKIP_PRECOMPILE_HEADERS ON)

teff_group_by_folder(tests "${TEFF_RUNTIME_SRC}" ${test_sources})
if(TEFF_TEST_FOLDERS)
    set(tests_folders ${TEFF_TEST_FOLDERS})
endif()
foreach(folder IN LISTS tests_folders)
    teff_add_unit_test(test_${folder} ${tests_${folder}})
    target_link_libraries(test_${folder} PRIVATE teff_core teff_explore)
    gtest_discover_tests(test_${folder}
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 30
        TEST_PREFIX "${folder}/"
        PROPERTIES TIMEOUT ${TEFF_TEST_TIMEOUT} LABELS unit)
endforeach()

if(TARGET test_distribute)
    target_link_libraries(test_distribute PRIVATE teff_distribute_parts)
endif()
if(TARGET test_preempt)
    add_dependencies(test_preempt preempted_lazy preempted_now preempted_no_plt
                     reached_O0 reached_O2 reached_O3 reached_no_plt reached_exports)
endif()

# Contexts under gdb, whose backtrace ends at their base, and under valgrind, which is told of their
# stacks.
find_program(TEFF_GDB gdb)
find_program(TEFF_VALGRIND valgrind)
if(TEFF_GDB AND NOT TEFF_SANITIZE)
    add_test(NAME fiber/gdb COMMAND "${TEFF_GDB}" -nx -batch -ex "break teff_fiber_test_stop" -ex run -ex backtrace
        --args $<TARGET_FILE:test_fiber> --gtest_filter=Backtrace.CanBeTakenByADebugger)
    set_tests_properties(fiber/gdb PROPERTIES TIMEOUT ${TEFF_TEST_TIMEOUT} LABELS unit
        PASS_REGULAR_EXPRESSION "in teff_fiber_base \\(\\)[^\n]*\n$"
        FAIL_REGULAR_EXPRESSION "[?][?] \\(;corrupt stack;Backtrace stopped")
endif()
if(TEFF_VALGRIND AND NOT TEFF_SANITIZE)
    add_test(NAME fiber/valgrind COMMAND "${TEFF_VALGRIND}" --error-exitcode=1 $<TARGET_FILE:test_fiber>
        --gtest_filter=StackPoolTest.GivesOutTheStackThatIsWarm:StackPoolTest.GivesPagesBackWhenAStackLeavesTheCache)
    set_tests_properties(fiber/valgrind PROPERTIES TIMEOUT 120 LABELS unit
        FAIL_REGULAR_EXPRESSION "switching stacks")
endif()
