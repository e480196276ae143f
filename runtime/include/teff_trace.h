// SPDX-License-Identifier: Apache-2.0
//
// The Teff trace format, version 6.
//
// WHAT IT IS. A recording is a directory, `NAME.teff/`:
//
//     meta.json          written when the recording starts (docs/formats/trace.md has its fields)
//     stream-0000.bin    one stream of records per worker, numbered from 0 in order of first use
//     stream-0001.bin, ...
//     end.json           written when the program ends normally; without it the recording is incomplete
//
// STREAM. A stream is a sequence of chunks of TEFF_TRACE_CHUNK_BYTES. Each chunk starts with a
// chunk header, followed by records. A record never crosses the end of its chunk. A type byte of
// zero means that the rest of this chunk is unused; the reader continues with the next chunk. All
// numbers are little-endian; every record starts at a multiple of 16 bytes.
//
// PLACES. A place without a magic holds no chunk. The chunks of a file may lie in any order:
// `sequence` tells in which order they are read. The first one or two places are the writer's
// buffers, from which it copies full chunks to further places. If two chunks have the same number,
// the writer was killed meanwhile, and the one in the lower place is whole. If a number is missing,
// the file is damaged or was cut. Before version 5 the chunks were in order.
//
// RING. If only the newest part of each stream is kept (TEFF_TRACE_LAST), a stream's file has a
// fixed number of places, and a chunk that finds no free place takes that of the oldest. (Before
// version 5: its number modulo theirs.) There, each chunk defines the sites, modules and names that
// it uses, but for those of its first few records, which may be defined in the chunk before.
// Records may name tasks, regions and loops whose own ones are gone.
//
// SIZES. Each chunk header has a table with the size of every record type that the writer knows.
// With this table a reader can skip record types that it does not know, and fields that a later
// version has added at the end of a record. A record type that is not in the table means that the
// file is damaged. All chunks of a stream have the same table. Version 1 has no table: its record
// types are SITE to GROUP_BEGIN, with the sizes given here.
//
// CRASH SAFETY. The writer stores a record's payload first and its type byte last (release). The
// files are shared mappings, so every record whose type byte is set survives the death of the
// process, even by SIGKILL (but not a loss of power). A buffer is cleared, its magic first, when
// the copy of its chunk is whole. Each stream has one writer and needs no lock.
//
// TIME. Ticks are readings of the time-stamp counter, taken without serialising instructions. A
// record's `when` holds the 48-bit difference to the base_ticks of its chunk. To convert ticks to
// nanoseconds, readers interpolate between the (ticks, monotonic ns) pairs of the chunk headers and
// of the CLOCK records; ticks_per_second in meta.json is a first estimate.
//
// IDENTITY. A task id is (stream << 48 | ordinal). Ordinals start at 1 and are given by the worker
// that creates the task. Region ids and loop ids are formed in the same way; each kind has its own
// ordinals. 0 means "none". Stream numbers are below TEFF_TRACE_STREAMS. A worker whose number
// would be higher has no stream, and the ids that it gives have the top bit set. A site id is local
// to its stream: the SITE record that defines the id precedes the id's first use in that stream.
//
// GRAPH. A task's fragments are the pieces of its interval [start, start + duration] between these
// cuts:
// - the CREATE records that name the task as parent,
// - the task's WAIT intervals,
// - the RUN intervals of the task's undeferred children, which run on top of the task.
//
// While a task waits, another task may run on the same stream. Either the other task is nested in
// the WAIT; or it runs on a stack of its own, and may itself wait while the first task continues,
// so that their intervals overlap. At any instant the stream's worker runs one task or none.
//
// SHORT RECORDS. Tasks that are created one after the other differ in few fields, and so do the
// chunks of a loop. Therefore CREATE, RUN, DEP, WAIT and CHUNK have short forms of 16 bytes. The
// omitted fields follow from earlier records in the same chunk of the file, as the struct of each
// short record says; if there is no such earlier record, they are 0. A reader treats a short record
// like the full record. A SHORT_TASK is such a form of up to three records.
//
// CHANGES. New record types, new fields at the end of a record, new flag bits and new kinds of wait
// do not change the version. Any other change of the format adds 1 to TEFF_TRACE_VERSION and a
// paragraph to docs/formats/trace.md.

#ifndef TEFF_TRACE_H
#define TEFF_TRACE_H

#include <stdint.h>

#define TEFF_TRACE_VERSION 6u
#define TEFF_TRACE_CHUNK_BYTES (1u << 20)
#define TEFF_TRACE_STREAMS (1u << 15)
#define TEFF_TRACE_MAGIC 0x314b4e4843464554ull // the bytes "TEFCHNK1"

