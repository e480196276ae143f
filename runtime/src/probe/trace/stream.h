// SPDX-License-Identifier: Apache-2.0
//
// Stream: one worker's records of a recording, in the format of teff_trace.h.
//
// One worker's thread owns and writes the stream, without a lock and with few system calls: two per
// chunk (1 MiB) and one per millisecond. When the first part of a chunk is full, a separate thread
// prepares the next chunk, which the stream uses once the present chunk is full. The stream's
// thread is never preempted in the middle of a method (preempt/preempt.h), so a method ends before
// the next method begins, even if the thread switches between stacks. Every method appends one
// record. If no further chunk is available, the stream counts its records instead of storing them,
// and the program continues. After as many lost records as a chunk holds, the stream tries to get a
// chunk again, unless the recording's limit was reached (folder.h). Times are in ticks
// (base/clock.h); ids are those of teff_trace.h.
//
// Event points in the runtime test Worker::probes and do nothing if it is 0. A probe that is off
// costs only this branch.
//
// Crash safety: [trace-1] a record's payload is stored before its head (release), and the file is a
// shared mapping. So a reader that finds a record's head after this process was killed finds the
// whole record. No reader reads the file while the process writes it.
//
// [append-1] A signal handler may run between any two instructions of the thread, and may append
//            records, too. `is_storing` is true from before a record's space is taken until the
//            record's head is stored. Only signal handlers need this flag: while it is true, the
//            records that a handler appends are counted as lost, and the handler does not change
//            the chunk. Two signal fences keep the compiler from moving the record's stores out of
//            this interval.
//
// A forked child finds the stream all zero (stream_memory.h), and has no chunk. So the child writes
// nothing into its parent's recording, whatever the child does and however it was forked. Therefore
// all members being zero must be a valid state.
//
// [fork-1] A signal handler may fork, and the child then goes on in the middle of a method. The
//          values that the method read before the fork are the parent's; the values that it reads
//          after the fork are zero. So a method reads the place of a record only once, and reads
//          the chunk's end after that. If the fork comes between the two reads, the end is zero,
//          and the method finds that no space is left.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/cache_line.h"
#include "base/clock.h"
#include "base/wakes.h"
#include "probe/probes.h"
#include "probe/trace/call_paths.h"
#include "probe/trace/chunk_file.h"
#include "probe/trace/lock_holds.h"
#include "probe/trace/record_sizes.h"
#include "probe/trace/sample_ring.h"
#include "probe/trace/sample_stacks.h"
#include "probe/trace/short_records.h"
#include "probe/trace/site_table.h"
#include "probe/trace/spans.h"
#include "probe/trace/stream_memory.h"
#include "probe/trace/sums.h"
#include "probe/trace/switch_ring.h"
#include "probe/trace/this_processor.h"
#include "probe/trace/thread_counters.h"
#include "teff_trace.h"

namespace teff::probe::trace {

using base::Ticks;

class alignas(base::arch::kPageBytes) Stream {
    static constexpr Ticks kNegligiblePerCpuTime = 5'000; // 200 ns of 1 ms
    static constexpr std::uint32_t kMost32 = 0xffff'ffff; // what a field of 32 bits saturates at
    static constexpr std::uint64_t kTicksMask = (std::uint64_t{1} << 48) - 1;

    struct Cursor {
        char* at = nullptr;
        char* end = nullptr; // of the chunk, or of its first part. `at` and `end` null: no record can be stored
        Ticks base = 0;
        bool is_ours = false;    // false in a forked child, as the stream is its parent's
        bool is_storing = false; // [append-1]
    };
    Cursor cursor_;
    LastRecords last_;                 // of the chunk
    Sums sums_;                        // of the stream
    Ticks cpu_time_next_ = 0;          // when the thread's CPU time is read next
    std::uint32_t told_processor_ = 0; // 1 + the processor recorded last in this chunk; 0: none yet
    struct {
        std::uint32_t* cost = nullptr; // the field in the CREATE record; null: no creation is under way
        Ticks began = 0;
    } creation_;

  public:
    // The same instant on both clocks: in ticks, and in nanoseconds of the monotonic clock.
    struct Instant {
        Ticks ticks;
        std::uint64_t ns;
    };

    // Makes a stream in `memory`. Returns null if there is no memory. The stream's file is created
    // with its first chunk. `origin` is the recording's start. The stream reads its thread's CPU
    // time once in `cpu_time_every` ticks.
    [[nodiscard]] static Stream* make(StreamMemory& memory, Folder& folder, std::uint32_t number, Instant origin,
                                      Ticks cpu_time_every = kTicksMask);
    // For calibration.h: `make_at` makes a stream without a file at `place`. `store_into` lets the
    // stream store its next records into `memory`, from the beginning of `memory` on.
    static void make_at(void* place, Folder& folder);
    void store_into(char* memory, std::size_t bytes) {
        cursor_ = {.at = memory, .end = memory + bytes};
        at_once_ = nullptr;
        last_ = {};
    }

    // For tests only, on the stream's thread: waits until no other thread stores into the file.
    void settle() { file_.settle(); }
    // For tests only: ends the stream and unmaps its chunks; the memory that holds the stream stays
    // mapped. Streams outside of tests live as long as the process.
    static void unmake(Stream* stream);

