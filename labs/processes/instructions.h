// SPDX-License-Identifier: Apache-2.0
//
// The program's atomic instructions. Compilers use them for `omp atomic`, for C's and C++'s
// atomics, and for flushes, without calling the runtime. On processes that share no memory, an
// atomic instruction would update only this process's copy. So a disassembler finds all of them,
// and each is replaced by a trap before the first region. The trap's handler takes the hub's one
// lock for all atomic instructions, and receives the present values with the lock. It then executes
// a copy of the instruction, and sends the result when it releases the lock. A fence is a flush.
//
// The program and its own libraries are patched, once. Code that is loaded or generated later is
// not patched. libstdc++ is patched, too, because it counts references to exceptions; its changes
// of its own data need no lock.
#pragma once

namespace teff::processes::instructions {

// Called by the thread that starts the other processes, while no code of the program runs.
void patch();

} // namespace teff::processes::instructions
