// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/apart.h"

#include <atomic>
#include <cerrno>
#include <initializer_list>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <sched.h>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

// As the C library starts threads, but for their own thread-local variables.
constexpr unsigned long kThread =
    CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

using Job = ApartThread::Job;
using Outcome = Job::Outcome;

bool leave_programs_table() { return call(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE) == 0; }

// A table of its own: it leaves the program's for an empty one, or, where the kernel (before Linux
// 5.9) has no such call, is born with a copy.
void thread_main(void* argument) {
    auto& job = *static_cast<Job*>(argument);
    if (!job.copies_table && !leave_programs_table()) {
        job.outcome = Outcome::kNoTable;
        return;
    }
    job.work(job.argument);
    job.outcome = Outcome::kDone;
} // [apart-1] at the thread's end the kernel clears its id, after all that it did, and wakes the caller

// It has done its work, but a program that counts its threads might still see it for a moment. One
// error may have another reason than that the thread is gone; the next one has not.
void wait_until_gone(long thread) {
    constexpr int kTries = 10'000; // it is in the kernel, on its last steps
    const long process = call(SYS_getpid);
    int errors = 0;
    for (int i = 0; i < kTries && errors < 2; ++i) {
        errors = call(SYS_tgkill, process, thread, 0) == 0 ? 0 : errors + 1;
        if (errors == 0) (void)call(SYS_sched_yield);
    }
}

// The thread's id, or minus an errno value. Its end is seen at `id`.
long start_thread(ApartStack& stack, Job& job, std::atomic<std::uint32_t>& id, base::arch::ThreadArea* area) {
    auto* const id_word = reinterpret_cast<std::uint32_t*>(&id);
    const unsigned long flags = kThread | (job.copies_table ? 0 : CLONE_FILES) | (area != nullptr ? CLONE_SETTLS : 0);
    return base::arch::start_bare_thread(flags, stack.bytes + sizeof stack.bytes, id_word, thread_main, &job, area);
}

void wait_until_over(const std::atomic<std::uint32_t>& id) {
    while (const std::uint32_t running = id.load(std::memory_order_acquire)) // [apart-1]
        (void)call(SYS_futex, &id, FUTEX_WAIT, running, nullptr);
}

// 0 or an errno value.
int run_thread(ApartStack& stack, Job& job) {
    std::atomic<std::uint32_t> id{~0u};
    const long started = start_thread(stack, job, id, nullptr);
    if (started < 0) return static_cast<int>(-started);
    wait_until_over(id);
    wait_until_gone(started);
    return 0;
}

} // namespace

int run_apart(const Guest& guest, ApartStack& stack, void (*work)(void*), void* argument) {
    if (!guest.may_call()) return ECANCELED;
    for (const bool copies_table : {false, true}) {
        Job job{.work = work, .argument = argument, .copies_table = copies_table, .outcome = Outcome::kNothing};
        const int error = run_thread(stack, job);
        if (error != 0) return error;
        if (job.outcome != Outcome::kNoTable) return job.outcome == Outcome::kDone ? 0 : ECANCELED;
    }
    return ENOSYS;
}

int ApartThread::start(const Guest& guest, ApartStack& stack, void (*work)(void*), void* argument) {
    if (!guest.may_call()) return ECANCELED;
    job_ = {.work = work, .argument = argument, .copies_table = false, .outcome = Outcome::kNothing};
    if constexpr (!base::arch::kCanLackThreadLocals) return run_thread(stack, job_);
    base::arch::make_thread_area(area_);
    id_.store(~0u, std::memory_order_relaxed); // until the kernel has stored it
    const long started = start_thread(stack, job_, id_, &area_);
    if (started >= 0) return 0;
    id_.store(0, std::memory_order_relaxed);
    return static_cast<int>(-started);
}

// Its number may be another thread's by now, so the kernel is not asked whether the thread is gone.
bool ApartThread::finish() {
    wait_until_over(id_);
    return job_.outcome == Outcome::kDone;
}

} // namespace teff::probe::trace
