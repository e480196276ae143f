// SPDX-License-Identifier: Apache-2.0
//
// The book of the Teff trace format, version 1.
//
// WHAT IT IS. A recording is a directory, `NAME.teff/`:
//
//     meta.json          written when the recording starts (see "meta.json" below)
//     stream-0000.bin    one stream of records per worker, numbered from 0 in order of first use
//     stream-0001.bin
//     ...
//     end.json           written when the program ends in order; missing = the recording is incomplete
//
// STREAM. A sequence of chunks of TEFF_TRACE_CHUNK_BYTES. Each chunk starts with a ChunkHeader and goes
// on with records. A record never crosses the end of its chunk. A zero type byte means "nothing was written from here to
// the end of this chunk"; the reader goes on with the next chunk, if the file has one. The last chunk of a file
// may be cut short. All numbers are little-endian; every record starts at a multiple of 16 bytes.
//
// CRASH SAFETY. The writer stores a record's payload first and its type byte last (release). The files are
// shared mappings, so every record whose type byte is set survives the death of the process, SIGKILL included
// (not the loss of power). There is one writer per stream and no lock.
//
// TIME. Ticks are the time-stamp counter as read (no serialisation). A record's `when` holds the 48-bit
// difference to the base_ticks of its chunk. Ticks become nanoseconds by the line through the (ticks, monotonic ns) pairs of the
// chunk headers and of the CLOCK records; meta.json gives ticks_per_second as a first estimate.
//
// IDENTITY. A task id is (stream << 48 | ordinal), ordinal from 1, given by the worker that creates
// the task. Region and loop instance ids are formed the same way, each kind with its own ordinals.
// 0 means "none". Streams are numbered below TEFF_TRACE_STREAMS. A worker beyond has no stream; its
// ids have the top bit set. A site id is local to its stream: the SITE record that defines it
// stands before its first use in that stream.
//
// GRAPH. The fragments of a task are its [start, start + duration] cut at: the CREATE records that name it as parent,
// its WAIT intervals, and the RUN intervals of its undeferred children (they run on top of it).
// Tasks that run on the same stream while a task waits are nested in that WAIT.
//
// A change of the format adds 1 to TEFF_TRACE_VERSION and a paragraph to docs/formats/trace.md.

#ifndef TEFF_TRACE_H
#define TEFF_TRACE_H

#include <stdint.h>

#define TEFF_TRACE_VERSION 1u
#define TEFF_TRACE_CHUNK_BYTES (1u << 20)
#define TEFF_TRACE_STREAMS (1u << 15)
#define TEFF_TRACE_MAGIC 0x314b4e4843464554ull // the bytes "TEFCHNK1"

// First 64 bytes of every chunk. `magic` is stored last.
struct teff_chunk_header {
    uint64_t magic;
    uint32_t version;    // TEFF_TRACE_VERSION
    uint32_t stream;     // the number in the file's name
    uint64_t sequence;   // 0, 1, 2, ... within the stream
    uint64_t base_ticks; // `when` of this chunk's records counts from here
    uint64_t base_ns;    // CLOCK_MONOTONIC at base_ticks
    uint32_t os_thread;  // kernel thread id of the worker
    uint32_t reserved0;
    uint64_t reserved1[2];
};

enum teff_record_type {
    TEFF_REC_NONE = 0,         // end of the chunk's records
    TEFF_REC_SITE = 1,         // 32 bytes: teff_rec_site
    TEFF_REC_MODULE = 2,       // 32 bytes + path, padded to 16: teff_rec_module
    TEFF_REC_CREATE = 3,       // 32: a task was created (explicit or implicit)
    TEFF_REC_RUN = 4,          // 32: a task ran to its end
    TEFF_REC_WAIT = 5,         // 32: a task waited at a synchronisation point
    TEFF_REC_REGION = 6,       // 48: a parallel region began
    TEFF_REC_REGION_END = 7,   // 32: ... and ended
    TEFF_REC_LOOP = 8,         // 64: a work-sharing loop instance (by the first thread to arrive)
    TEFF_REC_CHUNK = 9,        // 48: one chunk of iterations ran
    TEFF_REC_LOOP_THREAD = 10, // 32: one thread's part in a loop instance, from entry to exit
    TEFF_REC_DEP = 11,         // 32: a dependence between two tasks
    TEFF_REC_IDLE = 12,        // 32: the worker had nothing to do
    TEFF_REC_STEAL = 13,       // 32: the worker took a task from another worker
    TEFF_REC_CLOCK = 14,       // 32: a (ticks, ns) pair
    TEFF_REC_START = 15, // 32: a task started (so that an unfinished one is seen; explicit tasks write none by default)
    TEFF_REC_LOST = 16,  // 32: records were dropped (disk full, limit reached)
    TEFF_REC_GROUP_BEGIN =
        17, // 32: a task opened a taskgroup; its WAIT of kind TASKGROUP ends it; they nest like brackets
};

