// SPDX-License-Identifier: Apache-2.0
//
// Stream: one worker's records of a recording, in the format of teff_trace.h.
//
// One worker's thread owns and writes it, without a lock and with few system calls: two per chunk
// (1 MiB) and one per millisecond. When a part of a chunk is full, a separate thread prepares the
// next one, which is used from the chunk's end on. The stream's thread is never preempted in the
// middle of a method (preempt/preempt.h), so a method ends before the next one begins, however many
// stacks the thread has. Every method appends one record. Where there is no further chunk, its
// records are counted instead of stored and the program goes on; after as many as a chunk holds,
// the stream tries again, unless the recording's limit was reached (folder.h). Times are ticks
// (base/clock.h), ids as in teff_trace.h.
//
// Event points in the runtime test Worker::probes and do nothing when it is 0: that one branch is
// the cost of a probe that is off.
//
// Crash safety: [trace-1] a record's payload is stored before its head (release), and the file is a
// shared mapping. So a reader that finds a head after this process was killed finds the whole
// record. There is no reader while we write.
//
// [append-1] Handlers of signals may come in between any two instructions, and append, too. From
//            before a record's space is taken until its head is stored `is_storing` says so, to
//            them only: what they append meanwhile is counted as lost, and they do not change the
//            chunk. Two signal fences keep the compiler from moving the record out of that.
//
// A forked child finds the stream all zero (stream_memory.h), and no chunk. So whatever it does,
// and however it was forked, it writes nothing into its parent's recording. Therefore all members
// being zero must be a valid state.
//
// [fork-1] The child may come from a handler, and go on in the middle of a method: what was read
//          before is its parent's, what is read after is zero. So the place of a record is read
//          once, and before the chunk's end: an end that is zero leaves no space.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/cache_line.h"
#include "base/clock.h"
#include "base/wakes.h"
#include "probe/trace/call_paths.h"
#include "probe/trace/chunk_file.h"
#include "probe/trace/lock_holds.h"
#include "probe/trace/record_sizes.h"
#include "probe/trace/short_records.h"
#include "probe/trace/site_table.h"
#include "probe/trace/stream_memory.h"
#include "probe/trace/this_processor.h"
#include "teff_trace.h"

namespace teff::probe::trace {

using base::Ticks;

class alignas(base::arch::kPageBytes) Stream {
    static constexpr Ticks kNegligiblePerCpuTime = 5'000; // 200 ns of 1 ms
    static constexpr std::uint64_t kTicksMask = (std::uint64_t{1} << 48) - 1;

    struct Cursor {
        char* at = nullptr;
        char* end = nullptr; // of the chunk, or of its first part. Both null: nothing can be stored now
        Ticks base = 0;
        bool is_ours = false;    // else it is a parent's
        bool is_storing = false; // [append-1]
    };
    Cursor cursor_;
    LastRecords last_;                 // of the chunk
    Ticks cpu_time_next_ = 0;          // then it is read again
    std::uint32_t told_processor_ = 0; // 1 + the number; 0: none yet
    struct {
        std::uint32_t* cost = nullptr; // in its record; null: none is under way
        Ticks began = 0;
    } creation_;

  public:
    // One instant on both clocks.
    struct Instant {
        Ticks ticks;
        std::uint64_t ns;
    };

    // Null: there is no memory. Its file comes with its first chunk. `origin` is the recording's
    // start. As often as `cpu_time_every` says, the stream reads its thread's CPU time.
    [[nodiscard]] static Stream* make(StreamMemory& memory, Folder& folder, std::uint32_t number, Instant origin,
                                      Ticks cpu_time_every = kTicksMask);
    // For calibration.h: one at `place`, without a file, that stores what it is told to into
    // `memory`, from its beginning each time that this is called.
    static void make_at(void* place, Folder& folder);
    void store_into(char* memory, std::size_t bytes) {
        cursor_ = {.at = memory, .end = memory + bytes};
        last_ = {};
    }