// Bits of teff_chunk_header::sizes.
#define TEFF_SIZE_UNIT 16u      // bits 0-6: the size of the record's fixed part, in units of 16 bytes
#define TEFF_SIZE_HAS_TAIL 128u // the record has a tail: the u32 at byte 12 is its length in bytes; padded to 16

// Every chunk begins with this header. `magic` is stored last. In version 1 the header is only the
// first 64 bytes.
struct teff_chunk_header {
    uint64_t magic;
    uint32_t version;         // TEFF_TRACE_VERSION
    uint32_t stream;          // the stream's number, as in the file's name
    uint64_t sequence;        // 0, 1, 2, ... within the stream
    uint64_t base_ticks;      // `when` of this chunk's records counts from here
    uint64_t base_ns;         // CLOCK_MONOTONIC at base_ticks
    uint32_t os_thread;       // kernel thread id of the worker, when the chunk was opened
    uint32_t header_bytes;    // size of this header, a multiple of 16: the offset of the first record
    uint64_t sealed_bytes;    // the first bytes of the chunk that `checksum` covers; 0: the chunk has no checksum
    uint64_t checksum;        // stored when the stream has left the chunk: docs/formats/trace.md
    uint8_t sizes[256];       // indexed by type byte; 0: this stream has no such records
    uint32_t ring, unused[7]; // since version 5; `ring`: the places of a ring; 0: the file keeps all chunks
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
    TEFF_REC_LOOP = 8,         // 64: one execution of a work-sharing loop (written by the first thread to arrive)
    TEFF_REC_CHUNK = 9,        // 48: one chunk of iterations ran
    TEFF_REC_LOOP_THREAD = 10, // 32: one thread's part in a loop, from entry to exit
    TEFF_REC_DEP = 11,         // 32: a dependence between two tasks
    TEFF_REC_IDLE = 12,        // 32: the worker had nothing to do
    TEFF_REC_STEAL = 13,       // 32: the worker took a task from another worker
    TEFF_REC_CLOCK = 14,       // 32: a (ticks, ns) pair
    TEFF_REC_START = 15,       // 32: a task started; by default not written for explicit tasks
    TEFF_REC_LOST = 16,        // 32: records were dropped (disk full, limit reached)
    TEFF_REC_GROUP_BEGIN = 17, // 32: a task opened a taskgroup, which its WAIT of kind TASKGROUP ends; groups nest
    // Since version 2.
    TEFF_REC_PRIORITY = 18,  // 32: a task has a priority above 0
    TEFF_REC_FULFIL = 19,    // 32: the event of a detachable task was fulfilled
    TEFF_REC_THREAD = 20,    // 32: CPU time and context switches of the stream's thread so far
    TEFF_REC_LOCK = 21,      // 48: a task held a lock, or was in a critical or ordered region
    TEFF_REC_MEMORY = 22,    // 48: how much memory the process uses
    TEFF_REC_PROCESSOR = 23, // 48: a processor and its place in the machine
    TEFF_REC_COUNTER = 24,   // 32 + name, padded to 16: a counter
    TEFF_REC_COUNTS = 25,    // 32 + 8 for each, padded to 16: values of counters
    TEFF_REC_SAMPLING = 26,  // 32: how often samples are taken
    // Added to version 2 later.
    TEFF_REC_RECORDER = 27,  // 32: the thread did work for the recorder instead of the program
    TEFF_REC_DOACROSS = 28,  // 48: an iteration reached its doacross source, or the wait of a sink ended
    TEFF_REC_CALL_PATH = 29, // 32 + tail, padded to 16: the calls by which a site was reached
    TEFF_REC_TEAM_SIZE = 30, // 32: an implicit task asked for the number of threads in its team
    // Since version 3.
    TEFF_REC_SHORT_CREATE = 31, // 16: a CREATE for the next task of the same parent
    TEFF_REC_SHORT_RUN = 32,    // 16: a RUN in the same region and on the same processor
    TEFF_REC_SHORT_DEP = 33,    // 16: a DEP of the task created last
    // Added to version 3 later.
    TEFF_REC_WAKE = 34,     // 32: the worker woke another worker
    TEFF_REC_MOVED = 35,    // 32: the stream's thread has moved to another processor
    TEFF_REC_REQUEST = 36,  // 32: the worker was asked to leave its task for a task of higher priority
    TEFF_REC_OFF = 37,      // 32: the stream's thread was off its processor
    TEFF_REC_WINDOW = 38,   // 32: recording was switched on or off
    TEFF_REC_SPAN = 39,     // 32: a named span of the program began or ended
    TEFF_REC_NAME = 40,     // 32 + name, padded to 16: the name of spans
    TEFF_REC_SAMPLE = 41,   // 32: where the stream's thread was
    TEFF_REC_SAMPLES = 42,  // 32: samples begin, were refused, or were lost
    TEFF_REC_STACK = 43,    // 32 + frames, padded to 16: the calls by which samples were reached
    TEFF_REC_CODE = 44,     // 32 + text, padded to 16: a function of Python
    TEFF_REC_SAMPLED = 45,  // 32: the stack of the sample before this record
    TEFF_REC_PREPARED = 46, // 32: a thread of the recorder's prepared the stream's next chunk
    // Since version 4.
    TEFF_REC_SHORT_WAIT = 47,  // 16: a WAIT at the same site
    TEFF_REC_SHORT_CHUNK = 48, // 16: a CHUNK of the same loop
    TEFF_REC_SHORT_TASK = 49,  // 16: since version 6: a CREATE, and the RUN and WAIT that follow from it
    TEFF_REC_DEVICE = 50,      // 96: added to version 6 later: a construct on a device
    TEFF_REC_SUMS = 51,        // 160: added to version 6 later: sums over the stream's records so far
    TEFF_REC_EXCHANGE = 52,    // 32: added to version 6 later: a comparison of the host's counter with a device's
};