// First 8 bytes of every record: type (bits 0-7), flags (bits 8-15), when (bits 16-63: ticks since the chunk's base_ticks).
// Stored last, as one 64-bit release store.
typedef uint64_t teff_rec_head;

// flags of CREATE
enum {
    TEFF_TASK_IMPLICIT =
        1, // an implicit task; `parent` is the task that met the parallel construct (or 0: initial task)
    TEFF_TASK_UNDEFERRED = 2, // if(0), or depend-wait: its creator waits for it
    TEFF_TASK_INCLUDED = 4,   // ran at once inside its creator: final, or the runtime's own cutoff
    TEFF_TASK_UNTIED = 8,
    TEFF_TASK_FINAL = 16,
    TEFF_TASK_DETACHABLE = 32,
    TEFF_TASK_DEPEND = 64,    // has a depend clause
    TEFF_TASK_TASKLOOP = 128, // made by a taskloop
};

// flags of RUN
enum {
    TEFF_RUN_CANCELLED = 1, // discarded by cancellation: its body did not run
    TEFF_RUN_STOLEN = 2,    // ran on another worker than its creator's
};

// flags of WAIT
enum teff_wait_kind {
    TEFF_WAIT_TASKWAIT = 1,
    TEFF_WAIT_TASKGROUP = 2,
    TEFF_WAIT_BARRIER = 3,          // explicit barrier
    TEFF_WAIT_IMPLICIT_BARRIER = 4, // end of a work-sharing construct
    TEFF_WAIT_REGION_END = 5,       // end of a parallel region (the join)
    TEFF_WAIT_DEPEND = 6,           // taskwait depend, or an undeferred task with depend
    TEFF_WAIT_TASKYIELD = 7,        // or a task's creator ran it at once, because its queue was full
    TEFF_WAIT_CRITICAL = 8,
    TEFF_WAIT_LOCK = 9,
    TEFF_WAIT_ORDERED = 10,
};

// flags of LOOP
enum teff_loop_schedule {
    TEFF_LOOP_STATIC = 1,
    TEFF_LOOP_DYNAMIC = 2,
    TEFF_LOOP_GUIDED = 3,
    TEFF_LOOP_SECTIONS = 4, // lb = 1, ub = number of sections + 1, step 1
    TEFF_LOOP_SCHEDULE_MASK = 7,
    TEFF_LOOP_ORDERED = 16,
    TEFF_LOOP_ULL = 32, // bounds are unsigned long long
};

// A place in the program. The call site is the return address in the program's code; the reader subtracts 1 before looking
// up its line. `function` is the outlined function that the construct runs (0: none). A call that
// is the last thing its function does may be a jump, which returns to that function's caller: where
// this is in another object than `function`, the call site given is the function's address + 1.
struct teff_rec_site {
    teff_rec_head head;
    uint32_t site;      // this stream's id, from 1
    uint32_t module;    // this stream's module id of both addresses (0: unknown)
    uint64_t call_site; // absolute address
    uint64_t function;  // absolute address
};

// A loaded object. file address = absolute address - bias.
struct teff_rec_module {
    teff_rec_head head;
    uint32_t module; // this stream's id, from 1
    uint32_t
        path_bytes; // length of the path that follows, without terminator; the record's size is 32 + path_bytes rounded up to 16
    uint64_t bias; // load bias (dlpi_addr)
    uint64_t reserved;
};

struct teff_rec_create {
    teff_rec_head head; // when: the construct was met
    uint64_t task;
    uint64_t parent;
    uint32_t site;
    uint32_t cost_ticks; // from meeting the construct until the task was ready or ran (saturates)
};

