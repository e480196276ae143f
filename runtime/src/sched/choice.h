// SPDX-License-Identifier: Apache-2.0
//
// Choice: what a worker does next.
//
// One pure function answers that for every wait of the runtime: choose(), from what the worker sees
// and from one row of rules for the kind of wait. It has no state, takes nothing and looks at no
// queue, so it can be tested for all rows and all inputs (choice_test.cpp). Whoever calls it looks,
// asks, tries what it answers, and if there is nothing to be had after all says so and asks again:
// sched/wait.h for waits, task/wait.cpp for taskyield, task/preemption.cpp for preemption.
//
// The order in which it prefers things is the whole policy of waiting:
//
//     1. the wait is over
//     2. a ready context above the waiting task's priority
//     3. on a stack of its own, a queued task above that priority
//     4. on top of a task's wait, what its own context has made
//     5. a ready context: a task that has begun goes before others of its priority that have not
//     6. on top of the wait, what lies elsewhere
//     7. on a stack of its own, any other queued task
//     8. a ready context of a lower priority than what is queued but may not run here
//     9. nothing: it idles
//
// 4 comes before 5 in a task, as two tasks that wait, each with tasks of its own queued, would
// else resume each other for ever. Outside of tasks it is the other way round: what has begun goes
// first.
#pragma once

#include <cstdint>

namespace teff::sched {

// What the worker does.
enum class Act : std::uint8_t {
    kReturn,      // the wait is over
    kResume,      // goes on in a ready context
    kStartHigher, // starts a task of a higher priority than the waiting one's on a stack of its own
    kRunOwn,      // runs a task that its context has made, on top of the wait
    kRunOther,    // runs another one on top of the wait
    kStart,       // starts a task on a stack of its own
    kIdle,        // has nothing to do
};

enum class Resumes : std::uint8_t { kNone, kDescendants, kAny };

// What a worker may do in one kind of wait.
struct Row {
    bool on_top;     // may tasks run on top of the wait?
    bool own_first;  // do those of its own context go before ready contexts of its priority?
    bool starts;     // may tasks start beside it, on stacks of their own?
    Resumes resumes; // which ready contexts may go on?
};

// The rows. What a task waits for is of no account: its children, a taskgroup, dependences or an
// event. A row of a later kind replaces that of an earlier one: a lock that is held, and a tool
// that watches, leave less of it.
inline constexpr Row kTiedWait = {.on_top = true, .own_first = true, .starts = false, .resumes = Resumes::kAny};
inline constexpr Row kUntiedWait = {.on_top = true, .own_first = true, .starts = true, .resumes = Resumes::kAny};
// In a task, or outside of tasks, on a context that is barred (task/constraint.h).
inline constexpr Row kBarredWait = {.on_top = false, .own_first = false, .starts = true, .resumes = Resumes::kAny};
// At a barrier, at the end of a region, between regions; and at the bottom of a stack.
inline constexpr Row kOutsideOfTasks = {.on_top = true, .own_first = false, .starts = false, .resumes = Resumes::kAny};
// For a lock or the turn at an ordered region, with TEFF_TSC=relaxed: else the thread waits.
inline constexpr Row kLockWait = {.on_top = false, .own_first = false, .starts = true, .resumes = Resumes::kAny};
// taskyield, and a request to give way to a higher priority. They return where others idle.
inline constexpr Row kGiveWay = {.on_top = false, .own_first = false, .starts = true, .resumes = Resumes::kAny};
// Any of these while the task holds one of the program's locks, or waits for one or for its turn.
inline constexpr Row kHoldsLock = {
    .on_top = true, .own_first = true, .starts = false, .resumes = Resumes::kDescendants};
inline constexpr Row kHoldsLockAndWaitsForOne = {
    .on_top = false, .own_first = false, .starts = false, .resumes = Resumes::kNone};
// With a tool that watches, and outside of regions.
inline constexpr Row kOnOneStack = {.on_top = true, .own_first = true, .starts = false, .resumes = Resumes::kNone};

inline constexpr std::int32_t kNoLevel = INT32_MIN;

// What it sees. What may be there counts as there until it was tried.
struct Seen {
    bool over = false;
    std::int32_t ready = kNoLevel; // the highest priority of a ready context
    std::int32_t queued = 0;       // the highest priority of a queued task; 0 if none has one
    std::int32_t waits_at = 0;     // the waiting task's priority, or 0
    bool own = false;              // tasks that its context has made
    bool others = false;           // tasks that may run on top, elsewhere
    bool unrelated = false;        // tasks that may start on a stack of their own
    bool higher = false;           // of those, some above the waiting one's priority
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