// The first 8 bytes of every record: type (bits 0-7), flags (bits 8-15), and `when` (bits 16-63:
// ticks since the chunk's base_ticks). They are stored last, by one 64-bit release store.
typedef uint64_t teff_rec_head;

// flags of CREATE
enum {
    TEFF_TASK_IMPLICIT = 1,   // an implicit task; `parent`: the task that met the construct (or 0: initial task)
    TEFF_TASK_UNDEFERRED = 2, // if(0), or depend-wait: its creator waits for it
    TEFF_TASK_INCLUDED = 4,   // ran at once, inside its creator: a final task, or cut off by the runtime
    TEFF_TASK_UNTIED = 8,
    TEFF_TASK_FINAL = 16,
    TEFF_TASK_DETACHABLE = 32,
    TEFF_TASK_DEPEND = 64,    // has a depend clause
    TEFF_TASK_TASKLOOP = 128, // made by a taskloop
};

// flags of RUN: discarded by cancellation, so that its body did not run; ran on a worker other than
// its creator's; ran on top of its creator, which has no WAIT for it; an initial task
enum { TEFF_RUN_CANCELLED = 1, TEFF_RUN_STOLEN = 2, TEFF_RUN_ON_TOP = 4, TEFF_RUN_INITIAL = 8 };

// flags of WAIT
enum teff_wait_kind {
    TEFF_WAIT_TASKWAIT = 1,
    TEFF_WAIT_TASKGROUP = 2,
    TEFF_WAIT_BARRIER = 3,          // explicit barrier
    TEFF_WAIT_IMPLICIT_BARRIER = 4, // end of a work-sharing construct
    TEFF_WAIT_REGION_END = 5,       // end of a parallel region (the join)
    TEFF_WAIT_DEPEND = 6,           // taskwait depend, or an undeferred task with depend
    TEFF_WAIT_TASKYIELD = 7,        // in version 1 also the waits of kind RUN_AT_ONCE
    TEFF_WAIT_CRITICAL = 8,
    TEFF_WAIT_LOCK = 9,
    TEFF_WAIT_ORDERED = 10,
    TEFF_WAIT_RUN_AT_ONCE = 11, // of a creator that ran its new task at once because its queue was full
    TEFF_WAIT_PREEMPTED = 12,   // from the task's preemption until it continued; has no site
};

// The dependence type of a list item.
enum teff_dep_kind {
    TEFF_DEP_UNKNOWN = 0, // version 1
    TEFF_DEP_IN = 1,
    TEFF_DEP_OUT = 2,   // of a depend object only: elsewhere GCC does not distinguish out from inout
    TEFF_DEP_INOUT = 3, // inout or out
    TEFF_DEP_MUTEXINOUTSET = 4,
    TEFF_DEP_INOUTSET = 5,
    TEFF_DEP_ALL_MEMORY = 6, // omp_all_memory
};

// flags of DEP: bits 0-2 hold the dependence type of the successor, bits 3-5 that of the
// predecessor (IN, INOUTSET, or INOUT for all types that exclude others); both are a teff_dep_kind
enum {
    TEFF_DEP_PREDECESSOR_SHIFT = 3,
    TEFF_DEP_KIND_MASK = 7,
    TEFF_DEP_FULFILLED = 64, // the predecessor had already finished, so the successor did not wait for it
    TEFF_DEP_OF_WAIT = 128,  // of a taskwait: `successor` is the waiting task, in the WAIT that follows
};

