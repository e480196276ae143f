# SPDX-License-Identifier: Apache-2.0
#
# One test executable per folder; CTest asks it for its tests when it runs, so that each counts and
# times out alone.

find_package(GTest REQUIRED)
include(GoogleTest)
include("${CMAKE_SOURCE_DIR}/cmake/per_folder.cmake")

set(TEFF_TEST_TIMEOUT 60 CACHE STRING "Seconds that one unit test may take")

# The explorer of interleavings, which tests of protocols use.
add_subdirectory(explore)

teff_group_by_folder(tests "${TEFF_RUNTIME_SRC}" ${test_sources})
foreach(folder IN LISTS tests_folders)
    add_executable(test_${folder} ${tests_${folder}})
    target_link_libraries(test_${folder} PRIVATE teff_warnings teff_core GTest::gtest_main teff_explore)
    gtest_discover_tests(test_${folder}
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 30
        TEST_PREFIX "${folder}/"
        PROPERTIES TIMEOUT ${TEFF_TEST_TIMEOUT} LABELS unit)
endforeach()
