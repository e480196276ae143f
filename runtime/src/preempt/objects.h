// SPDX-License-Identifier: Apache-2.0
//
// Which loaded files are preemptible: the program's own, unless it has thread-local variables, and
// those that TEFF_PREEMPT_OBJECTS names.
//
// Code may take a thread-local variable for its thread's own while it does not wait or call OpenMP.
// With preemption, another task of the same thread could change the variable between two of its
// instructions.
//
// A file becomes preemptible when its slots are patched (slots.h), and then its code's ranges are
// known (code_ranges.h); so at no instruction of it is a lock held that was not counted, but for
// those that were taken before. It stays loaded for good. The C library, the dynamic linker and the
// runtime are never preemptible.
//
// Owns the list of these files. Any thread may call; work on the list is done in callbacks of
// dl_iterate_phdr, one at a time, under the dynamic linker's lock. Allocates. Not signal-safe.
#pragma once

#include <string_view>

namespace teff::preempt {

// Looks at all that is loaded. `names`: as TEFF_PREEMPT_OBJECTS has them. Says once why the
// program's own file is left out.
void learn_objects(std::string_view names);

// Whether one of the names, separated by commas, means the file: its path or, without a slash, the
// last part of it.
bool is_named(std::string_view names, std::string_view path);

} // namespace teff::preempt
