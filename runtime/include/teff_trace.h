// SPDX-License-Identifier: Apache-2.0
//
// The book of the Teff trace format, version 3.
//
// WHAT IT IS. A recording is a directory, `NAME.teff/`:
//
//     meta.json          written when the recording starts (see "meta.json" below)
//     stream-0000.bin    one stream of records per worker, numbered from 0 in order of first use
//     stream-0001.bin
//     ...
//     end.json           written when the program ends in order; missing: it is incomplete
//
// STREAM. A sequence of chunks of TEFF_TRACE_CHUNK_BYTES. Each chunk starts with a chunk header and
// goes on with records. A record never crosses the end of its chunk. A type byte of zero means that
// nothing was written from here to the end of this chunk; the reader goes on with the next chunk,
// if the file has one. The last chunk of a file may be incomplete. All numbers are little-endian;
// every record starts at a multiple of 16 bytes.
//
// SIZES. The header of each chunk has a table with the size of every type of record that its writer
// knows. So a reader can skip types that it does not know, and fields that a later writer has added
// at the end of a record. A type that the table does not have means that the file is damaged. All
// chunks of a stream have the same table. Version 1 has no table: its records are those from SITE
// to GROUP_BEGIN, with the sizes given here.
//
// CRASH SAFETY. The writer stores a record's payload first and its type byte last (release). The
// files are shared mappings, so every record whose type byte is set survives the death of the
// process, SIGKILL included (not the loss of power). There is one writer per stream and no lock.
//
// TIME. Ticks are the time-stamp counter as read (no serialisation). A record's `when` holds the
// 48-bit difference to the base_ticks of its chunk. Ticks become nanoseconds by the line through
// the (ticks, monotonic ns) pairs of the chunk headers and of the CLOCK records; meta.json gives
// ticks_per_second as a first estimate.
//
// IDENTITY. A task id is (stream << 48 | ordinal), ordinal from 1, given by the worker that creates
// the task. Region and loop instance ids are formed the same way, each kind with its own ordinals.
// 0 means "none". Streams have numbers below TEFF_TRACE_STREAMS. A worker beyond that has no
// stream, and its ids have the top bit set. A site id is local to its stream: the SITE record that
// defines it comes before its first use in that stream.
//
// GRAPH. The fragments of a task are the pieces of [start, start + duration] between these cuts:
// the CREATE records that name the task as parent, its WAIT intervals, and the RUN intervals of its
// undeferred children, which run on top of it. While a task waits, another one may run on the same
// stream. That one is nested in the WAIT, or runs beside it: then it may wait itself while the
// first one goes on, and their intervals overlap. At any instant the stream's worker runs one task
// or none.
//
// SHORT RECORDS. Tasks that are created one after the other differ in few fields. So a CREATE, RUN
// or DEP may have a short form of 16 bytes. The fields that it leaves out follow from earlier
// records in the same chunk, as the struct of the short record says, or are 0 if there is none. A
// reader treats it as the whole record.
//
// CHANGES. A new type of record, a new field at the end of a record, a new bit of flags and a new
// kind of wait keep the version. Any other change of the format adds 1 to TEFF_TRACE_VERSION and a
// paragraph to docs/formats/trace.md.

#ifndef TEFF_TRACE_H
#define TEFF_TRACE_H

#include <stdint.h>

#define TEFF_TRACE_VERSION 3u
#define TEFF_TRACE_CHUNK_BYTES (1u << 20)
#define TEFF_TRACE_STREAMS (1u << 15)
#define TEFF_TRACE_MAGIC 0x314b4e4843464554ull // the bytes "TEFCHNK1"

// Bits of teff_chunk_header::sizes.
#define TEFF_SIZE_UNIT 16u      // bits 0-6: the record's fixed part, in units of so many bytes
#define TEFF_SIZE_HAS_TAIL 128u // the u32 at byte 12 says how many bytes follow; padded to 16

