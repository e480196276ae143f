// SPDX-License-Identifier: Apache-2.0
//
// Where a worker gets contexts with a stack from, and where it leaves them.
//
// A stack has OMP_STACKSIZE bytes, or as many as a thread's stack has by default. TEFF_CONTEXTS
// limits how many there are in the process. The worker's own thread calls these.
#pragma once

#include "team/team.h"

namespace teff::team {

// Null: there is none, as TEFF_CONTEXTS are in use, or the system refuses; then a task
// waits in place.
[[nodiscard]] Context* take_context(Worker& worker);

// One that has not been started.
void give_back_context(Context& fresh);

// Leaves the context that the worker stands on for good, and goes on in `to`.
[[noreturn]] void leave_context_for(Worker& worker, Context& to);

// Of the stack that the worker is on. The first call on its thread's own stack asks the C library.
StackBounds stack_bounds(Worker& worker);

// The worker is about to leave the context, whose member is set, or has come back to it.
void enlist(Context& context);
void strike_out(Context& context);

// Looks for the C++ library, whose record of exceptions contexts keep: when the runtime is loaded,
// and once more before the first team gets threads, as it may come in between. Not while another
// thread may wait for the caller, and not in a forked child, where the dynamic linker may be in the
// middle of what another thread did.
void prepare_contexts();
void prepare_contexts_once_more();

// In a forked child: `worker` is its only thread's, or null.
void forget_other_threads_contexts(Worker* worker);

} // namespace teff::team