    // Returns the id of a place in the program, or 0 if the place could not be stored. `call_site`
    // is the return address of the construct's call, `function` is the function that the construct
    // runs (or null). A known place costs one look into a small table; a new place writes a SITE
    // record (and a MODULE record).
    std::uint32_t site(const void* call_site, const void* function) {
        const std::uint32_t known = sites_.find(call_site, function);
        return TEFF_LIKELY(known != 0) ? known : look_again(call_site, function, Above::kCalls);
    }

    // Does the same as `site` at the start of a parallel region: call paths include lines of Python
    // there.
    std::uint32_t region_site(const void* call_site, const void* function) {
        const std::uint32_t known = sites_.find(call_site, function);
        return TEFF_LIKELY(known != 0) ? known : look_again(call_site, function, Above::kWithPython);
    }
    // Does the same as `site` without a call path: for a construct that was met on another thread
    // or earlier, whose callers are not on the stack now.
    std::uint32_t place(const void* call_site, const void* function) {
        const std::uint32_t known = sites_.find(call_site, function);
        return TEFF_LIKELY(known != 0) ? known : look_again(call_site, function, Above::kNothing);
    }
    // Returns the site of a wait, which runs no function. If the compiler made the wait's call a
    // jump, its return address lies in the runtime. Then the site is at the beginning of the
    // function that the task runs; calling `function` returns that function.
    template <class Function> std::uint32_t wait_site(const void* call_site, Function&& function) {
        if (TEFF_LIKELY(!is_in_runtime(call_site))) return site(call_site, nullptr);
        const auto* const body = static_cast<const char*>(function());
        return place(body != nullptr ? body + 1 : call_site, nullptr); // a reader subtracts 1
    }
    // Lets sites include the calls above them from now on, at most `depth` calls. Must be called
    // before the first site.
    void follow_calls(unsigned depth) { paths_ = CallPaths::make(depth); }

    // Keeps only the newest `chunks` chunks. Must be called before the first record.
    void keep_last(std::uint32_t chunks) { file_.keep_last(chunks); }

    // Lets the stream record when its thread was off its processor, where the kernel tells. The
    // kernel's records get at most `pages` pages. Must be called before the stream's first thread
    // begins. Has no effect if a forked child would find the ring's address, or if few mappings are
    // left for the ring.
    void follow_switches(std::size_t pages = SwitchRing::kMostPages) {
        if (keeps_from_children_ && prepares_) switch_pages_ = pages;
    }

    // Lets the stream record where its thread was, once in `period_ns` of its CPU time, where the
    // kernel allows it. The rest is as for follow_switches.
    void take_samples(std::uint64_t period_ns, std::size_t pages = SampleRing::kMostPages) {
        if (!keeps_from_children_ || !prepares_) return;
        sample_period_ns_ = period_ns;
        sample_pages_ = pages;
    }
    // Lets the samples include the calls above them. Called after take_samples.
    void take_stacks() {
        if (sample_pages_ != 0) stacks_ = SampleStacks::make();
    }
    // Called by the handler of the samples' signal (sample_signal.h), on the stream's thread.
    void take_stack(const void* context) {
        if (takes_stacks_) stacks_->take(context);
    }

    // Lets the stream count these events in each fragment (stream_counts.cpp), which live as long
    // as the stream. Must be called before the stream's first thread begins. Has no effect if a
    // forked child would find the counters open.
    void count_events(const CountedEvents& events) {
        if (keeps_from_children_ && prepares_ && events.count != 0) events_ = &events;
    }
    bool counts_events() const { return events_ != nullptr; }
    // Opens the counters of the calling thread, if they are not open. Called with the stream's
    // first record, or earlier in a forked child, whose task is under way before its first record.
    void open_counters(const Guest& guest);

    // fragment_begins: from here on, what the thread does is part of the task `task`, and of the
    // task's chunk if it is in one. fragment_ends: from here on it is part of no task. A fragment
    // that is under way when another one begins ends there. fragment_begins is called as the last
    // step of an event, and fragment_ends as the first one, so that the recorder's work is counted
    // in no fragment.
    TEFF_COLD void fragment_begins(std::uint64_t task, bool in_chunk);
    TEFF_COLD void fragment_ends();

    // Makes the stream compare each place, when it is met next, with the object that lies there
    // then: the program may have unloaded a library and loaded another library at its address.
    // Called by each member of a team when the member begins, and outside of parallel regions.
    void doubt_sites() { sites_.doubt_all(); }