// What every chunk begins with. `magic` is stored last. Version 1 has the first 64 bytes of it.
struct teff_chunk_header {
    uint64_t magic;
    uint32_t version;      // TEFF_TRACE_VERSION
    uint32_t stream;       // the number in the file's name
    uint64_t sequence;     // 0, 1, 2, ... within the stream
    uint64_t base_ticks;   // `when` of this chunk's records counts from here
    uint64_t base_ns;      // CLOCK_MONOTONIC at base_ticks
    uint32_t os_thread;    // kernel thread id of the worker, when the chunk was opened
    uint32_t header_bytes; // of this header, a multiple of 16: there the records begin
    uint64_t reserved[2];
    uint8_t sizes[256]; // by type byte; 0: this stream has no such records
};

enum teff_record_type {
    TEFF_REC_NONE = 0,         // end of the chunk's records
    TEFF_REC_SITE = 1,         // 32 bytes: teff_rec_site
    TEFF_REC_MODULE = 2,       // 48 bytes + path, padded to 16: teff_rec_module
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
    // 32: a task started (so that an unfinished one is seen; explicit tasks write none by default)
    TEFF_REC_START = 15,
    TEFF_REC_LOST = 16, // 32: records were dropped (disk full, limit reached)
    // 32: a task opened a taskgroup; its WAIT of kind TASKGROUP ends it; they nest like brackets
    TEFF_REC_GROUP_BEGIN = 17,
    // From version 2 on.
    TEFF_REC_PRIORITY = 18, // 32: a task has a priority above 0
    TEFF_REC_FULFIL = 19,   // 32: the event of a detachable task was fulfilled
    TEFF_REC_THREAD = 20,   // 32: what the stream's thread has used so far
    TEFF_REC_LOCK = 21,     // 48: a task held a lock, or was in a critical or ordered region
    // Their layouts stand, and no runtime writes them yet. Modelled machines write COUNTER and
    // COUNTS.
    TEFF_REC_MEMORY = 22,    // 48: how much memory the process uses
    TEFF_REC_PROCESSOR = 23, // 48: a processor, and where it is in the machine
    TEFF_REC_COUNTER = 24,   // 32 + name, padded to 16: a hardware counter
    TEFF_REC_COUNTS = 25,    // 32 + 8 for each, padded to 16: values of hardware counters
    TEFF_REC_SAMPLING = 26,  // 32: how often samples are taken
    // Later than the rest of version 2.
    TEFF_REC_RECORDER = 27,  // 32: the thread worked for the recorder, and not for the program
    TEFF_REC_DOACROSS = 28,  // 48: an iteration has come to its source, or a sink's wait is over
    TEFF_REC_CALL_PATH = 29, // 32 + tail, padded to 16: by which calls a site was reached
    TEFF_REC_TEAM_SIZE = 30, // 32: an implicit task asked for the number of threads in its team
    // From version 3 on.
    TEFF_REC_SHORT_CREATE = 31, // 16: CREATE, of the next task that the same parent created
    TEFF_REC_SHORT_RUN = 32,    // 16: RUN, in the same region, on the same processor
    TEFF_REC_SHORT_DEP = 33,    // 16: DEP, of the task that was created last
    // Later than the rest of version 3.
    TEFF_REC_WAKE = 34,  // 32: the worker woke another
    TEFF_REC_MOVED = 35, // 32: the stream's thread runs on another processor than before
};

// First 8 bytes of every record: type (bits 0-7), flags (bits 8-15), when (bits 16-63: ticks since
// the chunk's base_ticks). Stored last, as one 64-bit release store.
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
    TEFF_WAIT_TASKYIELD = 7,        // version 1: or a wait of kind RUN_AT_ONCE
    TEFF_WAIT_CRITICAL = 8,
    TEFF_WAIT_LOCK = 9,
    TEFF_WAIT_ORDERED = 10,
    TEFF_WAIT_RUN_AT_ONCE = 11, // for a task that its creator ran at once, as its queue was full
    TEFF_WAIT_PREEMPTED = 12,   // the worker was taken away from it, until it went on; has no site
};