// flags of FULFIL: the body had already ended: fulfilling the event completed the task
enum { TEFF_FULFIL_LATE = 1 };

// flags of THREAD
enum {
    TEFF_THREAD_BEGINS = 1, // the thread has got the stream
    TEFF_THREAD_ENDS = 2,   // nothing more of this thread follows
    // OFF tells all times off the processor since the last THREAD, except sleeps in IDLE.
    TEFF_THREAD_TOLD = 4,
};

// flags of OFF: the thread gave up its processor, to wait or sleep; it could have gone on, and
// another thread got its processor
enum teff_off_reason { TEFF_OFF_SLEPT = 1, TEFF_OFF_PREEMPTED = 2 };

// flags of SAMPLE: the thread was in the kernel, which it entered at the address
enum { TEFF_SAMPLE_KERNEL = 1 };

// flags of SAMPLES: the thread is sampled from here on; the kernel takes no samples of it; samples
// before this record were lost
enum teff_samples_flag { TEFF_SAMPLES_BEGIN = 1, TEFF_SAMPLES_REFUSED = 2, TEFF_SAMPLES_LOST = 4 };

// flags of LOCK
enum teff_lock_kind {
    TEFF_LOCK_CRITICAL = 1,
    TEFF_LOCK_LOCK = 2,
    TEFF_LOCK_NEST_LOCK = 3,
    TEFF_LOCK_ATOMIC = 4,
    TEFF_LOCK_ORDERED = 5,
};

// flags of DOACROSS: the iteration reached its `ordered depend(source)`; a task waited for it
enum { TEFF_DOACROSS_SOURCE = 1, TEFF_DOACROSS_SINK = 2 };

// flags of WAKE
enum teff_wake_cause {
    TEFF_WAKE_TASK = 1,   // a task was ready, and no awake worker was free to run it
    TEFF_WAKE_EVENT = 2,  // a task of the sleeper can continue: the WAIT around the sleep says what it waited for
    TEFF_WAKE_TEAM = 3,   // of all sleepers of a team: at a barrier, a cancellation, or its last task
    TEFF_WAKE_REGION = 4, // the sleeper was assigned to a region, or released from its team
    TEFF_WAKE_JOIN = 5,   // the sleeper is the leader: the last other member has ended its part of the region
};

// flags of REQUEST: its outcome
enum teff_request_end {
    TEFF_REQUEST_PREEMPTED = 1, // the worker's task was preempted: its next WAIT of kind PREEMPTED has the times
    TEFF_REQUEST_NOTHING = 2,   // the worker looked, and found no task that was to run instead of its task
    TEFF_REQUEST_BY_ITSELF = 3, // the worker's task ended or waited first, and then the worker looked in any case
};

// flags of WINDOW: the stream's thread records from here on; no thread does
enum { TEFF_WINDOW_BEGINS = 1, TEFF_WINDOW_ENDS = 2 };

// flags of SPAN
enum {
    TEFF_SPAN_BEGINS = 1,
    TEFF_SPAN_ENDS = 2,
    // With BEGINS: the span began earlier, and it is under way where a window begins, or where a
    // chunk of a ring does.
    TEFF_SPAN_GOES_ON = 4,
};

// flags of CALL_PATH and STACK
enum {
    TEFF_PATH_OF_TASK = 1, // the path ends where the runtime called the task: it continues at the task's creation
    TEFF_PATH_CUT = 2,     // the path has more frames than were requested or could be stored
    TEFF_PATH_LOST = 4,    // the caller of the last frame is unknown
};

// flags of DEVICE: bits 0-3 hold one of these
enum teff_device_construct {
    TEFF_DEVICE_TARGET = 1,
    TEFF_DEVICE_DATA = 2, // target data
    TEFF_DEVICE_END_DATA = 3,
    TEFF_DEVICE_ENTER_DATA = 4,
    TEFF_DEVICE_EXIT_DATA = 5,
    TEFF_DEVICE_UPDATE = 6,
    TEFF_DEVICE_ROUTINE = 7, // omp_target_memcpy, and the like
};
enum { TEFF_DEVICE_NOWAIT = 16 }; // a thread of the runtime carried it out

