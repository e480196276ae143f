// SPDX-License-Identifier: Apache-2.0
//
// The book of Teff's counters, version 2: what `teff stat` reads.
//
// WHAT IT IS. Each process that uses OpenMP under TEFF_STAT makes one file in that folder: a board,
// which is a header and then a block of counters per worker, by the worker's number. Its name is
// PROCESS-NAMESPACE-STARTED, from the header, so that no two processes share a name. The file is a
// shared mapping, so a reader sees the counters while the program runs, and after its death,
// SIGKILL included. Its space on the disk is reserved for the workers that there are, and grows
// with them. A program that takes the process's place by exec goes on with its board.
//
// WHO WRITES. A worker's block belongs to its thread, and no other thread writes there. Only
// `switches` and `events` are filled in by the process's last thread, for all workers, when the
// process ends in order. Nothing is locked, so while the program runs a reader may find two
// counters of different moments.
//
// TIME. `state` says what the worker does. A reader that samples it often enough knows how the
// worker's time divides. With TEFF_STAT_TIMES (`timed`), `since` is the time at which the present
// state began, and `ticks` is the time spent in each state before that; the reader adds the present
// one. Ticks are the time-stamp counter. The header has two pairs of ticks and nanoseconds
// (CLOCK_MONOTONIC), by which ticks become seconds. A process that was killed has no second pair.

#ifndef TEFF_STAT_H
#define TEFF_STAT_H

#include <stdint.h>

#define TEFF_STAT_MAGIC 0x3154415446464554ull // the bytes "TEFFTAT1"
#define TEFF_STAT_VERSION 2u
#define TEFF_STAT_WORKERS 4096u // those from this number on are not counted
#define TEFF_STAT_EVENTS 8u
#define TEFF_STAT_HEADER_BYTES 4096u

// What a worker does. The runtime's part is all but the first and the last.
enum teff_stat_state {
    TEFF_STAT_USER = 0,        // the program's code: bodies of tasks, locks and loops in them
    TEFF_STAT_DEPENDENCES = 1, // creates a task with a depend clause, or ends it
    TEFF_STAT_QUEUES = 2,      // creates any other task; is between two tasks, with more to run
    TEFF_STAT_REGIONS = 3,     // sets a parallel region up, or ends it
    TEFF_STAT_WAITING = 4,     // waits awake, with nothing to run
    TEFF_STAT_IDLE = 5,        // sleeps, with nothing to run
    TEFF_STAT_STATES = 6,
};

// By index: teff_stat_worker::counts.
enum teff_stat_count {
    TEFF_STAT_CREATED = 0,           // explicit tasks
    TEFF_STAT_UNDEFERRED = 1,        // of those: their creator waited for them, by if, final or outside regions
    TEFF_STAT_DEPENDENT = 2,         // of those: with a depend clause
    TEFF_STAT_RUN = 3,               // explicit tasks whose body ended here
    TEFF_STAT_STOLEN = 4,            // of those: created by another worker
    TEFF_STAT_CANCELLED = 5,         // explicit tasks that ended without their body
    TEFF_STAT_RUN_AT_ONCE = 6,       // tasks that their creator ran at once, as its queue was full
    TEFF_STAT_TAKEN = 7,             // tasks taken from queues without a priority
    TEFF_STAT_TAKEN_PRIORITY = 8,    // tasks taken from queues of priorities
    TEFF_STAT_DEPENDENCES_FOUND = 9, // pairs of a task and one before it that it depends on
    TEFF_STAT_DEPENDENCES_OPEN = 10, // of those: the one before had not ended
    TEFF_STAT_WAITS = 11,            // taskwait, taskgroup, dependences in place, taskyield
    TEFF_STAT_BARRIERS = 12,
    TEFF_STAT_REGIONS_LED = 13,
    TEFF_STAT_IMPLICIT = 14,    // implicit tasks begun
    TEFF_STAT_PARKS = 15,       // the worker went to sleep
    TEFF_STAT_WAKES = 16,       // sleeping workers that it woke
    TEFF_STAT_LOST_STEALS = 17, // another took the task at the same moment
    // Locks of the runtime that were found held, each with the ticks of waiting for them behind it.
    TEFF_STAT_QUEUE_CONTENDED = 18, // of queues that a team shares; deques have none
    TEFF_STAT_QUEUE_WAIT_TICKS = 19,
    TEFF_STAT_PRIORITY_CONTENDED = 20, // of queues of priorities
    TEFF_STAT_PRIORITY_WAIT_TICKS = 21,
    TEFF_STAT_LOCKS_CONTENDED = 22, // all others. Dependences take no lock
    TEFF_STAT_LOCK_WAIT_TICKS = 23,
    TEFF_STAT_PREEMPTED = 24, // tasks that gave way to a higher priority by force
    TEFF_STAT_COUNTS = 25,
};

// teff_stat_worker::flags.
enum teff_stat_flags {
    TEFF_STAT_USED = 1,     // there is such a worker
    TEFF_STAT_SWITCHES = 2, // `switches` has those of its thread, too, not only of former ones
    TEFF_STAT_ENDED = 4,    // its thread has ended: what it does adds up to `since`
    TEFF_STAT_FILLED = 8,   // `events`, in the same way
    TEFF_STAT_LOST = 16,    // a thread's events have never come, as its program was replaced by exec
};

struct teff_stat_event {
    uint64_t value;
    uint64_t enabled_ns, running_ns; // the counter was there for `running_ns` of them: scale by that
};

struct teff_stat_worker {
    uint32_t flags;
    uint32_t thread;                  // the system's number of it
    uint32_t state;                   // of teff_stat_state
    uint16_t runs_at_once, is_called; // the writer's own
    uint64_t since;                   // ticks; 0: not timed
    uint64_t ticks[TEFF_STAT_STATES];
    uint64_t counts[TEFF_STAT_COUNTS];
    uint64_t switches[2]; // of context: voluntary; preemptions
    struct teff_stat_event events[TEFF_STAT_EVENTS];
    int32_t event_files[TEFF_STAT_EVENTS]; // the writer's own; -1: none
    uint64_t event_ids[TEFF_STAT_EVENTS];  // the writer's own: the kernel's numbers of these files
};

struct teff_stat_header {
    uint64_t magic;
    uint32_t version;
    uint32_t worker_bytes;
    uint32_t process;
    uint32_t workers; // blocks that may be in use: those below this number
    uint64_t start_ticks, start_ns;
    uint64_t end_ticks, end_ns; // 0: it has not ended in order
    uint32_t event_count;
    int32_t event_errors[TEFF_STAT_EVENTS]; // an errno value: the machine does not count it here
    uint32_t left_out;                      // workers beyond TEFF_STAT_WORKERS, or without space
    uint32_t timed;                         // 1: workers take the time of what they do
    uint32_t namespace_of_process;          // in which `process` is a number: an inode; 0: unknown
    uint64_t started;                       // the process, as /proc/PROCESS/stat has it; 0: unknown
};

#endif