    // For tests: others live as long as the process. Its own memory stays.
    static void unmake(Stream* stream);

    // The id of a place in the program: `call_site` the return address of the construct's call,
    // `function` what it runs (or null). Known places cost one look into a small table; a new one
    // writes a SITE record (and a MODULE record). 0: it could not be stored.
    std::uint32_t site(const void* call_site, const void* function) {
        const std::uint32_t known = sites_.find(call_site, function);
        return TEFF_LIKELY(known != 0) ? known : look_again(call_site, function, Above::kCalls);
    }

    // The same, at the begin of a parallel region: call paths have lines of Python there.
    std::uint32_t region_site(const void* call_site, const void* function) {
        const std::uint32_t known = sites_.find(call_site, function);
        return TEFF_LIKELY(known != 0) ? known : look_again(call_site, function, Above::kWithPython);
    }
    // The same of a construct that was met elsewhere, or earlier: without a path.
    std::uint32_t place(const void* call_site, const void* function) {
        const std::uint32_t known = sites_.find(call_site, function);
        return TEFF_LIKELY(known != 0) ? known : look_again(call_site, function, Above::kNothing);
    }
    // Of a wait: it runs nothing. One whose call was a jump returns into the runtime: it stands at
    // the beginning of what `function` says that the task runs.
    template <class Function> std::uint32_t wait_site(const void* call_site, Function&& function) {
        if (TEFF_LIKELY(!is_in_runtime(call_site))) return site(call_site, nullptr);
        const auto* const body = static_cast<const char*>(function());
        return place(body != nullptr ? body + 1 : call_site, nullptr); // a reader looks before it
    }
    // From here on sites have the calls above them, as many as `depth`. Before the first site.
    void follow_calls(unsigned depth) { paths_ = CallPaths::make(depth); }

    // Libraries come and go, and another may lie where one lay: from here on each place is compared
    // once with what lies there now. By each member when it begins, and outside of regions.
    void doubt_sites() { sites_.doubt_all(); }