    void create(Ticks when, std::uint8_t flags, std::uint64_t task, std::uint64_t parent, std::uint32_t site,
                Ticks cost) {
        char* const at = begin_record(sizeof(teff_rec_create));
        if (TEFF_UNLIKELY(at == nullptr)) return;
        const std::uint32_t saturated = saturate_32(length(0, cost));
        store_creation(at, when, flags, task, parent, site, saturated);
        sums_.created(flags, parent, saturated, when);
        end_record();
    }
    // Records the creation of a task that goes on after the record. `creation_ends` stores into the
    // record how long the creation took. If a new chunk or another creation begins earlier, the
    // creation counts only until then.
    void creation_begins(Ticks when, std::uint8_t flags, std::uint64_t task, std::uint64_t parent, std::uint32_t site) {
        if (TEFF_UNLIKELY(creation_.cost != nullptr)) creation_ends(when);
        char* const at = begin_record(sizeof(teff_rec_create));
        if (TEFF_UNLIKELY(at == nullptr)) return;
        creation_ = {.cost = store_creation(at, when, flags, task, parent, site, 0), .began = when};
        sums_.created();
        end_record();
    }
    // Whether a creation is under way, and when it began.
    bool is_creating() const { return creation_.cost != nullptr; }
    Ticks creation_began() const { return creation_.began; }
    void creation_ends(Ticks now) {
        const bool was_storing = set_storing(true); // no handler changes the chunk meanwhile
        if (std::uint32_t* const cost = std::exchange(creation_.cost, nullptr); cost != nullptr) {
            const std::uint32_t ticks = saturate_32(length(creation_.began, now));
            std::atomic_ref(*cost).store(ticks, std::memory_order_relaxed);
            sums_.creation_took(ticks);
        }
        (void)set_storing(was_storing);
    }
    // The same for a task of this region whose creator runs it at once, when the creation has
    // ended. task_ends_at_once: the body, which began where the creation ended, has ended.
    // `record`: what task_begins_at_once has returned. Returns true if that record now stands for
    // RUN and WAIT, too (teff_rec_short_task); false if the caller has to record them, because
    // other records came in between, or differ too much.
    const char* task_begins_at_once(Ticks when, std::uint8_t flags, std::uint64_t task, std::uint64_t parent,
                                    std::uint32_t site, std::uint64_t region) {
        if (TEFF_UNLIKELY(creation_.cost != nullptr)) creation_ends(when);
        char* const at = begin_record(sizeof(teff_rec_create));
        at_once_ = nullptr;
        if (TEFF_UNLIKELY(at == nullptr)) return nullptr;
        std::uint32_t* cost;
        if (TEFF_LIKELY(last_.has_task_like(task, parent, site, region))) {
            last_.created(task, parent, site);
            at_once_ = store_short<TEFF_REC_SHORT_TASK, teff_rec_create>(at, flags, when, teff_rec_short_task{});
            cost = &at_once_->cost_ticks;
        } else {
            cost = store_creation(at, when, flags, task, parent, site, 0);
        }
        creation_ = {.cost = cost, .began = when};
        sums_.created();
        end_record();
        return at;
    }
    bool task_ends_at_once(const char* record, Ticks began, Ticks ended) {
        const unsigned processor = processor_at(ended);
        const Ticks ticks = length(began, ended);
        const bool was_storing = set_storing(true);                         // no handler changes the chunk meanwhile
        teff_rec_short_task* const task = std::exchange(at_once_, nullptr); // as a buffer is used again
        const bool is_last =
            task != nullptr && reinterpret_cast<const char*>(task) == record && cursor_.at == record + sizeof *task;
        const bool is_whole = is_last && last_.runs_on(processor) && ticks < kMost32 && task->cost_ticks < kMost32;
        if (TEFF_LIKELY(is_whole))
            std::atomic_ref(task->ran).store(static_cast<std::uint32_t>(ticks) + 1, std::memory_order_relaxed);
        (void)set_storing(was_storing);
        if (TEFF_LIKELY(is_whole)) pass(ended);
        return is_whole;
    }
    void start(Ticks when, std::uint64_t task, std::uint64_t region) {
        (void)processor_at(when);
        append<TEFF_REC_START>(0, when, teff_rec_start{0, task, region, 0});
    }
    void run(Ticks start, Ticks end, std::uint8_t flags, std::uint64_t task, std::uint64_t region) {
        store_run(flags, start, task, with_processor(start, end), region);
        pass(end);
    }
    void wait(Ticks begin, Ticks end, teff_wait_kind kind, std::uint64_t task, std::uint32_t site,
              std::uint32_t barrier, std::uint32_t departures = 0) {
        const std::uint64_t ticks = length(begin, end) | std::uint64_t{saturate_16(departures)} << 48;
        (void)processor_at(end);
        store_wait(kind, begin, teff_rec_wait{0, task, ticks, site, barrier});
        pass(end);
    }
    void region(Ticks when, std::uint64_t region, std::uint64_t parent, std::uint32_t site, std::uint32_t threads,
                std::uint32_t requested, std::uint32_t level) {
        const teff_rec_region record{0, region, parent, site, threads, requested, level, 0};
        append<TEFF_REC_REGION>(0, when, record, [&] { sums_.region_began(when); });
    }
    void region_end(Ticks when, std::uint64_t region) {
        append<TEFF_REC_REGION_END>(0, when, teff_rec_region_end{0, region, {}}, [&] { sums_.region_ended(when); });
    }
    void loop(Ticks when, std::uint8_t flags, std::uint64_t loop, std::uint64_t region, std::uint32_t site,
              std::uint32_t threads, std::int64_t lb, std::int64_t ub, std::int64_t step, std::int64_t chunk) {
        const teff_rec_loop record{0, loop, region, site, threads, lb, ub, step, chunk};
        append<TEFF_REC_LOOP>(flags, when, record, [&] { sums_.loop_began(); });
    }
    void chunk(Ticks start, Ticks end, std::uint64_t loop, std::uint64_t task, std::int64_t first,
               std::uint64_t iterations) {
        store_chunk(start, teff_rec_chunk{0, loop, task, first, iterations, with_processor(start, end)});
        pass(end);
    }
    void loop_thread(Ticks enter, Ticks leave, std::uint64_t loop, std::uint64_t task) {
        const Ticks ticks = length(enter, leave);
        append<TEFF_REC_LOOP_THREAD>(0, enter, teff_rec_loop_thread{0, loop, task, ticks},
                                     [&] { sums_.was_in_loop(ticks); });
    }
    void group_begin(Ticks when, std::uint64_t task) {
        append<TEFF_REC_GROUP_BEGIN>(0, when, teff_rec_group_begin{0, task, {}});
    }
    // Records that the program asked for the team's size. Records nothing if the stream's last
    // record is such a record, as programs may ask in every iteration.
    void team_size(Ticks when, std::uint64_t task) {
        if (cursor_.at == behind_team_size_) return;
        append<TEFF_REC_TEAM_SIZE>(0, when, teff_rec_team_size{0, task, 0, 0});
        behind_team_size_ = cursor_.at;
    }
    void single(Ticks when, std::uint64_t task) {
        append<TEFF_REC_TEAM_SIZE>(TEFF_TEAM_SIZE_SINGLE, when, teff_rec_team_size{0, task, 0, 0});
    }
    void static_loop(Ticks when, std::uint64_t task, std::uint64_t iterations) {
        append<TEFF_REC_TEAM_SIZE>(TEFF_TEAM_SIZE_LOOP, when, teff_rec_team_size{0, task, iterations, 0});
    }
    void static_loop_end(Ticks when, std::uint64_t task) {
        append<TEFF_REC_TEAM_SIZE>(TEFF_TEAM_SIZE_LOOP_END, when, teff_rec_team_size{0, task, 0, 0});
    }
    void dependence(Ticks when, std::uint8_t flags, std::uint64_t successor, std::uint64_t predecessor,
                    std::uint64_t address) {
        char* const at = begin_record(sizeof(teff_rec_dep));
        if (TEFF_UNLIKELY(at == nullptr)) return;
        const LastRecords::Near near = last_.near(successor, predecessor, address);
        if (TEFF_LIKELY(near.is_near))
            store_short<TEFF_REC_SHORT_DEP, teff_rec_dep>(at, flags, when,
                                                          teff_rec_short_dep{0, near.back, near.address});
        else store<TEFF_REC_DEP>(at, flags, when, teff_rec_dep{0, successor, predecessor, address});
        last_.depended(address, near);
        sums_.depended();
        end_record();
    }
    void priority(Ticks when, std::uint64_t task, std::int32_t priority) {
        append<TEFF_REC_PRIORITY>(0, when, teff_rec_priority{0, task, priority, 0, 0});
    }
    void fulfil(Ticks when, Ticks end, std::uint8_t flags, std::uint64_t task) {
        append<TEFF_REC_FULFIL>(flags, when, teff_rec_fulfil{0, task, length(when, end), 0});
    }
    // `held` is when the hold ended.
    void lock(teff_lock_kind kind, std::uint64_t address, const LockHold& hold, Ticks held, std::uint32_t site) {
        append<TEFF_REC_LOCK>(kind, hold.had,
                              teff_rec_lock{0, hold.task, address, hold.waited, length(hold.had, held), site, 0});
    }
    // Returns true if the hold need not be recorded: the thread took the lock without waiting, and
    // held it for less than 200 ns. Otherwise a program that takes a lock for each pixel would
    // write gigabytes of records that answer no further question.
    bool is_negligible(const LockHold& hold, Ticks held_until) const {
        return hold.waited == 0 && held_until - hold.had < cpu_time_every_ / kNegligiblePerCpuTime;
    }
    // `ticks` is how long the construct took, see teff_rec_doacross.
    void doacross(Ticks when, std::uint8_t flags, std::uint64_t loop, std::uint64_t task, std::uint64_t iteration,
                  Ticks waited, Ticks ticks) {
        append<TEFF_REC_DOACROSS>(flags, when, teff_rec_doacross{0, loop, task, iteration, waited, ticks & kTicksMask});
    }
    void idle(Ticks begin, Ticks end, std::uint32_t sleep) {
        (void)processor_at(end);
        const Ticks ticks = length(begin, end);
        append<TEFF_REC_IDLE>(0, begin, teff_rec_idle{0, ticks, sleep, 0}, [&] { sums_.idled(ticks); });
        if (TEFF_UNLIKELY(switches_.is_open() && switches_.note_sleep(begin, end))) tell_switches();
    }
    void wake(const base::Wake& wake) {
        append<TEFF_REC_WAKE>(wake.cause, wake.when,
                              teff_rec_wake{0, wake.sleeper, wake.sleep, wake.ticks & kTicksMask, 0});
    }
    // `asked`: when the worker was asked; 0: not known. `looked`: when the worker then looked
    // for another task.
    void request(Ticks asked, Ticks looked, teff_request_end end, std::uint64_t task, std::int32_t priority) {
        const Ticks when = asked != 0 ? asked : looked;
        append<TEFF_REC_REQUEST>(end, when, teff_rec_request{0, task, length(when, looked), priority, 0});
    }
    void steal(Ticks when, std::uint64_t task, std::uint32_t victim_stream) {
        append<TEFF_REC_STEAL>(0, when, teff_rec_steal{0, task, victim_stream, 0, 0});
    }

