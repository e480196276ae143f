// SPDX-License-Identifier: Apache-2.0
//
// Stream: one worker's records of a recording, in the format of teff_trace.h.
//
// Owned and written by one worker's thread; no lock, and no system call but once per chunk (1 MiB). Every method appends one record. When
// the disk is full or the stream's limit (TEFF_TRACE_LIMIT) is reached, records are counted instead of stored and the
// program goes on. Times are ticks (base/clock.h), ids as in teff_trace.h.
//
// Event points in the runtime test Worker::probes and do nothing when it is 0: that one branch is the cost of a probe that is off.
//
// Crash safety: [trace-1] a record's payload is stored before its head (release), and the file is a shared mapping, so whoever
// reads the file after this process was killed and finds a head finds the whole record. There is no reader while we write.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"
#include "base/clock.h"
#include "probe/trace/site_table.h"
#include "teff_trace.h"

namespace teff::probe::trace {

using base::Ticks;

class Stream {
  public:
    // One instant on both clocks.
    struct Instant {
        Ticks ticks;
        std::uint64_t ns;
    };

    // Opens `directory`/stream-NNNN.bin. `origin` is the recording's start.
    Stream(const char* directory, std::uint32_t number, Instant origin);

    // The id of a place in the program: `call_site` the return address of the construct's call, `function` what it runs (or null).
    // Known places cost one look into a small table; a new one writes a SITE record (and a MODULE record).
    std::uint32_t site(const void* call_site, const void* function) {
        const std::uint32_t known = sites_.find(call_site, function);
        return TEFF_LIKELY(known != 0) ? known : add_site(call_site, function);
    }

    void create(Ticks when, std::uint8_t flags, std::uint64_t task, std::uint64_t parent, std::uint32_t site,
                Ticks cost) {
        append(TEFF_REC_CREATE, flags, when, teff_rec_create{0, task, parent, site, saturate_32(cost)});
    }
    void start(Ticks when, std::uint64_t task, std::uint64_t region) {
        append(TEFF_REC_START, 0, when, teff_rec_start{0, task, region, 0});
    }
    void run(Ticks start, Ticks end, std::uint8_t flags, std::uint64_t task, std::uint64_t region) {
        append(TEFF_REC_RUN, flags, start, teff_rec_run{0, task, with_processor(end - start), region});
    }
    void wait(Ticks begin, Ticks end, teff_wait_kind kind, std::uint64_t task, std::uint32_t site,
              std::uint32_t barrier) {
        append(TEFF_REC_WAIT, kind, begin, teff_rec_wait{0, task, saturate_48(end - begin), site, barrier});
    }
    void region(Ticks when, std::uint64_t region, std::uint64_t parent, std::uint32_t site, std::uint32_t threads,
                std::uint32_t requested, std::uint32_t level) {
        append(TEFF_REC_REGION, 0, when, teff_rec_region{0, region, parent, site, threads, requested, level, 0});
    }
    void region_end(Ticks when, std::uint64_t region) {
        append(TEFF_REC_REGION_END, 0, when, teff_rec_region_end{0, region, {}});
    }
    void loop(Ticks when, std::uint8_t flags, std::uint64_t loop, std::uint64_t region, std::uint32_t site,
              std::uint32_t threads, std::int64_t lb, std::int64_t ub, std::int64_t step, std::int64_t chunk) {
        append(TEFF_REC_LOOP, flags, when, teff_rec_loop{0, loop, region, site, threads, lb, ub, step, chunk});
    }
    void chunk(Ticks start, Ticks end, std::uint64_t loop, std::uint64_t task, std::int64_t first,
               std::uint64_t iterations) {
        append(TEFF_REC_CHUNK, 0, start, teff_rec_chunk{0, loop, task, first, iterations, with_processor(end - start)});
    }
    void loop_thread(Ticks enter, Ticks leave, std::uint64_t loop, std::uint64_t task) {
        append(TEFF_REC_LOOP_THREAD, 0, enter, teff_rec_loop_thread{0, loop, task, leave - enter});
    }
    void group_begin(Ticks when, std::uint64_t task) {
        append(TEFF_REC_GROUP_BEGIN, 0, when, teff_rec_group_begin{0, task, {}});
    }
    void dependence(Ticks when, std::uint64_t successor, std::uint64_t predecessor, std::uint64_t address) {
        append(TEFF_REC_DEP, 0, when, teff_rec_dep{0, successor, predecessor, address});
    }
    void idle(Ticks begin, Ticks end) { append(TEFF_REC_IDLE, 0, begin, teff_rec_idle{0, end - begin, {}}); }
    void steal(Ticks when, std::uint64_t task, std::uint32_t victim_stream) {
        append(TEFF_REC_STEAL, 0, when, teff_rec_steal{0, task, victim_stream, 0, 0});
    }