// flags of COUNTS
enum {
    TEFF_COUNTS_TASK = 1,     // what was counted during the task, from its start to its end
    TEFF_COUNTS_THREAD = 2,   // the thread's totals, since its first event
    TEFF_COUNTS_FRAGMENT = 4, // what was counted in the task since its last such record in this stream
    TEFF_COUNTS_CHUNK = 8,    // with FRAGMENT: it belongs to the task's next CHUNK in this stream
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

// A place in the program. The call site is a return address in the program's code; the reader
// subtracts 1 before looking up the line. `function` is the outlined function that the construct
// runs (0: none). A tail call may be compiled to a jump; the return address then lies in the caller
// of the function that made the call. If that caller is in another object than `function`, the
// recorded call site is the function's address + 1.
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
    uint64_t build_id;   // the first 8 bytes of its GNU build id, in memory order (0: not known)
    uint64_t build_mark; // distinguishes builds that have no such id (0: not known); has no other meaning
    uint64_t reserved;
};

// The calls by which the program reached a site. This record exists only in recordings with call
// paths, and follows the SITE record. Each path has its own site: sites that differ only in their
// paths are the same place. A site without a CALL_PATH was met at a construct for which call paths
// are not recorded. The frames are listed from the construct's function outwards. If Python called
// the parallel region, lines of Python follow in the format of CPython's faulthandler, innermost
// first.
struct teff_rec_call_path {
    teff_rec_head head; // flags: TEFF_PATH_*
    uint32_t site;
    uint32_t tail_bytes; // the tail: length of frames and lines
    uint32_t frames;     // each a teff_path_frame
    uint32_t python_bytes;
    uint64_t reserved;
};

struct teff_path_frame {
    uint64_t address;          // absolute return address of the call
    uint32_t module, reserved; // this stream's module id (0: unknown)
};

struct teff_rec_create {
    teff_rec_head head; // when: the construct was met
    uint64_t task;
    uint64_t parent;
    uint32_t site;
    // from meeting the construct until the creator continued, or ran the task (saturates); 0 if the
    // recording ends before that
    uint32_t cost_ticks;
};

// The CREATE of an implicit task (flag TEFF_TASK_IMPLICIT) is in the stream of the worker that runs
// the task. In that record cost_ticks is the thread number in the team, and `parent` is the task
// that met the parallel construct. The initial task of a thread is an implicit task with parent 0
// and region 0. Implicit tasks also write a START, so that the region of an unfinished implicit
// task is known. A target region is one task: deferred, or undeferred if the construct waits for
// the task.
struct teff_rec_run {
    teff_rec_head head; // when: the body started
    uint64_t task;
    uint64_t
        ticks_and_cpu; // bits 0-47: ticks to the end, with all waits; 48-63: processor at the end (0xffff: unknown)
    uint64_t region;   // the innermost parallel region (0: none)
};

struct teff_rec_wait {
    teff_rec_head head;         // when: the wait began; flags: teff_wait_kind
    uint64_t task;              // the waiting task
    uint64_t ticks_and_ordinal; // bits 0-47: ticks until the wait ended; bits 48-63: how often the task
                                // left its stack during the wait (saturates; barriers: 0)
    uint32_t site;
    uint32_t barrier; // barrier kinds: the number of the barrier in its region (from 1); else 0
};

struct teff_rec_region {
    teff_rec_head head; // when: the construct was met
    uint64_t region;
    uint64_t parent; // the task that met the construct
    uint32_t site;
    uint32_t threads;   // actual team size
    uint32_t requested; // requested team size
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
    int64_t ub; // as given by the program: exclusive
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
    uint64_t predecessor; // it may have finished already
    uint64_t address;     // address of the list item
};

// Short records. `when` and the flags are those of the full record.

// Omitted: `parent`, as in the chunk's last CREATE (short or full), and `task`, which is one more
// than in that CREATE.
struct teff_rec_short_create {
    teff_rec_head head;
    uint32_t site;
    uint32_t cost_ticks;
};

// A SHORT_CREATE with the `site` of the chunk's last CREATE (short or full), of a task that its
// creator runs at once. If `ran` is not 0, it is also RUN and WAIT: docs/formats/trace.md.
struct teff_rec_short_task {
    teff_rec_head head;
    uint32_t cost_ticks;
    uint32_t ran; // 1 + ticks from start to end; 0: not ended, or the RUN has a record of its own
};

// Omitted: region and processor, as in the chunk's last RUN (short or full).
struct teff_rec_short_run {
    teff_rec_head head;
    uint64_t ticks_and_task; // bits 0-23: ticks; bits 24-55: the task's ordinal; bits 56-63: its stream
};

