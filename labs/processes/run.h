// SPDX-License-Identifier: Apache-2.0
//
// The run: how the processes are started.
//
//     start      the function that starts the program (__libc_start_main) is this library's. It
//                forks: the parent becomes the hub, the child continues as the first process.
//     main       runs on a thread of its own, whose stack and thread-local storage lie in shared
//                memory. The thread with which the process began has its stack in memory of the C
//                library, and waits for commands.
//     workers    are forked by that thread at the first region. So each worker has everything that
//                the program has read and created until then, at the same addresses. Each worker
//                gets a thread for the program's code, like the first process.
//
// State: not_shared -> prepared (by __libc_start_main) -> connected (by start_workers).
#pragma once

#include <cstdint>

namespace teff::processes::run {

// Whether there will be several processes, so that the heap has to be in the shared range.
bool is_shared();
// The same, and the calling code belongs to the program or its own libraries.
bool is_for_program(const void* caller);

unsigned number_of_processes();

// Called before the first region. Returns when all processes have a replica.
void start_workers();

// The function that a worker's thread runs; it never returns.
using Worker = void (*)();
void set_worker(Worker worker);

} // namespace teff::processes::run
