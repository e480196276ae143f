# SPDX-License-Identifier: Apache-2.0
#
# Compiler flags, as interface libraries that targets link.
#   teff_warnings   what we want to hear about; errors where CMAKE_COMPILE_WARNING_AS_ERROR is on, as
#                   it is in the developers' presets, but not in `release`, which users build
#   teff_dialect    the C++ subset of the runtime; its tests use it too, since both see the same classes
#   teff_sanitize   the sanitizers of this build, if any

# Two builds in two folders give the same bytes.
if(TEFF_SOURCE_NAME)
    add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}=${TEFF_SOURCE_NAME}")
endif()

add_library(teff_warnings INTERFACE)
target_compile_options(teff_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wundef;-Wvla;-Wformat=2;-Wno-format-nonliteral;-Wimplicit-fallthrough>
    # Not of a name in another file that is compiled at the same time.
    $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>>:-Wshadow>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>)

add_library(teff_dialect INTERFACE)
target_compile_options(teff_dialect INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics>
    $<$<COMPILE_LANGUAGE:C,CXX>:-fvisibility=hidden;-ftls-model=initial-exec;-fno-plt>)
# GNU interfaces (sched_getaffinity, pthread_getattr_np, ...) on every compiler, not by g++'s habit
# alone.
target_compile_definitions(teff_dialect INTERFACE _GNU_SOURCE)

add_library(teff_sanitize INTERFACE)
if(TEFF_SANITIZE)
    set(sanitize_flags -fsanitize=${TEFF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # GCC's ThreadSanitizer knows no fences, and says so: what such a fence is for is the kernel's.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND TEFF_SANITIZE STREQUAL "thread")
        list(APPEND sanitize_flags -Wno-error=tsan)
    endif()
    target_compile_options(teff_sanitize INTERFACE ${sanitize_flags})
    target_link_options(teff_sanitize INTERFACE ${sanitize_flags})
endif()
# The counts of code reached that lead a fuzzer on. Only what is compiled with them is searched.
if(TEFF_FUZZ)
    target_compile_options(teff_sanitize INTERFACE -fsanitize=fuzzer-no-link)
endif()
