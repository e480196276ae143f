// SPDX-License-Identifier: Apache-2.0
//
// Contexts with a stack: how a worker gets them, and how it leaves them.
//
// A stack has OMP_STACKSIZE bytes, or the default size of a thread's stack. TEFF_CONTEXTS limits
// the number of contexts in the process. These functions are called by the worker's own thread.
#pragma once

#include "team/team.h"

namespace teff::team {

// Returns a context from the pool. Returns null if TEFF_CONTEXTS contexts are in use, if the system
// refuses a stack, or if the program has given the calling thread a larger stack than a context
// has; the task must then wait in place.
[[nodiscard]] Context* take_context(Worker& worker);

// Gives back a context that has not been started.
void give_back_context(Context& fresh);

// Leaves the worker's current context for good, and continues in `to`.
[[noreturn]] void leave_context_for(Worker& worker, Context& to);

// Returns the bounds of the stack that the worker is on. The first call on a thread's own stack
// asks the C library.
StackBounds stack_bounds(Worker& worker);

// enlist adds the context to the suspended contexts of its member: the worker is about to leave the
// context. Requires that Context::member is set. strike_out removes it when the worker has come
// back.
void enlist(Context& context);
void strike_out(Context& context);

// Lets any member of the context's team continue in the context, which moves (task/moving.h) and is
// ready. May be called by any thread. From this call on, the context may continue.
void offer(Context& context);

// Sets the function that is called when a context with a priority has become ready on `worker`,
// while preemption is on. Called once, before the first worker begins.
void set_ask(void (*wanted)(Worker& worker, std::int32_t priority));

// These functions look for the C++ library, because contexts keep that library's record of
// exceptions. prepare_contexts is called when the runtime is loaded, and prepare_contexts_once_more
// before the first team gets threads, because the C++ library may be loaded in between. Neither may
// be called while another thread may wait for the caller. prepare_contexts_once_more does nothing
// in a forked child, because another thread may have been inside the dynamic linker at the fork.
void prepare_contexts();
void prepare_contexts_once_more();

// Called in a forked child. `worker` is the worker of its only thread, or null.
void forget_other_threads_contexts(Worker* worker);

} // namespace teff::team
