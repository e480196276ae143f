# SPDX-License-Identifier: Apache-2.0
#
#   teff_explore   runtime/explore, the explorer of interleavings that tests of protocols use: #include "explore/..."

file(GLOB explore_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/explore/*.cpp")
file(GLOB explore_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/explore/*_test.cpp")
if(explore_sources)
    list(REMOVE_ITEM explore_sources ${explore_tests})
    add_library(teff_explore STATIC ${explore_sources})
    target_include_directories(teff_explore PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
    target_link_libraries(teff_explore PRIVATE teff_warnings PUBLIC teff_sanitize)
    set(tests_explore ${explore_tests})
endif()