    void device(Ticks when, unsigned flags, const teff_rec_device& record) {
        append<TEFF_REC_DEVICE>(flags, when, record);
    }
    void exchange(Ticks when, const teff_rec_exchange& record) { append<TEFF_REC_EXCHANGE>(0, when, record); }

    // The locks of the program that the stream's thread has taken and that are still held.
    LockHolds& lock_holds() { return lock_holds_; }

    // Called by a thread that becomes the stream's thread (`begin_thread`) or that ends
    // (`end_thread`). `begin_thread` makes the stream's first chunk before the first event needs
    // it, as making a chunk takes longer than many tasks. `came` is when the recorder began its
    // work for this thread.
    void begin_thread(Ticks came = base::ticks());
    void end_thread();

    // Called by a thread that ends while it is not recorded.
    void leave_thread() { os_thread_.store(0, std::memory_order_relaxed); }

    // The thread's sinks, from which `silence` removes the recording when a window has ended, at
    // `when`. `serve` is called by the stream's thread; any thread may call `silence` and
    // `is_heard`.
    void serve(Sinks& sinks) { sinks_.store(&sinks, std::memory_order_relaxed); }
    void silence(Ticks when) {
        Sinks* const sinks = sinks_.load(std::memory_order_relaxed);
        if (sinks == nullptr) return;
        if ((*sinks & kTrace) != 0) silenced_at_.store(when, std::memory_order_relaxed);
        sinks->remove(kTrace | kFragments); // [window-1]
    }
    // When the last window ended that the thread was in. A thread that has just been silenced may
    // find an older time.
    Ticks silenced_at() const { return silenced_at_.load(std::memory_order_relaxed); }
    bool is_heard() const {
        const Sinks* const sinks = sinks_.load(std::memory_order_relaxed);
        return sinks != nullptr && (*sinks & kTrace) != 0;
    }

