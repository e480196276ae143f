// SPDX-License-Identifier: Apache-2.0
//
// The format of Teff's counter files, version 4. `teff stat` reads these files.
//
// WHAT IT IS. TEFF_STAT names a folder. Each process that uses OpenMP creates one file in this
// folder, a board: a header, followed by one block of counters for each worker, in the order of the
// workers' numbers. The file's name is PROCESS-NAMESPACE-STARTED, made of the header's fields, so
// that no two processes share a name. The file is a shared mapping, so a reader sees the counters
// while the program runs, and after the process has died, even by SIGKILL. Disk space is reserved
// for the existing workers only, so the file grows with the number of workers. After exec, the new
// program continues the board of its process.
//
// WHO WRITES. Only a worker's own thread writes to the worker's block, with one exception: when the
// process ends normally, its last thread fills in `switches`, `processor_ns`, `delay_ns` and
// `events` for all workers. There is no lock, so while the program runs, a reader may see counters
// from slightly different moments.
//
// TIME. `state` says what the worker is doing. A reader that samples `state` often enough learns
// how the worker's time is divided. With TEFF_STAT_TIMES (`timed`), `since` is the time at which
// the current state began, and `ticks` holds the time spent in each state before that; the reader
// adds the time spent in the current state. Ticks are readings of the time-stamp counter. The
// header has two pairs of ticks and nanoseconds (CLOCK_MONOTONIC), from which a reader computes the
// length of a tick. If the process was killed, the second pair is missing.
//
// PROCESSORS. Linux says of each thread for how long it had a processor, and for how long it could
// have run but had none (/proc/PROCESS/task/THREAD/schedstat). `processor_ns` and `delay_ns` are
// the sums over the threads that have had this worker number and have ended, each from when it
// began to be counted. For the present thread, a reader adds the kernel's values less
// `processor_before_ns` and `delay_before_ns`.
//
// PRIORITIES. If tasks may have priorities (OMP_MAX_TASK_PRIORITY), each worker has a second block,
// with counters for each priority. These blocks begin after the space for the first blocks of
// TEFF_STAT_WORKERS workers, so the file has a hole between the two kinds of blocks. Tasks of
// priority 0 are not timed. Their number is TEFF_STAT_RUN minus the tasks of all other priorities.

#ifndef TEFF_STAT_H
#define TEFF_STAT_H

#include <stdint.h>

#define TEFF_STAT_MAGIC 0x3154415446464554ull // the bytes "TEFFTAT1"
#define TEFF_STAT_VERSION 4u // version 3 lacks the fields from `processor_ns` on: its workers' blocks end before them
#define TEFF_STAT_WORKERS 4096u // workers with this number or a higher one are not counted
#define TEFF_STAT_EVENTS 8u
#define TEFF_STAT_HEADER_BYTES 4096u
#define TEFF_STAT_PRIORITIES 8u // slots of a worker, one per priority that it meets; the last has all further ones
#define TEFF_STAT_BUCKETS 512u

// What a worker is doing. All states but the first and the last are work of the runtime.
enum teff_stat_state {
    TEFF_STAT_USER = 0,        // the program's code: bodies of tasks, locks and loops in them
    TEFF_STAT_DEPENDENCES = 1, // creates or ends a task that has a depend clause
    TEFF_STAT_QUEUES = 2,      // creates any other task, or is between two tasks, with more to run
    TEFF_STAT_REGIONS = 3,     // sets up or ends a parallel region
    TEFF_STAT_WAITING = 4,     // waits awake, with nothing to run
    TEFF_STAT_IDLE = 5,        // sleeps, with nothing to run
    TEFF_STAT_STATES = 6,
};

// Indices into teff_stat_worker::counts.
enum teff_stat_count {
    TEFF_STAT_CREATED = 0,           // explicit tasks
    TEFF_STAT_UNDEFERRED = 1,        // of these: the creator waited for the task (if, final, or outside regions)
    TEFF_STAT_DEPENDENT = 2,         // of these: with a depend clause
    TEFF_STAT_RUN = 3,               // explicit tasks whose body ended here
    TEFF_STAT_STOLEN = 4,            // of these: created by another worker
    TEFF_STAT_CANCELLED = 5,         // explicit tasks that ended without running their body
    TEFF_STAT_RUN_AT_ONCE = 6,       // tasks that their creator ran at once because its queue was full
    TEFF_STAT_TAKEN = 7,             // tasks taken from queues without priorities
    TEFF_STAT_TAKEN_PRIORITY = 8,    // tasks taken from priority queues
    TEFF_STAT_DEPENDENCES_FOUND = 9, // pairs of a task and an earlier task that it depends on
    TEFF_STAT_DEPENDENCES_OPEN = 10, // of these: the earlier task had not ended
    TEFF_STAT_WAITS = 11,            // taskwait, taskgroup, dependences in place, taskyield
    TEFF_STAT_BARRIERS = 12,
    TEFF_STAT_REGIONS_LED = 13,
    TEFF_STAT_IMPLICIT = 14,    // implicit tasks begun
    TEFF_STAT_PARKS = 15,       // the worker went to sleep
    TEFF_STAT_WAKES = 16,       // sleeping workers that this worker woke
    TEFF_STAT_LOST_STEALS = 17, // attempts to steal a task that another worker took first
    // How often a lock of the runtime was found taken. The count of each kind is followed by the
    // ticks spent waiting for it.
    TEFF_STAT_QUEUE_CONTENDED = 18, // locks of queues that a team shares; deques have no lock
    TEFF_STAT_QUEUE_WAIT_TICKS = 19,
    TEFF_STAT_PRIORITY_CONTENDED = 20, // locks of priority queues
    TEFF_STAT_PRIORITY_WAIT_TICKS = 21,
    TEFF_STAT_LOCKS_CONTENDED = 22, // all other locks. Dependences take no lock
    TEFF_STAT_LOCK_WAIT_TICKS = 23,
    TEFF_STAT_PREEMPTED = 24, // how often a task was preempted by a task of higher priority
    TEFF_STAT_COUNTS = 25,
};