    void create(Ticks when, std::uint8_t flags, std::uint64_t task, std::uint64_t parent, std::uint32_t site,
                Ticks cost) {
        if (store_creation(when, flags, task, parent, site, saturate_32(length(0, cost))) != nullptr) end_record();
    }
    // The same of a task whose creation goes on: one at a time, until creation_ends says how long
    // that took, if its record is still within reach.
    void creation_begins(Ticks when, std::uint8_t flags, std::uint64_t task, std::uint64_t parent, std::uint32_t site) {
        if (TEFF_UNLIKELY(creation_.cost != nullptr)) creation_ends(when);
        std::uint32_t* const cost = store_creation(when, flags, task, parent, site, 0);
        if (cost == nullptr) return;
        creation_ = {.cost = cost, .began = when};
        end_record();
    }
    // That of the one that is under way.
    bool is_creating() const { return creation_.cost != nullptr; }
    Ticks creation_began() const { return creation_.began; }
    void creation_ends(Ticks now) {
        const bool was_storing = set_storing(true); // the record stays within reach
        if (std::uint32_t* const cost = std::exchange(creation_.cost, nullptr); cost != nullptr)
            std::atomic_ref(*cost).store(saturate_32(length(creation_.began, now)), std::memory_order_relaxed);
        (void)set_storing(was_storing);
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
        append<TEFF_REC_WAIT>(kind, begin, teff_rec_wait{0, task, ticks, site, barrier});
        pass(end);
    }
    void region(Ticks when, std::uint64_t region, std::uint64_t parent, std::uint32_t site, std::uint32_t threads,
                std::uint32_t requested, std::uint32_t level) {
        append<TEFF_REC_REGION>(0, when, teff_rec_region{0, region, parent, site, threads, requested, level, 0});
    }
    void region_end(Ticks when, std::uint64_t region) {
        append<TEFF_REC_REGION_END>(0, when, teff_rec_region_end{0, region, {}});
    }
    void loop(Ticks when, std::uint8_t flags, std::uint64_t loop, std::uint64_t region, std::uint32_t site,
              std::uint32_t threads, std::int64_t lb, std::int64_t ub, std::int64_t step, std::int64_t chunk) {
        append<TEFF_REC_LOOP>(flags, when, teff_rec_loop{0, loop, region, site, threads, lb, ub, step, chunk});
    }
    void chunk(Ticks start, Ticks end, std::uint64_t loop, std::uint64_t task, std::int64_t first,
               std::uint64_t iterations) {
        append<TEFF_REC_CHUNK>(0, start, teff_rec_chunk{0, loop, task, first, iterations, with_processor(start, end)});
        pass(end);
    }
    void loop_thread(Ticks enter, Ticks leave, std::uint64_t loop, std::uint64_t task) {
        append<TEFF_REC_LOOP_THREAD>(0, enter, teff_rec_loop_thread{0, loop, task, length(enter, leave)});
    }
    void group_begin(Ticks when, std::uint64_t task) {
        append<TEFF_REC_GROUP_BEGIN>(0, when, teff_rec_group_begin{0, task, {}});
    }
    // Not again where nothing was recorded since the last one: programs may ask in every iteration.
    void team_size(Ticks when, std::uint64_t task) {
        if (cursor_.at == behind_team_size_) return;
        append<TEFF_REC_TEAM_SIZE>(0, when, teff_rec_team_size{0, task, {}});
        behind_team_size_ = cursor_.at;
    }
    void single(Ticks when, std::uint64_t task) {
        append<TEFF_REC_TEAM_SIZE>(TEFF_TEAM_SIZE_SINGLE, when, teff_rec_team_size{0, task, {}});
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
        end_record();
    }
    void priority(Ticks when, std::uint64_t task, std::int32_t priority) {
        append<TEFF_REC_PRIORITY>(0, when, teff_rec_priority{0, task, priority, 0, 0});
    }
    void fulfil(Ticks when, Ticks end, std::uint8_t flags, std::uint64_t task) {
        append<TEFF_REC_FULFIL>(flags, when, teff_rec_fulfil{0, task, length(when, end), 0});
    }
    // `held`: until when.
    void lock(teff_lock_kind kind, std::uint64_t address, const LockHold& hold, Ticks held, std::uint32_t site) {
        append<TEFF_REC_LOCK>(kind, hold.had,
                              teff_rec_lock{0, hold.task, address, hold.waited, length(hold.had, held), site, 0});
    }
    // A hold that nobody will miss: the lock was free at once, and was over in 200 ns. Programs
    // that lock for each pixel would have a recording of gigabytes, and no answer more.
    bool is_negligible(const LockHold& hold, Ticks held_until) const {
        return hold.waited == 0 && held_until - hold.had < cpu_time_every_ / kNegligiblePerCpuTime;
    }
    // `ticks`: what the construct has taken, see teff_rec_doacross.
    void doacross(Ticks when, std::uint8_t flags, std::uint64_t loop, std::uint64_t task, std::uint64_t iteration,
                  Ticks waited, Ticks ticks) {
        append<TEFF_REC_DOACROSS>(flags, when, teff_rec_doacross{0, loop, task, iteration, waited, ticks & kTicksMask});
    }
    void idle(Ticks begin, Ticks end, std::uint32_t sleep) {
        (void)processor_at(end);
        append<TEFF_REC_IDLE>(0, begin, teff_rec_idle{0, length(begin, end), sleep, 0});
    }
    void wake(const base::Wake& wake) {
        append<TEFF_REC_WAKE>(wake.cause, wake.when,
                              teff_rec_wake{0, wake.sleeper, wake.sleep, wake.ticks & kTicksMask, 0});
    }
    void steal(Ticks when, std::uint64_t task, std::uint32_t victim_stream) {
        append<TEFF_REC_STEAL>(0, when, teff_rec_steal{0, task, victim_stream, 0, 0});
    }

