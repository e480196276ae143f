// SPDX-License-Identifier: Apache-2.0
//
// Context: what a worker runs tasks on, a stack; and who is notified when something has come about
// that a task on it waits for.
//
// Counts that a task keeps plainly (SplitCount) belong to its context: the worker that runs on the
// context, and no other, changes them. A context never changes its worker.
//
// Owned by its worker; the record is never freed, so a late notification finds a valid one. Its
// waiter bears notifications that are not for it.
#pragma once

#include "sync/parker.h"

namespace teff::team {

struct Worker;

struct Context {
    explicit constexpr Context(Worker& on) : worker(on) {}

    Worker& worker;

    // Any thread.
    inline void notify(); // worker.h
};

} // namespace teff::team