// What a depend clause says of a list item.
enum teff_dep_kind {
    TEFF_DEP_UNKNOWN = 0, // version 1
    TEFF_DEP_IN = 1,
    TEFF_DEP_OUT = 2,   // of a depend object: GCC hands over out and inout as one otherwise
    TEFF_DEP_INOUT = 3, // or out
    TEFF_DEP_MUTEXINOUTSET = 4,
    TEFF_DEP_INOUTSET = 5,
    TEFF_DEP_ALL_MEMORY = 6, // omp_all_memory
};

// flags of DEP: bits 0-2 have what the successor says, bits 3-5 what the predecessor did (IN,
// INOUTSET, or INOUT for all that exclude others), both teff_dep_kind
enum {
    TEFF_DEP_PREDECESSOR_SHIFT = 3,
    TEFF_DEP_KIND_MASK = 7,
    TEFF_DEP_FULFILLED = 64, // the predecessor had finished already, and kept nobody waiting
    TEFF_DEP_OF_WAIT = 128,  // of a taskwait: `successor` is the task that waits, in the WAIT that follows
};

// flags of FULFIL
enum {
    TEFF_FULFIL_LATE = 1, // the body had ended: with this the task was finished
};

// flags of THREAD
enum {
    TEFF_THREAD_BEGINS = 1, // the thread has got the stream
    TEFF_THREAD_ENDS = 2,   // nothing more of this thread follows
};

// flags of LOCK
enum teff_lock_kind {
    TEFF_LOCK_CRITICAL = 1,
    TEFF_LOCK_LOCK = 2,
    TEFF_LOCK_NEST_LOCK = 3,
    TEFF_LOCK_ATOMIC = 4,
    TEFF_LOCK_ORDERED = 5,
};

// flags of DOACROSS
enum {
    TEFF_DOACROSS_SOURCE = 1, // the iteration has come to its `ordered depend(source)`
    TEFF_DOACROSS_SINK = 2,   // a task has waited for the iteration
};

// flags of WAKE
enum teff_wake_cause {
    TEFF_WAKE_TASK = 1,   // a task is ready, for which there was no worker
    TEFF_WAKE_EVENT = 2,  // what a task there waited for has happened: the WAIT around the sleep says what
    TEFF_WAKE_TEAM = 3,   // all of the team that sleep: a barrier has opened, the region was cancelled, or
                          // maybe its last task has ended
    TEFF_WAKE_REGION = 4, // it has its place in a region, or is sent away from its team
    TEFF_WAKE_JOIN = 5,   // the leader: the last of the others has ended its part of the region
};

// flags of CALL_PATH
enum {
    TEFF_PATH_OF_TASK = 1, // it ends where the runtime has called the task: go on with its creation
    TEFF_PATH_CUT = 2,     // it has more frames than were asked for, or than could be kept
    TEFF_PATH_LOST = 4,    // the caller of its last frame could not be told
};

// flags of COUNTS
enum {
    TEFF_COUNTS_TASK = 1,   // what the task has added, from its start to its end
    TEFF_COUNTS_THREAD = 2, // what the thread has so far
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

// A place in the program. The call site is the return address in the program's code; the reader
// subtracts 1 before it looks up the line. `function` is the outlined function that the construct
// runs (0: none). A call that is the last thing its function does may be a jump, which returns to
// that function's caller. If that caller is in another object than `function`, the call site given
// is the function's address + 1.
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
    uint32_t module;     // this stream's id, from 1
    uint32_t path_bytes; // the tail: length of the path that follows, without terminator
    uint64_t bias;       // load bias (dlpi_addr)
    uint64_t build_id;   // the first 8 bytes of its GNU build id, as they stand in memory (0: not known)
    uint64_t build_mark; // tells builds apart that have no such id (0: not known); says no more
    uint64_t reserved;
};