    // The program's locks that the stream's thread has taken.
    LockHolds& lock_holds() { return lock_holds_; }

    // A thread gets the stream, and ends: each by that thread. The first makes the first chunk
    // before the first event asks for it, for that takes longer than many a task. The recorder has
    // been at work for it since `came`.
    void begin_thread(Ticks came = base::ticks());
    void end_thread();

    // In a forked child, instead of begin_thread: with the first record it calls `begin`, which
    // says whether there is a recording now, and makes `task` an initial task that began then.
    using Begin = bool (*)(const Guest&);
    void begin_with(std::uint64_t task, Begin begin) {
        first_task_ = task;
        begin_ = begin;
    }

    // What the runtime has counted of the thread's turns so far (team/turns.h): for end.json.
    // By its own thread.
    struct Turns {
        std::uint64_t turns = 0, hasty_turns = 0, hasty_ticks = 0;
    };
    void note_turns(const Turns& turns);

    // Ends the stream in order: CLOCK, THREAD unless that has ended already, and LOST if there is
    // something to say. By its own thread.
    void close();

    // In a forked child: it stores nothing from here on. Where the kernel has emptied the stream,
    // it did not before.
    void abandon() { cursor_ = {}; }

    // Where it stores now: the whole chunk. Null: nowhere.
    void* chunk() const { return file_.place(); }

    // Apart, by any thread, when the recording is over (chunk_file.h).
    void trim() { file_.trim(); }

    // Any thread. The CPU time is that of the stream's thread, 0 if it has ended.
    std::uint64_t lost_records() const { return lost_.load(std::memory_order_relaxed); }
    std::uint64_t thread_cpu_ns() const;
    Turns turns() const;
    Stream* next = nullptr; // in the recording's list

  private:
    // The time of its life is the recorder's own, and is recorded so; once, where one lives within
    // another.
    class OwnTime {
      public:
        explicit OwnTime(Stream& stream, Ticks began = base::ticks());
        ~OwnTime();
        OwnTime(const OwnTime&) = delete;
        OwnTime& operator=(const OwnTime&) = delete;

      private:
        Stream& stream_;
        const bool is_outermost_;
    };

    Stream(Folder& folder, std::uint32_t number, Instant origin, Ticks cpu_time_every, bool keeps_from_children,
           bool prepares);

    static bool is_backwards(Ticks difference) { return (difference >> 63) != 0; }
    static std::uint32_t saturate_32(Ticks ticks) {
        return ticks > 0xffff'ffffu ? 0xffff'ffffu : static_cast<std::uint32_t>(ticks);
    }
    static std::uint16_t saturate_16(std::uint32_t number) {
        return number > 0xffff ? std::uint16_t{0xffff} : static_cast<std::uint16_t>(number);
    }
    // From `begin` to `end` in 48 bits.
    Ticks length(Ticks begin, Ticks end) {
        const Ticks ticks = end - begin;
        return TEFF_LIKELY(ticks <= kTicksMask) ? ticks : odd_length(ticks);
    }
    std::uint64_t with_processor(Ticks begin, Ticks end) {
        return length(begin, end) | static_cast<std::uint64_t>(processor_at(end) & 0xffff) << 48;
    }

    // Where the thread is just now. Tells so, if that is not where it was at the last look.
    unsigned processor_at(Ticks now) {
        const unsigned processor = this_processor();
        if (TEFF_UNLIKELY(processor + 1 != told_processor_)) tell_processor(now, processor);
        return processor;
    }

    // HOT append_within_a_chunk. False: the record is lost.
    template <teff_record_type type, class Record> bool append(unsigned flags, Ticks when, const Record& record) {
        char* const at = begin_record(sizeof(Record));
        if (TEFF_UNLIKELY(at == nullptr)) return false;
        store<type>(at, flags, when, record);
        end_record();
        return true;
    }

