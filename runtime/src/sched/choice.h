// SPDX-License-Identifier: Apache-2.0
//
// Choice: decides what a worker does next.
//
// Every wait of the runtime calls the pure function choose() for this decision. The inputs of
// choose() are a snapshot of what the worker sees (Seen) and the rules for the kind of wait (Row).
// The function has no state, takes no task and looks at no queue, so a test can try all rows with
// all snapshots (choice_test.cpp). The caller fills in the snapshot, calls choose(), and tries to
// do what choose() returned. If the attempt fails, the caller notes this in the snapshot and calls
// choose() again. Callers: sched/wait.h for waits, task/wait.cpp for taskyield, task/preemption.cpp
// for preemption.
//
// The order of preference defines how waits behave:
//
//     1. the wait is over
//     2. a ready context above the waiting task's priority
//     3. on a stack of its own, a queued task above that priority
//     4. on top of a task's wait, a task that the worker's own context has created
//     5. a ready context: a task that has begun goes before those of its priority or below that have
//        not
//     6. on top of the wait, a task from elsewhere
//     7. on a stack of its own, any other queued task
//     8. nothing: the worker idles
//
// The positions of 4 and 5 depend on the wait. In a wait inside a task, 4 comes before 5: otherwise
// two waiting tasks, each with queued tasks of its own, would resume each other for ever. In a wait
// outside of tasks, 5 comes before 4: tasks that have begun go first.
#pragma once

#include <cstdint>

namespace teff::sched {

// What the worker does next.
enum class Act : std::uint8_t {
    kReturn,      // the wait is over
    kResume,      // it resumes a ready context
    kStartHigher, // it starts a task of a higher priority than the waiting task's on another stack
    kRunOwn,      // it runs a task that its context created, on top of the wait
    kRunOther,    // it runs another task, on top of the wait
    kStart,       // it starts a task on another stack
    kIdle,        // it has nothing to do
};

enum class Resumes : std::uint8_t { kNone, kDescendants, kAny };

// What a worker may do in one kind of wait.
struct Row {
    bool on_top;     // tasks may run on top of the wait
    bool own_first;  // tasks of its own context go before ready contexts whose priority equals the waiting task's
    bool starts;     // tasks may start beside the wait, on stacks of their own
    Resumes resumes; // which ready contexts the worker may resume
};

// The rows; row_of (task/next.cpp) selects the row for a wait. The row does not depend on whether a
// task waits for its children, a taskgroup, dependences or an event. While a tool watches,
// kOnOneStack replaces all other rows. Outside of tasks, a held lock does not change the row: such
// a wait waits for all tasks of the region, so a task that needed this lock could never end,
// whichever thread ran it.
inline constexpr Row kTiedWait = {.on_top = true, .own_first = true, .starts = false, .resumes = Resumes::kAny};
inline constexpr Row kUntiedWait = {.on_top = true, .own_first = true, .starts = true, .resumes = Resumes::kAny};
// A wait on a barred context (task/constraint.h), whether inside a task or outside of tasks.
inline constexpr Row kBarredWait = {.on_top = false, .own_first = false, .starts = true, .resumes = Resumes::kAny};
// A wait at a barrier, at the end of a region, between regions, or at the bottom of a stack.
inline constexpr Row kOutsideOfTasks = {.on_top = true, .own_first = false, .starts = false, .resumes = Resumes::kAny};
// Waits for a lock or for the turn at an ordered region that do not block the thread
// (task::waits_in_place): with TEFF_TSC=relaxed, and above preempted tasks.
inline constexpr Row kLockWait = {.on_top = false, .own_first = false, .starts = true, .resumes = Resumes::kAny};
inline constexpr Row kLockWaitAbove = {.on_top = false, .own_first = false, .starts = false, .resumes = Resumes::kAny};
// taskyield, and requests to give way to a task of higher priority. Where other waits would idle,
// these return.
inline constexpr Row kGiveWay = {.on_top = false, .own_first = false, .starts = true, .resumes = Resumes::kAny};
// While the task holds a lock of the program, kHoldsLock replaces the row of every wait inside the
// task, also on a barred context: perhaps only the task's own children can continue, and any other
// task might need the lock. kOnlyWaits replaces two rows: that of a wait for another lock or for
// the turn at an ordered region, and that of giving way.
inline constexpr Row kHoldsLock = {
    .on_top = true, .own_first = true, .starts = false, .resumes = Resumes::kDescendants};
inline constexpr Row kOnlyWaits = {.on_top = false, .own_first = false, .starts = false, .resumes = Resumes::kNone};
// All waits while a tool is active. Outside of regions, all waits except those of kOutsideOfTasks.
inline constexpr Row kOnOneStack = {.on_top = true, .own_first = true, .starts = false, .resumes = Resumes::kNone};

inline constexpr std::int32_t kNoLevel = INT32_MIN;

// The snapshot of what the worker sees. A flag stays true until an attempt has shown that there is
// no such task.
struct Seen {
    bool over = false;
    std::int32_t ready = kNoLevel; // the highest priority of a ready context
    std::int32_t queued = 0;       // the highest priority of a queued task; 0 if no queued task has a priority
    std::int32_t waits_at = 0;     // the waiting task's priority; 0 if it has none
    bool own = false;              // there are queued tasks that its context created
    bool others = false;           // there are tasks elsewhere that may run on top of the wait
    bool unrelated = false;        // there are tasks that may start on a stack of their own
    bool higher = false;           // ... and some of these have a priority above the waiting task's
};

// Returns true if the tasks that the worker's own context has created go before ready contexts.
constexpr bool own_go_first(const Row& row, const Seen& seen) {
    return row.on_top && row.own_first && seen.own && seen.ready <= seen.waits_at;
}

// Returns the priority that a queued task must exceed to run before the ready contexts; kNoLevel if
// any task may. While a queued task of a higher priority may not run here, such as a task that does
// not descend from a waiting tied task, the ready contexts still go before the tasks below them.
constexpr std::int32_t level_to_exceed(const Row& row, const Seen& seen) {
    return row.resumes == Resumes::kNone || own_go_first(row, seen) ? kNoLevel : seen.ready;
}

// An attempt to run or start a queued task takes only tasks above level_to_exceed.
constexpr Act choose(const Row& row, const Seen& seen) {
    const bool resumes = row.resumes != Resumes::kNone && seen.ready != kNoLevel;
    if (seen.over) return Act::kReturn;
    if (resumes && seen.ready >= seen.queued && !own_go_first(row, seen)) return Act::kResume;
    if (row.starts && seen.higher && seen.queued > seen.waits_at) return Act::kStartHigher;
    if (row.on_top && seen.own) return Act::kRunOwn;
    if (row.on_top && seen.others) return Act::kRunOther;
    if (row.starts && seen.unrelated) return Act::kStart;
    return resumes ? Act::kResume : Act::kIdle;
}

} // namespace teff::sched