    // begin_window: the thread joins the window `number` (window.h); `task` is its initial task, or
    // 0. end_window: the thread has ended the window, at `when`. Called by the stream's thread.
    void begin_window(std::uint32_t number, std::uint64_t task);
    void end_window(std::uint32_t number, Ticks when);

    // span_begin: a span of this name begins in the task. span_end: the span that began last ends.
    // A span is also noted while the thread is not recorded, as a window may begin within it.
    void span_begin(const char* name, std::uint64_t task);
    void span_end(std::uint64_t task);

    // Records an initial task that begins now.
    void initial_task(Ticks when, std::uint64_t task);

    // Called in a forked child instead of `begin_thread`. With its first record the stream calls
    // `begin`, which returns whether the process is recorded now. If it is, the stream records
    // `task` as an initial task that begins at that time.
    using Begin = bool (*)(const Guest&);
    void begin_with(std::uint64_t task, Begin begin) {
        first_task_ = task;
        begin_ = begin;
    }

    // Stores what the runtime has counted of the thread's turns so far (team/turns.h), for
    // end.json. Called by the stream's thread only.
    struct Turns {
        std::uint64_t turns = 0, hasty_turns = 0, hasty_ticks = 0;
    };
    void note_turns(const Turns& turns);

    // Ends the stream with its last records: CLOCK, THREAD unless the thread has ended already, and
    // LOST if records were lost. Called by the stream's thread only.
    void close();

    // Called in a forked child: the stream stores nothing from now on. If the kernel has zeroed the
    // stream at the fork, the call changes nothing.
    void abandon() { cursor_ = {}; }

    // Returns the beginning of the chunk in memory, or null if there is none.
    void* chunk() const { return file_.place(); }

    // See ChunkFile. Both run apart (apart.h), on any thread, when the recording is over.
    std::uint64_t seal() { return file_.seal(); }
    void trim() { file_.trim(); }

    // May be called by any thread. `thread_cpu_ns` returns the CPU time of the stream's thread in
    // nanoseconds, or 0 if the thread has ended.
    std::uint64_t lost_records() const { return lost_.load(std::memory_order_relaxed); }
    std::uint64_t thread_cpu_ns() const;
    Turns turns() const;
    Stream* next = nullptr; // in the recording's list

  private:
    // Records the time from its construction to its destruction as the recorder's own. If one
    // OwnTime lives within another, only the outer one records its time.
    class OwnTime {
      public:
        explicit OwnTime(Stream& stream, Ticks began = base::ticks());
        ~OwnTime();
        OwnTime(const OwnTime&) = delete;
        OwnTime& operator=(const OwnTime&) = delete;

      private:
        Stream& stream_;
        const bool is_outermost_;
        bool interrupts_ = false; // a fragment whose events are counted
    };

    Stream(Folder& folder, std::uint32_t number, Instant origin, Ticks cpu_time_every, bool keeps_from_children,
           bool prepares);