// The successor is the task of the chunk's last CREATE (short or full). The address is stored as a
// difference to one of two base addresses, the last and the other. The last address is that of the
// chunk's last DEP (short or full). A full DEP, and a short DEP relative to the other address, make
// the former last address the other address.
#define TEFF_SHORT_DEP_OTHER (1u << 31)
struct teff_rec_short_dep {
    teff_rec_head head;
    uint32_t back;   // bits 0-30: id of the successor - id of the predecessor; bit 31: `address` is
                     // relative to the other address
    int32_t address; // difference to the last or the other address
};

// Omitted: the site, as in the chunk's last WAIT of the same kind (short or full). The number of
// the barrier is 0, and the task did not leave its stack.
struct teff_rec_short_wait {
    teff_rec_head head;
    uint64_t ticks_and_task; // as in SHORT_RUN
};

// Omitted: loop, task, number of iterations and processor, as in the chunk's last CHUNK (short or
// full).
struct teff_rec_short_chunk {
    teff_rec_head head;
    uint64_t ticks_and_first; // bits 0-23: ticks; bits 24-63: `first` minus that of the last CHUNK, signed
};

struct teff_rec_idle {
    teff_rec_head head; // when: the idle time began
    uint64_t ticks;
    uint64_t sleep; // WAKE.sleep, if another worker ended the sleep; 0: none did, or no sleep, or not known
    uint64_t reserved;
};

// Written in the waker's stream: `sleeper` was asleep, or about to sleep, and no other worker ended
// that sleep (docs/formats/trace.md has the protocol). The record belongs to the IDLE of the same
// sleep in the sleeper's stream, which has the same sleep number and ends after `when` (numbers
// repeat after 2^30 sleeps). A sleep that ends by its time-out has no WAKE.
struct teff_rec_wake {
    teff_rec_head head; // when: the waking began; flags: teff_wake_cause
    uint32_t sleeper;   // the sleeper's stream
    uint32_t sleep;
    uint64_t ticks, reserved; // how long the waking took
};

// At START and at the ends of RUN, WAIT, CHUNK and IDLE, the runtime checks which processor the
// thread is on. The first MOVED of a stream gives the thread's first processor.
struct teff_rec_moved {
    teff_rec_head head;            // when: the move was noticed; the thread moved at some time since the previous check
    uint32_t processor, reserved0; // as in RUN
    uint64_t reserved[2];
};

// Written with preemption, by the asked worker, after it has looked for a task of higher priority.
// All requests that arrive before share one record. A worker may also ask itself, because a task
// became ready on it that cannot run yet.
struct teff_rec_request {
    teff_rec_head head; // when: the first request; flags: teff_request_end
    uint64_t task;      // the worker's task when it looked; 0: BY_ITSELF
    uint64_t ticks;     // until the worker looked; with PREEMPTED, until its task gave way; 0: not known
    int32_t priority;   // the highest priority that was requested
    uint32_t reserved;
};

// A window is a stretch of time in which the process was recorded. Windows are numbered, and
// number 0 begins with the recording. A recording without WINDOW records is one window. Every
// thread that joins another window writes a WINDOW with BEGINS; the earliest begins the window. If
// the thread was in an initial task, this task's CREATE and START follow, unless the stream has
// them already. The thread that ends a window writes one with ENDS. If there is none, the window
// ends with its last record. Records that threads store shortly after the end are in no window.
struct teff_rec_window {
    teff_rec_head head; // flags: TEFF_WINDOW_*
    uint64_t number;
    uint64_t reserved[2];
};

// A stretch of what a thread does (teff_span_begin, teff_span_end). Spans of a stream nest: an ENDS
// ends the newest. A span that has no ENDS ends with its window, or with the recording.
struct teff_rec_span {
    teff_rec_head head; // flags: TEFF_SPAN_*
    uint64_t task;      // the thread's task
    uint32_t name;      // this stream's id of the name; 0: there were too many names
    uint32_t depth;     // the number of spans around it
    uint64_t reserved;
};

// Comes before the name's first use in the stream.
struct teff_rec_name {
    teff_rec_head head;
    uint32_t name;       // this stream's id, from 1
    uint32_t name_bytes; // the tail: length of the name that follows, without terminator
    uint64_t reserved[2];
};

struct teff_rec_steal {
    teff_rec_head head;
    uint64_t task;
    uint32_t victim_stream, reserved0;
    uint64_t reserved1;
};

struct teff_rec_clock {
    teff_rec_head head;
    uint64_t ticks;
    uint64_t monotonic_ns, reserved;
};

struct teff_rec_start {
    teff_rec_head head;
    uint64_t task;
    uint64_t region, reserved;
};

struct teff_rec_group_begin {
    teff_rec_head head;
    uint64_t task;
    uint64_t reserved[2];
};

