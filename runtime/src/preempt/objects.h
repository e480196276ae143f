// SPDX-License-Identifier: Apache-2.0
//
// Decides which loaded files are preemptible: the program's own file, and the files that
// TEFF_PREEMPT_OBJECTS names.
//
// Code may assume that a thread-local variable does not change while the code neither waits nor
// calls OpenMP. With preemption, another task of the same thread could change the variable between
// two of its instructions. So if the program's own file has thread-local variables, and is not
// named, only those of its tasks are preempted that reach none of them (task_code.h). Where this
// cannot be told, the file is not preemptible.
//
// A file becomes preemptible in two steps: its slots are patched (slots.h), and then its code's
// ranges are made known (code_ranges.h). So at each preemptible instruction of the file, every held
// lock has been counted, except locks that were taken before the slots were patched. The file stays
// loaded for good. The C library, the dynamic linker and the runtime are never preemptible.
//
// This file owns the list of these files. Any thread may call its functions. Work on the list is
// done in callbacks of dl_iterate_phdr, by one thread at a time, under the dynamic linker's lock.
// The functions allocate and are not signal-safe.
#pragma once

#include <string_view>

#include "preempt/code_ranges.h"

namespace teff::preempt {

// Looks at all loaded files. `names` has the form of TEFF_PREEMPT_OBJECTS. Says once why the
// program's own file is left out, if it is.
void learn_objects(std::string_view names);

// Returns true if the program's own file has thread-local variables, or uses those of a library.
bool program_has_thread_locals();

// Returns the addresses from the first to the last byte of the program's own file.
CodeRange program_file();

// Exempts the code of the function at this address. Returns false if the loaded files do not tell
// where the function ends, or if there is no memory.
bool exempt_function(const void* function);

// Returns true if one of the comma-separated names means the file: the name is the file's path or,
// if the name has no slash, the last part of the path.
bool is_named(std::string_view names, std::string_view path);

} // namespace teff::preempt