// teff_stat_worker::flags.
enum teff_stat_flags {
    TEFF_STAT_USED = 1,     // there is such a worker
    TEFF_STAT_SWITCHES = 2, // `switches` includes the present thread's switches, too, not only those of former threads
    TEFF_STAT_ENDED = 4,    // its thread has ended: `ticks` is complete
    TEFF_STAT_FILLED = 8,   // `events` includes the present thread's counts, too
    TEFF_STAT_LOST = 16,    // the events of a thread are missing, because exec replaced its program
    TEFF_STAT_BY_PRIORITY = 32,  // the worker has a block of priorities
    TEFF_STAT_KNOWN_BEFORE = 64, // `processor_before_ns` and `delay_before_ns` could be read
    TEFF_STAT_PROCESSOR = 128,   // `processor_ns` and `delay_ns` include the present thread's times, too
    TEFF_STAT_UNKNOWN = 256,     // the times of a thread are missing from `processor_ns` and `delay_ns`
};

struct teff_stat_event {
    uint64_t value;
    uint64_t enabled_ns, running_ns; // the counter was on the hardware for `running_ns` of
                                     // `enabled_ns`: scale `value` by their ratio
};

struct teff_stat_worker {
    uint32_t flags;
    uint32_t thread;                  // the kernel's thread id
    uint32_t state;                   // a teff_stat_state
    uint16_t runs_at_once, is_called; // used by the writer only
    uint64_t since;                   // ticks; 0: not timed
    uint64_t ticks[TEFF_STAT_STATES];
    uint64_t counts[TEFF_STAT_COUNTS];
    uint64_t switches[2]; // context switches of the thread: voluntary ones, then involuntary ones
    struct teff_stat_event events[TEFF_STAT_EVENTS];
    int32_t event_files[TEFF_STAT_EVENTS];         // used by the writer only; -1: none
    uint64_t event_ids[TEFF_STAT_EVENTS];          // used by the writer only: the kernel's ids of these events
    uint64_t processor_ns;                         // had a processor
    uint64_t delay_ns;                             // could have run, and had no processor
    uint64_t processor_before_ns, delay_before_ns; // the kernel's values when the present thread began to be counted
    uint64_t reserved[4];
};

// Durations, in ticks: their number, their sum, and the longest of them.
struct teff_stat_times {
    uint64_t count, sum, most;
};

// Durations, and their histogram. Its unit is 64 ticks. Each length below 16 units has its own
// bucket, and each power of two above has 16 buckets. The last bucket also has all longer ones.
struct teff_stat_lengths {
    struct teff_stat_times all;
    uint32_t buckets[TEFF_STAT_BUCKETS];
};

// A worker's counters for the tasks of one priority.
struct teff_stat_priority {
    int32_t priority;
    uint32_t used;       // 1: the slot is in use
    uint64_t tasks;      // tasks whose body ended here
    uint64_t preempting; // how often such a task took the place of another task
    uint64_t requests;   // how often the worker was asked to leave its task for such a task
    uint64_t not_worth;  // useless requests: no task gave way, or one that would end sooner than a preemption takes
    uint64_t reserved[4];
    struct teff_stat_times away;         // from the preemption of such a task until it continued
    struct teff_stat_times to_switch;    // from a request until the other task left the worker
    struct teff_stat_times gained;       // how much longer the other task was expected to run
    struct teff_stat_lengths delay;      // from ready to running
    struct teff_stat_lengths turnaround; // from ready to the end of the body
};

struct teff_stat_priorities {
    struct teff_stat_priority of[TEFF_STAT_PRIORITIES]; // used slots come first
};

struct teff_stat_header {
    uint64_t magic;
    uint32_t version;
    uint32_t worker_bytes;
    uint32_t process;
    uint32_t workers; // blocks below this number may be in use
    uint64_t start_ticks, start_ns;
    uint64_t end_ticks, end_ns; // 0: the process has not ended normally
    uint32_t event_count;
    int32_t event_errors[TEFF_STAT_EVENTS]; // an errno value: why the event cannot be counted here; 0: it can
    uint32_t left_out;                      // workers that have no block (beyond TEFF_STAT_WORKERS, or no disk space)
    uint32_t timed;                         // 1: workers measure how long each state lasts
    uint32_t namespace_of_process;          // inode of the PID namespace to which `process` belongs; 0: unknown
    uint64_t started;                       // start time of the process, as in /proc/PROCESS/stat; 0: unknown
    uint32_t priorities_bytes;              // size of a worker's block of priorities; 0: there are no such blocks
    uint32_t priorities_at;                 // offset in the file of worker 0's block of priorities
};

#endif
