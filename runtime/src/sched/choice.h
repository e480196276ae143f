// SPDX-License-Identifier: Apache-2.0
//
// Choice: what a worker does next.
//
// The pure function choose() decides that for every wait of the runtime. Its inputs are what the
// worker sees and a row of rules for the kind of wait. It has no state, takes no task and looks at
// no queue, so a test can try all rows with all inputs (choice_test.cpp). The caller fills in what
// it sees, calls choose(), and tries to do what choose() returns. If the caller finds that it
// cannot do that, it notes so in what it sees and calls choose() again. Callers: sched/wait.h for
// waits, task/wait.cpp for taskyield, task/preemption.cpp for preemption.
//
// The order of preference is the whole policy of waiting:
//
//     1. the wait is over
//     2. a ready context above the waiting task's priority
//     3. on a stack of its own, a queued task above that priority
//     4. on top of a task's wait, a task that the worker's own context has made
//     5. a ready context: a task that has begun goes before others of its priority that have not
//     6. on top of the wait, a task from elsewhere
//     7. on a stack of its own, any other queued task
//     8. a ready context of a lower priority than a queued task that may not run here
//     9. nothing: the worker idles
//
// In a task, 4 comes before 5: otherwise two waiting tasks, each with queued tasks of its own,
// would resume each other for ever. Outside of tasks, 5 comes before 4: a task that has begun goes
// first.
#pragma once

#include <cstdint>

namespace teff::sched {

// What the worker does next.
enum class Act : std::uint8_t {
    kReturn,      // the wait is over
    kResume,      // it resumes a ready context
    kStartHigher, // it starts a task of a higher priority than the waiting task's on another stack
    kRunOwn,      // it runs a task that its context has made, on top of the wait
    kRunOther,    // it runs another task, on top of the wait
    kStart,       // it starts a task on another stack
    kIdle,        // it has nothing to do
};

enum class Resumes : std::uint8_t { kNone, kDescendants, kAny };

// What a worker may do in one kind of wait.
struct Row {
    bool on_top;     // tasks may run on top of the wait
    bool own_first;  // its own context's tasks go before ready contexts of the waiting task's priority
    bool starts;     // tasks may start beside the wait, on stacks of their own
    Resumes resumes; // which ready contexts it may resume
};

// The rows; row_of (task/next.cpp) selects the row for a wait. The row does not depend on whether a
// task waits for its children, a taskgroup, dependences or an event. While a tool watches,
// kOnOneStack replaces all other rows. A held lock changes nothing outside of tasks: such a wait is
// for all tasks of the region, so a task that wanted the lock could never end, whoever ran it.
inline constexpr Row kTiedWait = {.on_top = true, .own_first = true, .starts = false, .resumes = Resumes::kAny};
inline constexpr Row kUntiedWait = {.on_top = true, .own_first = true, .starts = true, .resumes = Resumes::kAny};
// A wait on a barred context (task/constraint.h), inside a task or outside of tasks.
inline constexpr Row kBarredWait = {.on_top = false, .own_first = false, .starts = true, .resumes = Resumes::kAny};
// A wait at a barrier, at the end of a region, between regions, or at the bottom of a stack.
inline constexpr Row kOutsideOfTasks = {.on_top = true, .own_first = false, .starts = false, .resumes = Resumes::kAny};
// A wait for a lock or for the turn at an ordered region, with TEFF_TSC=relaxed. Without that
// setting the thread itself waits.
inline constexpr Row kLockWait = {.on_top = false, .own_first = false, .starts = true, .resumes = Resumes::kAny};
// taskyield, and a request to give way to a higher priority. Where other waits idle, these return.
inline constexpr Row kGiveWay = {.on_top = false, .own_first = false, .starts = true, .resumes = Resumes::kAny};
// While the task holds a lock of the program, kHoldsLock replaces the row of a wait in a task, also
// on a barred context: the task's own children may be all that can go on, and any other task might
// want the lock. kOnlyWaits replaces the rows of a wait for another lock or for the turn at an
// ordered region, and of giving way.
inline constexpr Row kHoldsLock = {
    .on_top = true, .own_first = true, .starts = false, .resumes = Resumes::kDescendants};
inline constexpr Row kOnlyWaits = {.on_top = false, .own_first = false, .starts = false, .resumes = Resumes::kNone};
// Any wait while a tool watches. Outside of regions, any wait but those of kOutsideOfTasks.
inline constexpr Row kOnOneStack = {.on_top = true, .own_first = true, .starts = false, .resumes = Resumes::kNone};

inline constexpr std::int32_t kNoLevel = INT32_MIN;

// What the worker sees. A flag stays true until an attempt shows that nothing of its kind is there.
struct Seen {
    bool over = false;
    std::int32_t ready = kNoLevel; // the highest priority of a ready context
    std::int32_t queued = 0;       // the highest priority of a queued task; 0 if no queued task has a priority
    std::int32_t waits_at = 0;     // the waiting task's priority; 0 if it has none
    bool own = false;              // there are tasks that its context has made
    bool others = false;           // there are tasks elsewhere that may run on top
    bool unrelated = false;        // there are tasks that may start on a stack of their own
    bool higher = false;           // some of the latter are above the waiting task's priority
};

constexpr Act choose(const Row& row, const Seen& seen) {
    const bool resumes = row.resumes != Resumes::kNone && seen.ready != kNoLevel;
    if (seen.over) return Act::kReturn;
    const bool own_first = row.on_top && row.own_first && seen.own && seen.ready <= seen.waits_at;
    if (resumes && seen.ready >= seen.queued && !own_first) return Act::kResume;
    if (row.starts && seen.higher && seen.queued > seen.waits_at) return Act::kStartHigher;
    if (row.on_top && seen.own) return Act::kRunOwn;
    if (row.on_top && seen.others) return Act::kRunOther;
    if (row.starts && seen.unrelated) return Act::kStart;
    return resumes ? Act::kResume : Act::kIdle;
}

} // namespace teff::sched
