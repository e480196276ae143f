// SPDX-License-Identifier: Apache-2.0
#include "probe/stat/counters.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/contention.h"
#include "base/system_call.h"
#include "icv/icv.h"
#include "probe/stat/board_file.h"
#include "probe/stat/perf_events.h"
#include "sync/mutex.h"

namespace teff::probe::stat {

namespace {

using base::call;

struct State {
    sync::Mutex lock;
    BoardFile file TEFF_GUARDED_BY(lock) = {};
    long process TEFF_GUARDED_BY(lock) = 0; // whose file that is
    Events events TEFF_GUARDED_BY(lock) = {};
    char text[4096] TEFF_GUARDED_BY(lock) = {}; // a thread's stack may be small
};

constinit State state;

// Reads a file of /proc/self/task/THREAD into `state.text`. Returns false if that is not possible.
bool read_of_thread(std::uint32_t thread, const char* name) TEFF_REQUIRES(state.lock) {
    char* const text = state.text;
    std::snprintf(text, sizeof state.text, "/proc/self/task/%u/%s", thread, name);
    const long file = call(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return false;
    const long bytes = call(SYS_read, file, text, sizeof state.text - 1);
    call(SYS_close, file);
    text[std::max(bytes, 0l)] = '\0';
    return bytes > 0;
}

// For how long a thread had a processor, and for how long it could have run but had none.
struct Processor {
    unsigned long long had = 0, delay = 0;
};

// The file's first number may be some milliseconds old if the thread is running, and a thread's
// clock never is. So the clock has precedence.
bool read_processor_of(std::uint32_t thread, Processor& times) TEFF_REQUIRES(state.lock) {
    if (!read_of_thread(thread, "schedstat")) return false;
    if (std::sscanf(state.text, "%llu %llu", &times.had, &times.delay) != 2) return false;
    constexpr int kClockOfThread = 6; // the kernel's number for a thread's processor time (CPUCLOCK_SCHED of a thread)
    timespec clock;
    const int name = static_cast<int>(~thread << 3) | kClockOfThread;
    if (call(SYS_clock_gettime, name, &clock) == 0)
        times.had = static_cast<unsigned long long>(clock.tv_sec) * 1'000'000'000u +
                    static_cast<unsigned long long>(clock.tv_nsec);
    return true;
}

// The thread begins to be counted: what the kernel says of it by now is of before.
void note_processor(Counters& counters) TEFF_REQUIRES(state.lock) {
    Processor times;
    if (!read_processor_of(counters.thread, times)) return;
    counters.processor_before_ns = times.had;
    counters.delay_before_ns = times.delay;
    counters.flags |= TEFF_STAT_KNOWN_BEFORE;
}

// Adds the thread's times to the counters; once for each thread. Returns false if they are unknown.
bool read_processor(Counters& counters) TEFF_REQUIRES(state.lock) {
    Processor times;
    if ((counters.flags & TEFF_STAT_KNOWN_BEFORE) == 0 || !read_processor_of(counters.thread, times)) return false;
    counters.processor_ns += times.had - counters.processor_before_ns;
    counters.delay_ns += times.delay - counters.delay_before_ns;
    counters.flags |= TEFF_STAT_PROCESSOR;
    return true;
}

// The program before this one has called exec: its threads are gone, except that one of them, now
// the calling thread, goes on under the process's number.
void end_former_threads(Board& board) TEFF_REQUIRES(state.lock) {
    const base::Ticks now = base::ticks();
    for (std::uint32_t number = 0; number < std::min(board.header.workers, TEFF_STAT_WORKERS); ++number) {
        Counters& counters = board.workers[number];
        if ((counters.flags & TEFF_STAT_ENDED) != 0) continue;
        counters.state = std::min<std::uint32_t>(counters.state, TEFF_STAT_IDLE); // who knows who has written there
        enter(counters, TEFF_STAT_IDLE, now);
        if ((counters.flags & TEFF_STAT_FILLED) == 0) counters.flags |= TEFF_STAT_LOST;
        const bool goes_on = counters.thread == static_cast<std::uint32_t>(call(SYS_gettid));
        if (!goes_on || !read_processor(counters)) counters.flags |= TEFF_STAT_UNKNOWN;
        counters.flags |= TEFF_STAT_ENDED;
        counters.runs_at_once = counters.is_called = 0;
    }
}

// Its file may be there, of the program that was this process; if that has ended in order, it is
// begun again.
void begin(Board& board, long process) TEFF_REQUIRES(state.lock) {
    teff_stat_header& header = board.header;
    state.events = parse_events(icv::global().stat_events);
    if (header.magic == TEFF_STAT_MAGIC && header.end_ns == 0) return end_former_threads(board);
    const std::uint32_t workers = std::min(header.workers, TEFF_STAT_WORKERS);
    std::memset(&board, 0, sizeof board.whole + workers * sizeof(Counters));
    for (std::uint32_t number = 0; state.file.has_priorities(number) && number < workers; ++number)
        std::memset(&board.priorities[number], 0, sizeof board.priorities[number]);
    header.version = TEFF_STAT_VERSION;
    header.worker_bytes = sizeof(Counters);
    header.process = static_cast<std::uint32_t>(process);
    header.namespace_of_process = state.file.name_space();
    header.started = state.file.started();
    header.start_ticks = base::ticks();
    header.start_ns = base::monotonic_ns();
    header.timed = icv::global().stat_times;
    header.event_count = state.events.count;
    if (state.file.has_priorities(0)) {
        header.priorities_bytes = sizeof(teff_stat_priorities);
        header.priorities_at = offsetof(Board, priorities);
    }
    header.magic = TEFF_STAT_MAGIC; // from here on it is one
}

// A forked child finds its parent's board mapped, and makes its own.
Board* own_board() TEFF_REQUIRES(state.lock) {
    const long process = call(SYS_getpid);
    if (state.process == process) return state.file.board();
    state.process = process;
    if (!state.file.open(icv::global().stat_directory, icv::global().max_task_priority > 0)) return nullptr;
    begin(*state.file.board(), process);
    return state.file.board();
}

void begin_thread(Board& board, Counters& counters, std::uint32_t number) TEFF_REQUIRES(state.lock) {
    board.header.workers = std::max(board.header.workers, number + 1);
    counters.thread = static_cast<std::uint32_t>(call(SYS_gettid));
    counters.state = TEFF_STAT_WAITING;
    counters.since = board.header.timed != 0 ? base::ticks() : 0;
    open_events(state.events, counters, board.header.event_errors);
    const bool by_priority = state.file.has_priorities(number);
    counters.flags &= ~unsigned{TEFF_STAT_ENDED | TEFF_STAT_SWITCHES | TEFF_STAT_FILLED | TEFF_STAT_PROCESSOR |
                                TEFF_STAT_KNOWN_BEFORE};
    note_processor(counters);
    counters.flags |= TEFF_STAT_USED | (by_priority ? unsigned{TEFF_STAT_BY_PRIORITY} : 0u);
    base::this_threads_counts = counters.counts;
}

// The numbers behind these two words of /proc/self/task/ID/status, on top of those of threads
// before this one.
void read_switches(Counters& counters) TEFF_REQUIRES(state.lock) {
    if (!read_of_thread(counters.thread, "status")) return;
    const char* const text = state.text;
    const char* const voluntary = std::strstr(text, "\nvoluntary_ctxt_switches:");
    const char* const involuntary = std::strstr(text, "\nnonvoluntary_ctxt_switches:");
    if (voluntary == nullptr || involuntary == nullptr) return;
    unsigned long long values[2] = {};
    if (std::sscanf(voluntary, "%*s %llu", &values[0]) != 1 || std::sscanf(involuntary, "%*s %llu", &values[1]) != 1)
        return;
    for (int kind = 0; kind < 2; ++kind)
        counters.switches[kind] += values[kind];
    counters.flags |= TEFF_STAT_SWITCHES;
}

// What only the end of a thread, or of the process, can say; once for each thread.
void fill_in(Counters& counters) TEFF_REQUIRES(state.lock) {
    if ((counters.flags & TEFF_STAT_SWITCHES) == 0) read_switches(counters);
    if ((counters.flags & (TEFF_STAT_FILLED | TEFF_STAT_LOST)) == 0) read_events(counters);
    if ((counters.flags & TEFF_STAT_PROCESSOR) == 0 && !read_processor(counters)) counters.flags |= TEFF_STAT_UNKNOWN;
}

} // namespace

Counters* open(std::uint32_t number) {
    base::this_threads_counts = nullptr; // in a child, not its parent's
    if (icv::global().stat_directory.empty()) return nullptr;
    const sync::MutexGuard guard(state.lock);
    Board* const board = own_board();
    if (board == nullptr) return nullptr;
    if (!state.file.has_room(number)) return ++board->header.left_out, nullptr;
    Counters& counters = board->workers[number];
    begin_thread(*board, counters, number);
    return &counters;
}

void end_thread(Counters& counters) {
    enter(counters, TEFF_STAT_IDLE);
    const sync::MutexGuard guard(state.lock);
    fill_in(counters);
    close_events(counters);
    counters.flags |= TEFF_STAT_ENDED;
    base::this_threads_counts = nullptr;
}

void forget_other_threads() { ::new (&state.lock) sync::Mutex; } // whoever held it is gone

void finish() {
    const sync::MutexGuard guard(state.lock);
    Board* const board = state.file.board();
    if (board == nullptr || state.process != call(SYS_getpid)) return;
    board->header.end_ticks = base::ticks();
    for (std::uint32_t number = 0; number < board->header.workers; ++number) {
        Counters& counters = board->workers[number];
        if ((counters.flags & (TEFF_STAT_USED | TEFF_STAT_ENDED)) != TEFF_STAT_USED) continue;
        fill_in(counters);
    }
    board->header.end_ns = base::monotonic_ns();
    board->header.end_ticks = base::ticks();
}

} // namespace teff::probe::stat