// An implicit task writes its own CREATE (flag TEFF_TASK_IMPLICIT) on the worker that runs it; there cost_ticks holds its thread
// number in the team, and `parent` is the task that met the parallel construct. The initial task of a thread is an
// implicit task with parent 0 and region 0. Implicit tasks also write a START, so that an unfinished one has its region.
// A target region is one task: deferred, or undeferred where the construct waits for it.
struct teff_rec_run {
    teff_rec_head head; // when: the body started
    uint64_t task;
    uint64_t
        ticks_and_cpu; // bits 0-47: ticks from start to end, all waits included; bits 48-63: processor at the end (0xffff: unknown)
    uint64_t region; // the innermost parallel region (0: none)
};

struct teff_rec_wait {
    teff_rec_head head;         // when: the wait began; flags: teff_wait_kind
    uint64_t task;              // who waited
    uint64_t ticks_and_ordinal; // bits 0-47: ticks until the wait ended; bits 48-63: free
    uint32_t site;
    uint32_t barrier; // barrier kinds: the how-manieth barrier of the region (from 1); else 0
};

struct teff_rec_region {
    teff_rec_head head; // when: the construct was met
    uint64_t region;
    uint64_t parent; // the task that met the construct
    uint32_t site;
    uint32_t threads;   // team size that came of it
    uint32_t requested; // team size asked for
    uint32_t level;     // nesting level, outermost = 1
    uint64_t reserved;
};

struct teff_rec_region_end {
    teff_rec_head head;
    uint64_t region;
    uint64_t reserved[2];
};

struct teff_rec_loop {
    teff_rec_head head; // when: the first thread arrived; flags: teff_loop_schedule
    uint64_t loop;
    uint64_t region;
    uint32_t site;
    uint32_t threads;
    int64_t lb;
    int64_t ub; // as the program gave it: not included
    int64_t step;
    int64_t chunk; // 0: not given
};

struct teff_rec_chunk {
    teff_rec_head head; // when: its first iteration started
    uint64_t loop;
    uint64_t task; // the implicit task that ran it
    int64_t first; // value of the loop variable
    uint64_t iterations;
    uint64_t ticks_and_cpu; // as in RUN
};

struct teff_rec_loop_thread {
    teff_rec_head head; // when: this thread entered the loop
    uint64_t loop;
    uint64_t task;
    uint64_t ticks; // until it left the loop (barrier not included)
};

struct teff_rec_dep {
    teff_rec_head head;
    uint64_t successor;
    uint64_t predecessor; // also one that had finished already
    uint64_t address;     // of the list item
};

struct teff_rec_idle {
    teff_rec_head head; // when: it began
    uint64_t ticks;
    uint64_t reserved[2];
};

struct teff_rec_steal {
    teff_rec_head head;
    uint64_t task;
    uint32_t victim_stream;
    uint32_t reserved0;
    uint64_t reserved1;
};

struct teff_rec_clock {
    teff_rec_head head;
    uint64_t ticks;
    uint64_t monotonic_ns;
    uint64_t reserved;
};

struct teff_rec_start {
    teff_rec_head head;
    uint64_t task;
    uint64_t region;
    uint64_t reserved;
};

struct teff_rec_group_begin {
    teff_rec_head head;
    uint64_t task;
    uint64_t reserved[2];
};

struct teff_rec_lost {
    teff_rec_head head;
    uint64_t records; // how many, so far
    uint64_t reserved[2];
};

// meta.json: one object.
//   "format": "teff-trace", "version": 1, "runtime": "0.1.0", "pid": n, "host": "...", "command": ["./prog", "arg"],
//   "start_unix_ns": n, "start_monotonic_ns": n, "start_ticks": n, "ticks_per_second": n,
//   "processors": n (usable by the process), "environment": {"OMP_NUM_THREADS": "2", ...} (OMP_*, GOMP_*, TEFF_* only)
//   Where the command line or the environment is longer than 64 KiB, the arguments or variables beyond
//   that are left out, and "command_left_out" or "environment_left_out" is their number.
// end.json: one object.
//   "end_monotonic_ns": n, "end_ticks": n, "streams": n, "lost_records": n

#endif