// The calls by which the program reached a site; only in recordings with call paths. It follows the
// SITE record. Each path has a site of its own: sites that differ only in their paths are the same
// place. A site without a CALL_PATH was met where calls are not looked at. The frames go from the
// construct's function outwards. If Python called the parallel region, lines of Python follow, as
// CPython's faulthandler prints them, innermost first.
struct teff_rec_call_path {
    teff_rec_head head; // flags: TEFF_PATH_*
    uint32_t site;
    uint32_t tail_bytes; // the tail: that of frames and lines
    uint32_t frames;     // each a teff_path_frame
    uint32_t python_bytes;
    uint64_t reserved;
};

struct teff_path_frame {
    uint64_t address; // absolute, to which the call returns
    uint32_t module;  // this stream's module id (0: unknown)
    uint32_t reserved;
};

struct teff_rec_create {
    teff_rec_head head; // when: the construct was met
    uint64_t task;
    uint64_t parent;
    uint32_t site;
    // from meeting the construct until its creator went on, or ran the task; 0 where the recording
    // ends before that (saturates)
    uint32_t cost_ticks;
};

// An implicit task has its CREATE (flag TEFF_TASK_IMPLICIT) in the stream of the worker that runs
// it. In that record cost_ticks is the thread number in the team, and `parent` is the task that met
// the parallel construct. The initial task of a thread is an implicit task with parent 0 and region
// 0. Implicit tasks also write a START, so that an unfinished one has its region. A target region
// is one task: deferred, or undeferred where the construct waits for it.
struct teff_rec_run {
    teff_rec_head head; // when: the body started
    uint64_t task;
    uint64_t
        ticks_and_cpu; // bits 0-47: ticks from start to end, all waits included; bits 48-63: processor at the end (0xffff: unknown)
    uint64_t region; // the innermost parallel region (0: none)
};

struct teff_rec_wait {
    teff_rec_head head; // when: the wait began; flags: teff_wait_kind
    uint64_t task;      // who waited
    uint64_t
        ticks_and_ordinal; // bits 0-47: ticks until the wait ended; bits 48-63: how often the task left its stack meanwhile (saturates; barriers: 0)
    uint32_t site;
    uint32_t barrier; // barrier kinds: the number of the barrier in its region (from 1); else 0
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
    teff_rec_head head; // when: the successor was created; flags: see teff_dep_kind
    uint64_t successor;
    uint64_t predecessor; // also one that had finished already
    uint64_t address;     // of the list item
};

// Short records. Flags and `when` are those of the whole record.

// Of the last CREATE in the chunk, short or not: the same parent, and `task` one above its task.
struct teff_rec_short_create {
    teff_rec_head head;
    uint32_t site;
    uint32_t cost_ticks;
};

// Of the last RUN in the chunk, short or not: the same region and the same processor.
struct teff_rec_short_run {
    teff_rec_head head;
    uint64_t ticks_and_task; // bits 0-23: ticks; bits 24-55: the task's ordinal; bits 56-63: its stream
};

// The successor is the task of the last CREATE in the chunk, short or not. The address is a
// difference to one of two addresses: that of the last DEP in the chunk, short or not, or the other
// one. The last address becomes the other one at a DEP that is not short, and at a short one near
// the other address.
#define TEFF_SHORT_DEP_OTHER (1u << 31)
struct teff_rec_short_dep {
    teff_rec_head head;
    uint32_t back;   // bits 0-30: successor - predecessor, as ids; bit 31: near the other address
    int32_t address; // less the last one, or the other one
};

struct teff_rec_idle {
    teff_rec_head head; // when: it began
    uint64_t ticks;
    uint64_t sleep; // that another ended: WAKE.sleep; 0: none did, or it has not slept, or not known
    uint64_t reserved;
};

