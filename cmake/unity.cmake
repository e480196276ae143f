# SPDX-License-Identifier: Apache-2.0
#
# Unit tests, and everything under the sanitizers of CI (CMAKE_UNITY_BUILD in the presets), are
# compiled twelve files at a time: most of what the compiler does for one of these files is to read
# headers. The library is not, as its functions would be inlined across files that are apart.
#
# These files have a name in their unnamed namespace that another file of the same folder has, too,
# or take as long as a batch: they are compiled alone. Where a new file does not compile beside the
# others, add it here.

set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

file(GLOB compiled_alone RELATIVE "${TEFF_RUNTIME_SRC}" "${TEFF_RUNTIME_SRC}/sched/*_test.cpp")
list(APPEND compiled_alone
    abi/gomp_loop_ull.cpp abi/omp_device_async.cpp abi/omp_locks.cpp abi/target_task_test.cpp
    # Executables and libteff-distribute.so, which take whole objects, lack their versions.
    abi/omp_old_locks.cpp abi/kmpc_versions.cpp
    abi/kmpc_locks.cpp # whoever takes it takes omp_locks.cpp, too
    abi/kmpc_atomic.cpp # many functions
    device/ahead.cpp device/deferred.cpp device/incoming_test.cpp device/message_test.cpp device/modules_test.cpp device/mpi_library.cpp
    device/mpi_transport.cpp device/plan_test.cpp device/service.cpp device/socket_transport.cpp
    fiber/context.cpp # GCC warns of a type in its unnamed namespace if it is not the main file
    mem/process_near_nodes.cpp task/homes.cpp # which runtime/pretended replaces
    loop/doacross_test.cpp loop/ring.cpp loop/schedules_test.cpp
    preempt/sources.cpp probe/ompt/search.cpp probe/trace/folder.cpp
    region/explored_team_test.cpp region/kept_workers_test.cpp
    sync/barriers/family_test.cpp sync/ordered_turn_test.cpp sync/split_count_test.cpp
    task/explored_suspension_test.cpp task/icvs_test.cpp
    team/inbox_test.cpp team/notification_test.cpp team/ready_contexts_test.cpp)
list(TRANSFORM compiled_alone PREPEND "${TEFF_RUNTIME_SRC}/")
set_source_files_properties(${compiled_alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