// The task does its thread's share of work that the compiler (static loops) or the program divides
// by thread number: from this question on, which stands for all others until the thread's next
// record, or, if the compiler says where such a loop is, from LOOP to LOOP_END. With SINGLE, the
// body of a `single` begins, and no work is shared until the thread's next barrier.
enum : uint8_t { TEFF_TEAM_SIZE_SINGLE = 1, TEFF_TEAM_SIZE_LOOP = 2, TEFF_TEAM_SIZE_LOOP_END = 4 };
struct teff_rec_team_size {
    teff_rec_head head; // when: omp_get_num_threads was called, or what the flag says took place
    uint64_t task;
    uint64_t iterations, reserved; // with the flag LOOP: of the whole loop, or its number of sections
};

struct teff_rec_lost {
    teff_rec_head head;
    uint64_t records; // number of lost records so far
    uint64_t reserved[2];
};

// Comes before the CREATE of its task.
struct teff_rec_priority {
    teff_rec_head head; // when: as in CREATE
    uint64_t task;
    int32_t priority; // the effective priority: limited to max-task-priority-var
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

// Written:
// - where a chunk begins,
// - where a thread takes over the stream, and where that thread ends,
// - where a RUN, WAIT or CHUNK ends, if the thread's last THREAD record is at least a millisecond
//   old.
//
// Several threads may use a stream, one after the other.
struct teff_rec_thread {
    teff_rec_head head;      // flags: TEFF_THREAD_*
    uint64_t cpu_ns;         // CPU time of the thread since it began
    uint64_t recorder_ticks; // the recorder's work on this stream's files and sites so far, by all
                             // threads of the stream; without storing records
    uint32_t os_thread;      // kernel thread id
    uint16_t waits;          // voluntary context switches so far, modulo 2^16
    uint16_t preemptions;    // ... and involuntary ones, including yields
};

// One interval in which the thread was off its processor, as the kernel tells it. Written at the
// thread's next THREAD record, so it may come after records of later intervals. A sleep within an
// IDLE has no record. A sleep includes the time until the thread got a processor again.
struct teff_rec_off {
    teff_rec_head head; // when: it lost or gave up its processor; flags: teff_off_reason
    uint64_t ticks;
    uint64_t reserved[2];
};

// Where the thread was when it had used another period of CPU time. Written as OFF is. Where the
// kernel does not show samples of its own code, `unseen` says how many it has left out since the
// thread's last SAMPLE record. They were evenly spaced in CPU time.
struct teff_rec_sample {
    teff_rec_head head; // when: the sample was taken; flags: TEFF_SAMPLE_*
    uint64_t address;   // absolute, in the program's code; 0: not known
    uint32_t module;    // this stream's module id of it (0: unknown)
    uint32_t unseen;
    uint64_t period_ns; // of CPU time
};

// Return addresses from the sampled function's caller outwards, without frames of the runtime at
// the inner end; then functions of Python, innermost first.
struct teff_rec_stack {
    teff_rec_head head;  // flags: TEFF_PATH_*
    uint32_t stack;      // this stream's id, from 1
    uint32_t tail_bytes; // the tail: frames, each a teff_stack_frame
    uint64_t reserved[2];
};
struct teff_stack_frame {
    uint64_t address; // absolute return address of the call; Python: the line (0: unknown)
    uint32_t module;  // this stream's module id (0: unknown); Python: the id of its CODE (0: unknown)
    uint32_t flags;   // 1: of Python; 2: C code has called this function of Python
};
struct teff_rec_code {
    teff_rec_head head;
    uint32_t code;       // this stream's id, from 1
    uint32_t text_bytes; // the tail: source file, newline, qualified name of the function
    uint64_t reserved[2];
};
struct teff_rec_sampled { // follows the SAMPLE that it is about
    teff_rec_head head;   // when: as the SAMPLE has it
    uint32_t stack, reserved0;
    uint64_t reserved[2];
};
struct teff_rec_samples {
    teff_rec_head head; // flags: TEFF_SAMPLES_*
    uint64_t lost;      // with LOST: how many, since the last such record
    uint64_t period_ns; // of CPU time
    uint64_t reserved;
};

// One period in which a thread held a lock. Written when the lock is released, by the releasing
// thread. Periods of less than 200 ns for which the thread did not wait are not recorded.
struct teff_rec_lock {
    teff_rec_head head;    // when: the lock was taken; flags: teff_lock_kind
    uint64_t task;         // the task that held the lock
    uint64_t address;      // address of the lock, or of the word for the critical's name; ORDERED: the loop's id
    uint64_t ticks_waited; // before `when`
    uint64_t ticks_held;   // from `when` on
    uint32_t site;
    uint32_t reserved;
};

// Not written yet: the memory that the process uses now, and its allocations by the runtime so far.
struct teff_rec_memory {
    teff_rec_head head;
    uint64_t footprint_bytes, runtime_bytes; // resident, and the runtime's part of it
    uint64_t allocations, allocated_bytes, reserved;
};

// Not written yet: one for each processor that the process may use, in stream 0. Unknown: ~0.
struct teff_rec_processor {
    teff_rec_head head;
    uint32_t processor, core, cache;    // as in RUN and CHUNK; the last-level cache
    uint32_t numa_node, package, place; // `place`: number of the place in OMP_PLACES
    uint64_t reserved[2];
};

// At the beginning of each chunk but a stream's first: docs/formats/trace.md.
struct teff_rec_sums {
    teff_rec_head head;
    uint64_t tasks, implicit_tasks, creation_ticks, task_ticks, waits, dependences, loops, chunks, loop_ticks;
    uint64_t regions, open_regions, region_ticks, open_initial_tasks, initial_tasks_began, first_initial_task;
    uint64_t idle_ticks, windows, off_ticks, reserved;
};

// The thread's task stood still: the recorder prepared the next chunk, or looked up a new site.
struct teff_rec_recorder {
    teff_rec_head head; // when: the interruption began
    uint64_t ticks;
    uint64_t reserved[2];
};

// A thread of the recorder's own prepared this chunk of the stream, while the stream's thread went
// on. Threads that lost this processor at that time may have lost it to the recorder.
struct teff_rec_prepared {
    teff_rec_head head; // when: the work began
    uint64_t ticks;     // how long it took
    uint32_t processor; // where it began; as in RUN
    uint32_t reserved0;
    uint64_t reserved;
};

// Written for a loop with ordered(n), in the stream of the thread that runs the iteration.
struct teff_rec_doacross {
    teff_rec_head head; // when: the source was reached, or the wait ended; flags: TEFF_DOACROSS_*
    uint64_t loop;
    uint64_t task;      // the implicit task that reached the source, or waited
    uint64_t iteration; // the source's iteration: its linear number in the loop nest, from 0
    uint64_t ticks_waited;
    uint64_t ticks; // source: from `when` until the program continued; sink: from reaching the sink
                    // until `when`, wait included (0: not known)
};

// Defines a counter of the stream's thread, before its first use: docs/formats/trace.md.
struct teff_rec_counter {
    teff_rec_head head;
    uint32_t counter;    // this stream's id, from 1
    uint32_t name_bytes; // the tail: length of the name that follows, without terminator
    uint64_t reserved[2];
};

// Values of the counters first_counter, first_counter + 1, ...
struct teff_rec_counts {
    teff_rec_head head;                 // when: the counters were read; flags: TEFF_COUNTS_*
    uint32_t first_counter;             // this stream's id
    uint32_t values_bytes;              // the tail: 8 for each value that follows
    uint64_t task;                      // the running task (0: none)
    uint32_t ticks_before, ticks_after; // with FRAGMENT: what reading took at its start; at its end, until `when`
};

// Written by the host of devices, in the stream of the thread that carried the construct out. One
// after another, the thread waited for the device, prepared, had the construct sent and run, and
// received: docs/formats/trace.md.
struct teff_rec_device {
    teff_rec_head head; // when: the construct was ready; flags: see teff_device_construct
    uint64_t task;      // that met the construct; with NOWAIT: the construct's own
    uint32_t site, device;
    uint64_t bytes_to, bytes_from; // of data
    uint64_t ticks_waited;         // until no other construct had the device
    uint64_t ticks_prepared;       // then until sending began: at its first use the device starts here
    uint64_t ticks_there;          // then until the answer began: all data were sent, and the region ran
    uint64_t ticks_received;       // then until the answer's data were there
    uint64_t ran_ns;               // the part of ticks_there in which the region ran, by the device's own clock
    uint64_t began, ended;         // added later: the device's counter before the region ran, and before the answer
};

struct teff_rec_exchange {
    teff_rec_head head;     // when: the host was about to send a message without content
    uint32_t device, ticks; // `ticks`: until the answer began
    uint64_t began, ended;  // as in DEVICE
};

// Not written yet: from here on the stream has a COUNTS record with flag THREAD once per period.
struct teff_rec_sampling {
    teff_rec_head head;
    uint32_t counter, reserved0; // this stream's id of the counter that triggers samples; 0: nanoseconds
    uint64_t period, reserved1;  // counts (or ns) between two samples
};
#endif