    static bool is_backwards(Ticks difference) { return (difference >> 63) != 0; }
    static std::uint32_t saturate_32(Ticks ticks) {
        return ticks > kMost32 ? kMost32 : static_cast<std::uint32_t>(ticks);
    }
    static std::uint16_t saturate_16(std::uint32_t number) {
        return number > 0xffff ? std::uint16_t{0xffff} : static_cast<std::uint16_t>(number);
    }
    // Returns the ticks from `begin` to `end`, limited to 48 bits; 0 if `end` is before `begin`.
    Ticks length(Ticks begin, Ticks end) {
        const Ticks ticks = end - begin;
        return TEFF_LIKELY(ticks <= kTicksMask) ? ticks : odd_length(ticks);
    }
    std::uint64_t with_processor(Ticks begin, Ticks end) {
        return length(begin, end) | static_cast<std::uint64_t>(processor_at(end) & 0xffff) << 48;
    }

    // Returns the processor on which the thread runs now. Records the processor if it differs from
    // the processor recorded last.
    unsigned processor_at(Ticks now) {
        const unsigned processor = this_processor();
        if (TEFF_UNLIKELY(processor + 1 != told_processor_)) tell_processor(now, processor);
        return processor;
    }

    // HOT append_within_a_chunk. Returns false if the record is lost. `add` adds the record to the
    // sums.
    template <teff_record_type type, class Record> bool append(unsigned flags, Ticks when, const Record& record) {
        return append<type>(flags, when, record, [] {});
    }
    template <teff_record_type type, class Record, class Add>
    bool append(unsigned flags, Ticks when, const Record& record, Add&& add) {
        char* const at = begin_record(sizeof(Record));
        if (TEFF_UNLIKELY(at == nullptr)) return false;
        store<type>(at, flags, when, record);
        add();
        end_record();
        return true;
    }

    // [append-1] Takes space for a record and returns it; returns null if the record is lost. The
    // caller stores the whole record there, and then calls end_record.
    char* begin_record(std::size_t bytes) {
        if (TEFF_UNLIKELY(cursor_.is_storing)) return lose();
        (void)set_storing(true);
        char* at = cursor_.at;
        if (TEFF_UNLIKELY(!has_room(at, bytes))) {
            if (!find_room(bytes)) return nullptr;
            at = cursor_.at;
            if (!has_room(at, bytes)) return lose(); // [fork-1]
        }
        cursor_.at = at + bytes;
        return at;
    }
    void end_record() { (void)set_storing(false); }

    bool set_storing(bool is_storing) {
        std::atomic_signal_fence(std::memory_order_seq_cst); // [append-1]
        const bool before = std::exchange(cursor_.is_storing, is_storing);
        std::atomic_signal_fence(std::memory_order_seq_cst); // [append-1]
        return before;
    }

    template <teff_record_type type, class Record>
    Record* store(char* at, unsigned flags, Ticks when, const Record& record) {
        static_assert(sizeof(Record) == kRecordSizes.fixed_bytes(type), "as the chunk's header says");
        auto* target = reinterpret_cast<Record*>(at);
        *target = record; // field by field, as a copy of bytes would wait for the fields to be stored elsewhere first
        Ticks since_base = when - cursor_.base;
        if (TEFF_UNLIKELY(since_base > kTicksMask)) since_base = is_backwards(since_base) ? 0 : kTicksMask;
        std::atomic_ref<std::uint64_t>(target->head)
            .store(since_base << 16 | flags << 8 | type, std::memory_order_release); // [trace-1]
        return target;
    }

    // Stores the short form of a record where begin_record has taken space for a Whole record, and
    // gives the rest of this space back.
    template <teff_record_type type, class Whole, class Short>
    Short* store_short(char* at, unsigned flags, Ticks when, const Short& record) {
        cursor_.at = at + sizeof(Short);
        static_assert(sizeof(Short) < sizeof(Whole));
        return store<type>(at, flags, when, record);
    }

    // Stores a CREATE record where begin_record has taken space for it. Returns the record's field
    // for the cost.
    std::uint32_t* store_creation(char* at, Ticks when, std::uint8_t flags, std::uint64_t task, std::uint64_t parent,
                                  std::uint32_t site, std::uint32_t cost) {
        const bool is_next = last_.has_next(task, parent);
        last_.created(task, parent, site);
        if (TEFF_LIKELY(is_next))
            return &store_short<TEFF_REC_SHORT_CREATE, teff_rec_create>(at, flags, when,
                                                                        teff_rec_short_create{0, site, cost})
                        ->cost_ticks;
        return &store<TEFF_REC_CREATE>(at, flags, when, teff_rec_create{0, task, parent, site, cost})->cost_ticks;
    }

