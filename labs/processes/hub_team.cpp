// SPDX-License-Identifier: Apache-2.0
//
// A region has the processes 0 to members - 1. Each of them runs, or waits at the barrier, at the
// region's end, or for events. A barrier opens when all processes wait at it, no task is on offer,
// and all mailboxes are empty. Then no task is left, because a process that runs a task, or has one
// that may run, does not wait at the barrier.
#include <cstring>

#include "processes/hub.h"
#include "processes/report.h"

namespace teff::processes::hub {

namespace {

struct Offered {
    TaskMessage task;
    unsigned from;
};

struct Region {
    unsigned members = 0;
    std::uint64_t number = 0;
};
constinit Region region;
constinit List<Offered> offered;

Process& process(unsigned rank) { return hub().process[rank]; }

bool takes_any_task(const Process& one) { return one.waits == Waits::barrier || one.waits == Waits::join; }

bool may_run(unsigned rank, const Offered& offer) {
    const Process& one = process(rank);
    if (takes_any_task(one)) return true;
    if (one.waits != Waits::events) return false;
    if (one.takes_descendants && offer.task.root == rank) return true;
    return offer.from == rank && offer.task.ordinal >= one.least_ordinal;
}

void give(unsigned rank, const TaskMessage& task) {
    process(rank).waits = Waits::not_at_all;
    answer_with(rank, {What::task, 0, 0, 0, 0, 0, 0}, &task, sizeof task);
}

void give_tasks() {
    for (std::size_t i = 0; i < offered.size();) {
        unsigned taker = 0;
        while (taker < region.members && !may_run(taker, offered[i]))
            ++taker;
        if (taker == region.members) {
            ++i;
            continue;
        }
        const TaskMessage task = offered[i].task;
        offered.erase(i);
        give(taker, task);
    }
}

void give_events() {
    for (unsigned rank = 0; rank < region.members; ++rank) {
        Process& one = process(rank);
        if (one.mailbox.empty() || one.waits == Waits::not_at_all || one.waits == Waits::idle) continue;
        one.waits = Waits::not_at_all;
        answer(rank, {What::events, 0, 0, 0, 0, 0, 0}, true);
    }
}

unsigned count_waiting(Waits waits) {
    unsigned count = 0;
    for (unsigned rank = 0; rank < region.members; ++rank)
        if (process(rank).waits == waits) ++count;
    return count;
}

bool waits_for_descendants() {
    for (unsigned rank = 0; rank < region.members; ++rank)
        if (process(rank).waits == Waits::events && process(rank).takes_descendants) return true;
    return false;
}

void ask_for_tasks() {
    for (unsigned rank = 0; rank < region.members; ++rank) {
        Process& one = process(rank);
        if (takes_any_task(one) || one.told) continue;
        if (one.waits == Waits::not_at_all) {
            one.told = true;
            notify(rank);
        }
    }
}

void open_barrier() {
    count_barrier();
    for (unsigned rank = 0; rank < region.members; ++rank) {
        process(rank).waits = Waits::not_at_all;
        process(rank).told = false;
        answer(rank, go_on(), true);
    }
}

// The workers stay where they are until the next region.
void end_region() {
    count_barrier();
    const unsigned count = region.members;
    region.members = 0;
    forget_shares();
    for (unsigned rank = 0; rank < count; ++rank)
        process(rank).waits = rank == 0 ? Waits::not_at_all : Waits::idle;
    answer(0, go_on(), true);
}

struct Start {
    bool pending = false;
    bool sent[kMostProcesses] = {};
    Request request = {};
    Settings settings = {};
};
Start start;

// Each member when it is there: new processes may still be on their way.
void start_members() {
    start.pending = false;
    for (unsigned rank = 1; rank < region.members; ++rank) {
        if (start.sent[rank]) continue;
        if (process(rank).waits != Waits::idle) {
            start.pending = true;
            continue;
        }
        start.sent[rank] = true;
        process(rank).waits = Waits::not_at_all;
        answer_with(rank, {What::start, 0, start.request.a, start.request.b, start.request.c, rank, 0}, &start.settings,
                    sizeof start.settings);
    }
}

} // namespace

unsigned members() { return region.members; }

void begin_region(const Message& message) {
    start.request = message.request;
    std::memcpy(&start.settings, message.payload, sizeof start.settings);
    region.members = static_cast<unsigned>(start.request.c);
    ++region.number;
    for (unsigned rank = 0; rank < region.members; ++rank)
        start.sent[rank] = process(rank).told = false;
    start_members();
}

void join(unsigned rank, bool first_time) {
    if (first_time) process(rank).waits = Waits::idle;
    else arrive(rank, Waits::join, 0);
}

void arrive(unsigned rank, Waits waits, std::uint64_t least_ordinal) {
    process(rank).waits = waits;
    process(rank).least_ordinal = least_ordinal;
}

void offer(const Message& message) {
    process(message.rank).told = false;
    const std::size_t count = message.request.payload_bytes / sizeof(TaskMessage);
    for (std::size_t i = 0; i < count; ++i) {
        TaskMessage task;
        std::memcpy(&task, message.payload + i * sizeof task, sizeof task);
        offered.push({task, message.rank});
    }
}

void report_done(const Message& message) {
    const EventKind kind = message.request.flags != 0 ? EventKind::task_deeply_done : EventKind::task_done;
    process(static_cast<unsigned>(message.request.a)).mailbox.push({kind, message.request.flags, message.request.b});
}

void report_fulfilled(const Message& message) {
    process(static_cast<unsigned>(message.request.a)).mailbox.push({EventKind::fulfilled, 0, message.request.b});
}

void report_freed(const Message& message) {
    for (std::size_t i = 0; i < message.request.payload_bytes / 8; ++i) {
        std::uint64_t block;
        std::memcpy(&block, message.payload + i * 8, 8);
        process(static_cast<unsigned>((block - kSharedBase) / kArenaSpan)).mailbox.push({EventKind::freed, 0, block});
    }
}

void settle() {
    if (start.pending) start_members();
    if (region.members == 0) return;
    if (!offered.empty()) give_tasks();
    give_events();
    const unsigned at_barrier = count_waiting(Waits::barrier), at_end = count_waiting(Waits::join);
    if (at_barrier + at_end == 0 && !waits_for_descendants()) return;
    if (at_barrier + at_end < region.members) return ask_for_tasks();
    // Nothing is on offer: give_tasks leaves none.
    if (at_barrier == region.members) open_barrier();
    else if (at_end == region.members) end_region();
    else {
        say("some processes are at a barrier, the others at the region's end: the program is not conforming");
        give_up();
    }
}

} // namespace teff::processes::hub
