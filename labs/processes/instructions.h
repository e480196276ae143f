// SPDX-License-Identifier: Apache-2.0
//
// Atomic instructions of the program. Compilers put them in the place of `omp atomic`, of C's and
// C++'s atomics, and of flushes; the runtime is not called. On memory that is not coherent they
// would update this process's copy alone. So each of them, found by a disassembler, is replaced by
// a trap before the first region. Its handler takes the lock of all atomic instructions at the hub,
// which brings the present values; lets a copy of the instruction run, in a place of its own; and
// hands the result over with the lock. A fence is a flush.
//
// Patched are the program and its own libraries, once. Code that is loaded or made later is not.
// libstdc++ is, too, since it counts references to exceptions; what it changes of its own needs no
// lock.
#pragma once

namespace teff::processes::instructions {

// By the thread that starts the others, while nothing of the program runs.
void patch();

} // namespace teff::processes::instructions