    void store_run(std::uint8_t flags, Ticks start, std::uint64_t task, std::uint64_t ticks_and_cpu,
                   std::uint64_t region) {
        char* const at = begin_record(sizeof(teff_rec_run));
        if (TEFF_UNLIKELY(at == nullptr)) return;
        if (TEFF_LIKELY(last_.has_like(task, ticks_and_cpu, region)))
            store_short<TEFF_REC_SHORT_RUN, teff_rec_run>(
                at, flags, start, teff_rec_short_run{0, LastRecords::ticks_and_task(task, ticks_and_cpu)});
        else store<TEFF_REC_RUN>(at, flags, start, teff_rec_run{0, task, ticks_and_cpu, region});
        last_.ran(ticks_and_cpu, region);
        sums_.ran(flags, ticks_and_cpu & kTicksMask);
        if (TEFF_UNLIKELY((flags & TEFF_RUN_INITIAL) != 0)) sums_.initial_task_ended(start);
        end_record();
    }

    void store_wait(teff_wait_kind kind, Ticks begin, const teff_rec_wait& wait) {
        char* const at = begin_record(sizeof wait);
        if (TEFF_UNLIKELY(at == nullptr)) return;
        const bool is_short = last_.has_like_wait(kind, wait.task, wait.ticks_and_ordinal, wait.site, wait.barrier);
        if (TEFF_LIKELY(is_short))
            store_short<TEFF_REC_SHORT_WAIT, teff_rec_wait>(
                at, kind, begin,
                teff_rec_short_wait{0, LastRecords::ticks_and_task(wait.task, wait.ticks_and_ordinal)});
        else store<TEFF_REC_WAIT>(at, kind, begin, wait);
        last_.waited(kind, wait.site);
        sums_.waited(wait.ticks_and_ordinal & kTicksMask);
        end_record();
    }

    void store_chunk(Ticks start, const teff_rec_chunk& chunk) {
        char* const at = begin_record(sizeof chunk);
        if (TEFF_UNLIKELY(at == nullptr)) return;
        const bool is_short =
            last_.has_like_chunk(chunk.loop, chunk.task, chunk.first, chunk.iterations, chunk.ticks_and_cpu);
        if (TEFF_LIKELY(is_short))
            store_short<TEFF_REC_SHORT_CHUNK, teff_rec_chunk>(
                at, 0, start, teff_rec_short_chunk{0, last_.ticks_and_first(chunk.first, chunk.ticks_and_cpu)});
        else store<TEFF_REC_CHUNK>(at, 0, start, chunk);
        last_.chunk_ran(chunk.loop, chunk.task, chunk.first, chunk.iterations, chunk.ticks_and_cpu);
        sums_.chunk_ran(chunk.ticks_and_cpu & kTicksMask);
        end_record();
    }

    // Called when an interval of the thread has ended: records the thread's CPU time if it is due.
    void pass(Ticks now) {
        if (TEFF_UNLIKELY(now >= cpu_time_next_)) tell_cpu_time();
    }

    // Returns true if `bytes` fit between `at` and the end. [fork-1] The caller reads `at` before.
    bool has_room(const char* at, std::size_t bytes) const {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        return reinterpret_cast<std::uintptr_t>(at) + bytes <= reinterpret_cast<std::uintptr_t>(cursor_.end);
    }
    bool has_room(std::size_t bytes) const { return has_room(cursor_.at, bytes); }

    TEFF_COLD Ticks odd_length(Ticks ticks);
    TEFF_COLD void tell_cpu_time();
    TEFF_COLD void tell_switches();
    TEFF_COLD void tell_processor(Ticks now, unsigned processor);
    // What a site includes of the calls above it, if the stream follows calls. If it does, `sites_`
    // stays empty, so that every site is looked up by its path.
    enum class Above : std::uint8_t { kNothing, kCalls, kWithPython };
    TEFF_COLD std::uint32_t look_again(const void* call_site, const void* function, Above above);
    std::uint32_t site_with_path(CallPaths& paths, const void* call_site, const void* function, Above above);
    CallPaths::Path path_to(CallPaths& paths, const void* call_site, const void* function, Above above);
    std::uint32_t write_site_with_path(CallPaths& paths, const void* call_site, const void* function,
                                       const CallPaths::Path& path);
    bool write_path(CallPaths& paths, std::uint32_t site, const CallPaths::Path& path);
    std::uint32_t add_site(const void* call_site, const void* function, std::uint64_t objects);
    std::uint32_t write_site(const void* call_site, const void* function);
    bool look_for_module(std::uintptr_t address);
    void make_room_for_site();
    std::uint32_t module_of(std::uintptr_t address);
    std::uint32_t number_of(const LoadedModule& module);
    std::uint32_t add_module(const LoadedModule& module);
    // Makes space for a record: in a fresh chunk, which holds any record, or in the rest of the
    // present chunk. Returns false if there is no space; then the record is counted as lost, and
    // `is_storing` is false.
    TEFF_COLD bool find_room(std::size_t bytes);
    TEFF_COLD char* lose();
    bool next_chunk();
    bool may_try() const { return cursor_.is_ours && lost_records() >= try_again_at_; }
    bool try_next_chunk();
    bool begins(const Guest& guest);
    void write_first_task();
    Spans* own_spans();
    void write_span(Ticks when, unsigned flags, std::uint32_t name, std::uint32_t depth, std::uint64_t task);
    void write_name(Spans& spans, std::uint32_t name);
    void write_open_spans();
    void forget_places();
    bool open_next_chunk(const Guest& guest);
    bool is_at_end_of_part() const { return cursor_.end != chunk_end_; }
    void pass_end_of_part(const Guest& guest);
    void begin_chunk(char* chunk);
    void give_up(const Guest& guest, const ChunkFile::Failure& failure);
    Instant choose_base() const;
    void write_clock();
    void write_sums();
    void note_own_thread();
    void take_over(const Guest& guest, Ticks came);
    void open_rings(const Guest& guest);
    void close_rings();
    bool has_rings() const { return switch_pages_ != 0 || sample_pages_ != 0 || events_ != nullptr; }
    void write_switches();
    bool are_switches_told();
    void say_refused(const Guest& guest, unsigned event, const ThreadCounters::Refused& refused) const;
    void end_fragment();
    bool interrupt_fragment();
    void continue_fragment();
    void write_counters();
    void write_counts(unsigned flags, std::uint64_t task, const ThreadCounters::Values& values, unsigned count,
                      Ticks reading_since);
    void write_counts_of_thread();
    void open_samples(const Guest& guest);
    void write_samples();
    void write_sample(const SampleRing::Hit& hit);
    void write_stack_of(const SampleRing::Hit& hit);
    void write_stack(const SampleStacks::Stack& stack, std::uint32_t number, Ticks when);
    void write_code(std::uint32_t number, const PythonFrames::Text& text);
    void look_after_signal(const Guest& guest);
    void say_unread_python(const Guest& guest) const;
    std::uint32_t module_of_sample(std::uintptr_t address, Ticks when);
    Ticks present_since(const LoadedModule& module) const;
    void write_thread(std::uint8_t flags);
    bool write_thread_so_far();
    void write_lost();
    void write_preparation();