    // Makes the first chunk before the first event asks for it: that takes longer than many a task. By its own thread.
    void open_first_chunk();

    // Ends the stream in order: a CLOCK record, and a LOST record if there is something to say. By its own thread.
    void close();

    // Any thread.
    std::uint64_t lost_records() const { return lost_.load(std::memory_order_relaxed); }
    Stream* next = nullptr; // in the recording's list

  private:
    static constexpr std::uint64_t kTicksMask = (std::uint64_t{1} << 48) - 1;

    static std::uint32_t saturate_32(Ticks ticks) {
        return ticks > 0xffff'ffffu ? 0xffff'ffffu : static_cast<std::uint32_t>(ticks);
    }
    static std::uint64_t saturate_48(Ticks ticks) { return ticks > kTicksMask ? kTicksMask : ticks; }
    static std::uint64_t with_processor(Ticks ticks) {
        return saturate_48(ticks) | static_cast<std::uint64_t>(base::arch::read_processor()) << 48;
    }

    // HOT record.
    template <class Record> void append(teff_record_type type, unsigned flags, Ticks when, const Record& record) {
        static_assert(sizeof(Record) % 16 == 0);
        char* at = cursor_;
        if (TEFF_UNLIKELY(room() < sizeof(Record))) {
            at = next_chunk(sizeof(Record));
            if (at == nullptr) return;
        }
        cursor_ = at + sizeof(Record);
        auto* target = reinterpret_cast<Record*>(at);
        __builtin_memcpy(at + sizeof(teff_rec_head), reinterpret_cast<const char*>(&record) + sizeof(teff_rec_head),
                         sizeof(Record) - sizeof(teff_rec_head));
        const Ticks since_base = when > base_ ? saturate_48(when - base_) : 0;
        std::atomic_ref<std::uint64_t>(target->head)
            .store(since_base << 16 | flags << 8 | type, std::memory_order_release); // [trace-1]
    }

    std::size_t room() const { return static_cast<std::size_t>(chunk_end_ - cursor_); } // 0 while both are null

    TEFF_COLD std::uint32_t add_site(const void* call_site, const void* function);
    TEFF_COLD std::uint32_t add_module(const LoadedModule& module);
    // Room for `bytes` in a fresh chunk, or null: the record is lost.
    TEFF_COLD char* next_chunk(std::size_t bytes);
    bool map_chunk();
    Instant choose_base() const;
    void give_up(const char* doing, int error);
    void write_clock();

    char* cursor_ = nullptr;
    char* chunk_end_ = nullptr; // both null: nothing can be stored any more, or nothing has been yet
    Ticks base_ = 0;
    SiteTable sites_;
    ModuleTable modules_;
    Instant origin_;
    std::uint64_t chunks_ = 0;
    std::uint64_t chunk_limit_;
    std::atomic<std::uint64_t> lost_{0}; // written by the owner only
    int file_ = -1;
    std::uint32_t number_;
    bool gave_up_ = false;
    char path_[512];
};

} // namespace teff::probe::trace