    // [append-1] Space for a record, or null: it is lost. What is stored there is a record before
    // end_record.
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

    // Where a Whole record fits.
    template <teff_record_type type, class Whole, class Short>
    Short* store_short(char* at, unsigned flags, Ticks when, const Short& record) {
        cursor_.at = at + sizeof(Short);
        static_assert(sizeof(Short) < sizeof(Whole));
        return store<type>(at, flags, when, record);
    }

    // Where its cost stands, until end_record; null: it is lost.
    std::uint32_t* store_creation(Ticks when, std::uint8_t flags, std::uint64_t task, std::uint64_t parent,
                                  std::uint32_t site, std::uint32_t cost) {
        char* const at = begin_record(sizeof(teff_rec_create));
        if (TEFF_UNLIKELY(at == nullptr)) return nullptr;
        const bool is_next = last_.has_next(task, parent);
        last_.created(task, parent);
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
        end_record();
    }

    // An interval of the thread has ended.
    void pass(Ticks now) {
        if (TEFF_UNLIKELY(now >= cpu_time_next_)) tell_cpu_time();
    }

    // [fork-1] `at` was read before.
    bool has_room(const char* at, std::size_t bytes) const {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        return reinterpret_cast<std::uintptr_t>(at) + bytes <= reinterpret_cast<std::uintptr_t>(cursor_.end);
    }
    bool has_room(std::size_t bytes) const { return has_room(cursor_.at, bytes); }

    TEFF_COLD Ticks odd_length(Ticks ticks);
    TEFF_COLD void tell_cpu_time();
    TEFF_COLD void tell_processor(Ticks now, unsigned processor);
    // What is told of the calls above a site, where they are followed: then `sites_` knows none.
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
    std::uint32_t add_module();
    // A fresh chunk, which holds any record, or the rest of this one. False: there is none, the
    // record is counted as lost, and none is being stored.
    TEFF_COLD bool find_room(std::size_t bytes);
    TEFF_COLD char* lose();
    bool next_chunk();
    bool may_try() const { return cursor_.is_ours && lost_records() >= try_again_at_; }
    bool try_next_chunk();
    bool begins(const Guest& guest);
    void write_first_task();
    bool open_next_chunk(const Guest& guest);
    bool is_at_end_of_part() const { return cursor_.end != chunk_end_; }
    void pass_end_of_part(const Guest& guest);
    void begin_chunk(char* chunk);
    void give_up(const Guest& guest, const ChunkFile::Failure& failure);
    Instant choose_base() const;
    void write_clock();
    void note_own_thread();
    void write_thread(std::uint8_t flags);
    void write_lost();

    char* chunk_end_ = nullptr;
    bool prepares_;            // the next chunk while it fills one
    bool keeps_from_children_; // it is emptied at a fork, so the chunk is not missed
    ChunkFile file_;
    SiteTable sites_;
    CallPaths* paths_ = nullptr;         // null: calls are not followed
    std::atomic<bool> adds_site_{false}; // for handlers of signals that come in between
    ModuleTable modules_;
    LoadedModule loaded_; // the one that was looked for last
    LockHolds lock_holds_;
    Instant origin_;
    Begin begin_ = nullptr; // null: it has begun
    std::uint64_t first_task_ = 0;
    const char* behind_team_size_ = nullptr; // where the last of these records ends
    Ticks cpu_time_every_;
    Ticks recorder_ticks_ = 0;       // without what runs
    Ticks own_time_began_ = 0;       // 0: no OwnTime lives
    std::uint64_t try_again_at_ = 0; // when so many records are lost
    // Written by the owner only.
    std::atomic<std::uint64_t> lost_{0};
    std::atomic<std::uint32_t> os_thread_{0}; // 0: it has ended
    std::atomic<std::uint64_t> turns_{0}, hasty_turns_{0}, hasty_ticks_{0};
    std::uint32_t number_;
};

} // namespace teff::probe::trace