    // Of the task that began at once last, if it is in this chunk and none such has ended since.
    teff_rec_short_task* at_once_ = nullptr;
    char* chunk_end_ = nullptr;
    bool prepares_;            // whether the next chunk is prepared while the present one fills
    bool keeps_from_children_; // children get no chunk; they need none, as they find the stream zero
    ChunkFile file_;
    SiteTable sites_;
    CallPaths* paths_ = nullptr;         // null: calls are not followed
    std::atomic<bool> adds_site_{false}; // tells signal handlers that a new site is being added
    ModuleTable modules_;
    LoadedModule loaded_;    // the module that was looked up last
    Spans* spans_ = nullptr; // null: the thread has had no span
    LockHolds lock_holds_;
    SwitchRing switches_;
    std::size_t switch_pages_ = 0;  // 0: switches are not followed
    bool writes_switches_ = false;  // write_switches is under way
    bool has_all_switches_ = false; // since the last THREAD record
    ThreadCounters counters_;
    const CountedEvents* events_ = nullptr; // null: nothing is counted
    std::uint32_t first_counter_ = 0;       // this stream's id of the thread's first counter
    std::uint32_t last_counter_ = 0;        // the highest id that was given
    std::uint32_t counters_of_ = 0;         // the thread that they are of
    bool are_counters_told_ = false;        // the present counters have COUNTER records
    ThreadCounters::Values counters_began_; // when they were opened
    // What is counted of the fragment that is under way.
    struct {
        std::uint64_t task = 0; // 0: none is under way
        bool in_chunk = false;
        bool is_busy = false;                 // a signal's handler came in the middle of a change: it changes nothing
        ThreadCounters::Values began, so_far; // `so_far`: before `began`, without interruptions
        Ticks reading = 0;                    // what the reading at its begin took
    } fragment_;
    SampleRing samples_;
    std::size_t sample_pages_ = 0; // 0: no samples are taken
    std::uint64_t sample_period_ns_ = 0;
    SampleStacks* stacks_ = nullptr;  // null: samples have no stacks
    bool takes_stacks_ = false;       // whether the signals of samples have an effect
    LoadedModule sampled_;            // in which the last sample was; all zero at first
    ObjectCopy copy_of_sampled_;      // for looking it up
    std::uint32_t sampled_round_ = 0; // the round of `sites_` in which it was found
    std::uint32_t sampled_loads_ = 0; // how many objects had been loaded by then
    Ticks sampled_since_ = 0;         // when it is known to have been there
    Instant origin_;
    Begin begin_ = nullptr; // of begin_with; null: the recording has begun
    std::uint64_t first_task_ = 0;
    std::uint64_t initial_task_ = 0; // the initial task that was recorded last
    std::atomic<Sinks*> sinks_{nullptr};
    std::atomic<Ticks> silenced_at_{0};
    const char* behind_team_size_ = nullptr; // where the last record of team_size ends
    Ticks cpu_time_every_;
    Ticks recorder_ticks_ = 0;       // of ended OwnTimes
    Ticks own_time_began_ = 0;       // 0: no OwnTime lives
    std::uint64_t try_again_at_ = 0; // the number of lost records at which a chunk is tried again
    // Written by the stream's thread only; may be read by any thread.
    std::atomic<std::uint64_t> lost_{0};
    std::atomic<std::uint32_t> os_thread_{0}; // 0: the thread has ended
    std::atomic<std::uint64_t> turns_{0}, hasty_turns_{0}, hasty_ticks_{0};
    std::uint32_t number_;
};

} // namespace teff::probe::trace
