// SPDX-License-Identifier: Apache-2.0
//
// Context: a stack, and the point at which the code on that stack continues. Only one thread at a
// time runs on a context.
//
//             start / switch_to            after.function
//     running ────────────────> departing ────────────────> suspended ──switch_to it──> running
//        │    leave_for             by the arriving side
//        └───────────────> departing ──after.function──> ended (start makes it run again)
//
// A kernel thread is always on one context. It begins on the context for its own stack (`Context
// own;`). The other contexts have a stack from the pool (stack_pool.h). The user of this file keeps
// track of each thread's current context.
//
// Access. Only the thread that is on a context may depart from it. No other thread may access the
// context until it is suspended, because its registers are not saved before the thread is on the
// other stack. So the departing side names a function to be called when the thread is on the other
// stack (`After`). The arriving side, on the same thread, calls this function first. This function
// publishes the context as resumable (with release; the thread that takes the context uses
// acquire), or gives back its stack. After the publication the arriving side does not access the
// context, because another thread may already run on it. One thread, chosen by the user, may then
// switch to the context; it need not be the thread that left it.
//
// Saved state. Each switch saves the registers that a callee preserves, the control words for
// floating point, errno, and the C++ runtime's record of exceptions that are caught or being
// thrown. A switch does not save thread-local variables, the signal mask, or the alternate signal
// stack.
//
// These functions allow a context to continue on another kernel thread, but the runtime does not
// use this (decision 0014). After such a change, everything that was derived from a thread-local
// variable, including the address of errno, has to be derived again in a function that the compiler
// does not inline, because compilers keep such addresses across calls. The whole stack of the
// context then belongs to the other thread, including the frames of the loop that called the task.
// A thread may end, or return to its caller, only on its own context; so a thread's own context
// must never go to another thread for good.
//
// A new context starts with the starter's control words, an errno of 0, and no exceptions. Its
// function never returns. If an exception leaves the function, the C++ runtime ends the program
// (std::terminate), because the stack ends there. pthread_exit and cancellation are not supported
// on a context from the pool, and neither is a longjmp to another stack.
//
// The functions do not block and do not allocate. They are not signal-safe in general: a handler
// may switch only if it interrupted the program's own code.
//
// Tools. A backtrace ends at teff_fiber_base. AddressSanitizer and ThreadSanitizer, if the program
// was built with them, and valgrind are informed of stacks and switches. ThreadSanitizer sees how
// threads synchronise only if the runtime was built with it as well. Shadow stacks (CET) are not
// switched: if they are on, stack_pool.h provides no contexts.
//
// Rejected: ucontext, whose switch makes a system call for the signal mask; a separate context for
// each task, because most tasks never wait; a thread-local slot for `After`, because compilers keep
// the slot's address.
#pragma once

#include <cstddef>

namespace teff::fiber {

struct Frame; // frame_x86_64.h, frame_aarch64.h

// The action of the arriving side for the departed context. The function must not switch contexts.
struct After {
    void (*function)(void* argument);
    void* argument;
};

using Function = void (*)(void* argument);

class Context {
  public:
    // Stands for the stack of the thread that is the first to depart from this context.
    constexpr Context() = default;
    // A context with the stack [bottom, top); `top` is a multiple of 16. The owner of that memory
    // must keep it until the context is destroyed.
    Context(void* bottom, void* top) : bottom_(bottom), bytes_(static_cast<char*>(top) - static_cast<char*>(bottom)) {}
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    // The caller of the next three functions is on this context.

    // Suspends this context and runs function(argument) on the empty stack of `fresh`. Returns when
    // a thread has switched to this context.
    void start(Context& fresh, Function function, void* argument, After after);

    // Suspends this context and continues in `to`, which must be suspended. Returns when a thread
    // has switched to this context.
    void switch_to(Context& to, After after);

    // Leaves this context for good and continues in `to`: the contents of the stack are lost.
    // `after` may start this context again or unmap it. Not allowed on a thread's own context.
    [[noreturn]] void leave_for(Context& to, After after);

    const void* bottom() const { return bottom_; }
    const void* top() const { return static_cast<const char*>(bottom_) + bytes_; }
    // Returns the point at which the context continues, or null if it is not suspended. For the
    // owner and for debuggers only.
    const Frame* saved() const { return saved_; }

  private:
    friend struct Departure;
    friend struct Sanitizers;

    Frame* saved_ = nullptr;
    // For a thread's own stack these two are known only to AddressSanitizer, after the first
    // departure.
    const void* bottom_ = nullptr;
    std::size_t bytes_ = 0;
    void* fake_stack_ = nullptr; // AddressSanitizer's: frames watched for use after return
    void* tsan_fiber_ = nullptr; // ThreadSanitizer's record: it treats each context as a thread
};

// Finds the C++ library's record of exceptions. That library may be loaded later than the runtime,
// or in a way that the runtime cannot see. Called before the first context starts; may be called
// again. If such a library has been loaded, the function may take the dynamic linker's lock, so it
// must not be called while another thread may wait for the caller.
void find_exceptions();

// Returns true if the calling thread has thrown an exception that is not caught yet, or is in a
// catch block.
bool exceptions_are_under_way();

// Returns true if find_exceptions has found the record.
[[nodiscard]] bool knows_exceptions();

// Returns true if the processor keeps return addresses on a second stack (a shadow stack), which a
// switch would have to change as well. The test is made for the calling thread; the answer is the
// same for all threads of a process.
bool shadow_stack_is_on();

} // namespace teff::fiber