// In the stream of the worker that wakes another one: `sleeper` was asleep, or about to sleep, and
// no other worker ended that sleep (docs/formats/trace.md has the protocol). It belongs to the IDLE
// of the same sleep in the sleeper's stream, which has the same number and ends after `when`
// (numbers repeat after 2^30 sleeps). A sleep that ends because its time is over has no WAKE.
struct teff_rec_wake {
    teff_rec_head head; // when: it was to wake the sleeper; flags: teff_wake_cause
    uint32_t sleeper;   // its stream
    uint32_t sleep;
    uint64_t ticks; // that this took
    uint64_t reserved;
};

// At the ends of RUN, WAIT, CHUNK and IDLE, and at START, the runtime looks which processor the
// thread is on. The first MOVED of a stream says which one it was on first.
struct teff_rec_moved {
    teff_rec_head head; // when: it was found there; somewhere since the last look it had moved
    uint32_t processor; // as in RUN
    uint32_t reserved0;
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

// From here on the task does its thread's share of something: loops with a static schedule, which
// the compiler divides, and work that a program divides by thread number, begin like this. One
// record stands for all such questions that follow it without another record of the task's thread
// in between. With the flag, the thread begins the body of a `single`: until its next barrier it
// shares nothing.
enum : uint8_t { TEFF_TEAM_SIZE_SINGLE = 1 };
struct teff_rec_team_size {
    teff_rec_head head; // when: omp_get_num_threads was called, or the body begins
    uint64_t task;
    uint64_t reserved[2];
};

struct teff_rec_lost {
    teff_rec_head head;
    uint64_t records; // how many, so far
    uint64_t reserved[2];
};

// Comes before the CREATE of its task.
struct teff_rec_priority {
    teff_rec_head head; // when: as in CREATE
    uint64_t task;
    int32_t priority; // as it counts: cut to max-task-priority-var
    uint32_t reserved0;
    uint64_t reserved1;
};

// In the stream of the thread that fulfils the event.
struct teff_rec_fulfil {
    teff_rec_head head; // when: omp_fulfill_event was called; flags: TEFF_FULFIL_*
    uint64_t task;
    uint64_t ticks; // until it returned (0: not known)
    uint64_t reserved;
};

// Written where a chunk begins, where a thread gets the stream, and where that thread ends; and
// where a RUN, WAIT or CHUNK ends, if the thread's last one is a millisecond old. More than one
// thread may use a stream, one after the other.
struct teff_rec_thread {
    teff_rec_head head;      // flags: TEFF_THREAD_*
    uint64_t cpu_ns;         // CPU time of the thread since it began
    uint64_t recorder_ticks; // the recorder's work on this stream's files and places so far, by all
                             // its threads; to store a record is not in it
    uint32_t os_thread;      // kernel thread id
    uint16_t waits;          // how often it gave its processor up, to sleep or wait, modulo 2^16
    uint16_t preemptions;    // ... and lost it to another, or yielded it
};

// One hold of a lock. It is written where the hold ends, in the stream of the thread that releases
// the lock. Holds of less than 200 ns for which the thread did not wait are not written.
struct teff_rec_lock {
    teff_rec_head head;    // when: it was taken; flags: teff_lock_kind
    uint64_t task;         // that had it
    uint64_t address;      // of the lock, or of what stands for the critical's name; ORDERED: the loop
    uint64_t ticks_waited; // before `when`
    uint64_t ticks_held;   // from `when` on
    uint32_t site;
    uint32_t reserved;
};

// Not written yet: what the process uses at that moment, and has asked the runtime for so far.
struct teff_rec_memory {
    teff_rec_head head;
    uint64_t footprint_bytes; // resident
    uint64_t runtime_bytes;   // of that, the runtime's own
    uint64_t allocations;
    uint64_t allocated_bytes;
    uint64_t reserved;
};

// Not written yet: one for each processor that the process may use, in stream 0. Numbers that are
// not known are ~0.
struct teff_rec_processor {
    teff_rec_head head;
    uint32_t processor; // as in RUN and CHUNK
    uint32_t core;
    uint32_t cache; // the last level's
    uint32_t numa_node;
    uint32_t package;
    uint32_t place; // of OMP_PLACES
    uint64_t reserved[2];
};

// The thread's task stood still while the recorder prepared the stream's next chunk, or looked up a
// place in the program that was new.
struct teff_rec_recorder {
    teff_rec_head head; // when: it began
    uint64_t ticks;
    uint64_t reserved[2];
};

// Of a loop with ordered(n), in the stream of the thread that runs the iteration.
struct teff_rec_doacross {
    teff_rec_head head; // when: it came to the source, or the wait was over; flags: TEFF_DOACROSS_*
    uint64_t loop;
    uint64_t task;      // the implicit task that says so
    uint64_t iteration; // of the source; linear number in the nest, from 0
    uint64_t ticks_waited;
    uint64_t
        ticks; // source: from `when` until the program went on; sink: from meeting it until `when`, the wait included (0: not known)
};

// Modelled machines write them: a counter, before its first use in the stream. One is known by its
// name: memory_stall, for how many ticks a task waited for memory.
struct teff_rec_counter {
    teff_rec_head head;
    uint32_t counter;    // this stream's id, from 1
    uint32_t name_bytes; // the tail: length of the name that follows, without terminator
    uint64_t reserved[2];
};

// Modelled machines write them: values of the counters first_counter, first_counter + 1, ...
struct teff_rec_counts {
    teff_rec_head head;     // when: they were read; flags: TEFF_COUNTS_*
    uint32_t first_counter; // this stream's id
    uint32_t values_bytes;  // the tail: 8 for each value that follows
    uint64_t task;          // who ran (0: none)
    uint64_t reserved;
};

// Not written yet: from here on the stream has a COUNTS record of flags THREAD each so often.
struct teff_rec_sampling {
    teff_rec_head head;
    uint32_t counter; // this stream's id of what is counted until the next sample; 0: ns
    uint32_t reserved0;
    uint64_t period; // so many of them are between two samples
    uint64_t reserved1;
};

// meta.json: one object.
//   "format": "teff-trace", "version": 3, "runtime": "0.1.0", "pid": n, "host": "...",
//   "command": ["./prog", "arg"], "start_unix_ns": n, "start_monotonic_ns": n, "start_ticks": n,
//   "ticks_per_second": n, "processors": n (usable by the process),
//   "record_cost_ticks": {"run": n, "wait": n, ...} (by type of record: what one takes of its thread
//   after its last instant, where the type has one: the end of what it states, else `when`),
//   "record_cost_within_ticks": {...} (and what it adds to the interval that it states; both as
//   measured when the recording started, with the readings of the clock; not there: 0),
//   "environment": {"OMP_NUM_THREADS": "2", ...} (OMP_*, GOMP_*, TEFF_* only),
//   "modelled": {"machine": "...", "policy": "...", "seed": n, "labels": ["...", ...],
//   "workers": ["...", ...]} (only where nothing was measured: docs/formats/trace.md)
//   Where the command line or the environment is longer than 64 KiB, the arguments or variables
//   beyond that are left out, and "command_left_out" or "environment_left_out" is their number.
// end.json: one object.
//   "end_monotonic_ns": n, "end_ticks": n, "streams": n, "lost_records": n,
//   "cpu_ns": n (CPU time of the process), "thread_cpu_ns": [n, ...] (by stream number: CPU time of
//   the thread that has the stream; 0: it has ended, and its last THREAD record tells),
//   and by stream number, too, in steps of 256:
//   "turns": [n, ...] (how often the thread went from one task that had not ended to another, or
//   looked for one at a taskyield and found none), "hasty_turns": [n, ...] (those of them that followed
//   each other so closely that they took a good part of the time), "hasty_ticks": [n, ...] (how
//   long those took, with the work between them)

#endif
