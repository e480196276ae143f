// SPDX-License-Identifier: Apache-2.0
//
// Tracks which grain each thread is in. The OpenMP runtime reports this to the library, which is an
// OMPT tool. With a tool attached, Teff runs tasks on top of each other, so a thread's grains nest:
// each event pushes a grain onto the thread's chain or pops one. The runtime's entry point
// teff_get_task_id returns the id that the task has in a recording.
//
// If a thread does not use OpenMP, the runtime reports nothing of it. Such a thread is one grain
// from its first hook to its end. In a forked child of a process that used OpenMP, the runtime
// reports nothing more, so what the child does is counted for no grain.
//
// OWNERS. A Thread belongs to its thread. It is linked into the process's list once and never
// freed, but reused: when a thread ends, its Thread is free for the next thread. Only the code that
// has entered a Thread changes its chain and its records: normally the thread itself, at each start
// and end of a grain. At the end of the process, the exiting thread closes all Threads, each at a
// moment when no code has entered it, and writes out their counts so far. A thread that still runs
// after that counts into a grain that is never written.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/futex.h"
#include "counts_file.h"
#include "grain.h"
#include "omp-tools.h"

namespace teff::instructions {

constinit Grain unstarted = [] {
    Grain grain = {};
    for (Slot& slot : grain.slots)
        slot.line = kNoLine;
    return grain;
}();
constinit thread_local Grain* current = &unstarted;

namespace {

enum Use : std::uint32_t { kUnused, kEntered, kClosed };

struct Thread {
    Records records;
    Grain* free = nullptr;
    Grain* innermost = nullptr;
    std::atomic<Thread*> next{nullptr}; // in the list of all; set before the thread is in it
    std::atomic<bool> taken{true};
    std::atomic<std::uint32_t> use{kUnused}; // of all above
    Grain aside;                             // of what counts for nothing
};

// [counted-2] The thread that closes a Thread sees all changes that were made while it was entered.
class Entered {
  public:
    explicit Entered(Thread& thread) : thread_(thread) {
        std::uint32_t unused = kUnused;
        is_in_ = thread.use.compare_exchange_strong(unused, kEntered, std::memory_order_acquire);
    }
    ~Entered() {
        if (is_in_) thread_.use.store(kUnused, std::memory_order_release);
    }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    // False: the Thread is closed, or a signal handler interrupted code that has entered it.
    explicit operator bool() const { return is_in_; }

  private:
    Thread& thread_;
    bool is_in_;
};

thread_local Thread* own = nullptr;
std::atomic<Thread*> threads{nullptr};
pthread_key_t at_thread_end; // once there is one
std::atomic<bool> has_key{false};
std::uint64_t (*task_id)() = nullptr;
ompt_get_task_info_t task_info = nullptr;

void* mapped(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) return memory;
    constexpr char kWhy[] = "teff: no memory to count instructions.\n";
    (void)!write(STDERR_FILENO, kWhy, sizeof kWhy - 1);
    _exit(EXIT_FAILURE);
}

// [counted-1] Pairs with give_up: a Thread that was given up is complete.
Thread* reuse() {
    for (Thread* thread = threads.load(std::memory_order_acquire); thread != nullptr;
         thread = thread->next.load(std::memory_order_relaxed)) {
        bool free = false;
        if (thread->taken.compare_exchange_strong(free, true, std::memory_order_acquire)) return thread;
    }
    return nullptr;
}

// Constructors of the program's libraries may run before the constructor of this library.
// [counted-3]
void note_for_end() {
    if (has_key.load(std::memory_order_acquire)) pthread_setspecific(at_thread_end, own);
}

Thread& own_thread() {
    if (own != nullptr) return *own;
    own = reuse();
    if (own == nullptr) {
        own = ::new (mapped(sizeof(Thread))) Thread;
        own->aside.initialise();
        own->aside.stack_top = ~std::uintptr_t{0};
        Thread* first = threads.load(std::memory_order_relaxed);
        do
            own->next.store(first, std::memory_order_relaxed);
        while (!threads.compare_exchange_weak(first, own, std::memory_order_release));
    }
    note_for_end();
    return *own;
}

Grain& take(Thread& thread) {
    constexpr std::size_t kAtOnce = 16;
    if (thread.free == nullptr) {
        auto* grains = static_cast<Grain*>(mapped(kAtOnce * sizeof(Grain)));
        for (std::size_t i = 0; i < kAtOnce; ++i) {
            grains[i].initialise();
            grains[i].below = thread.free;
            thread.free = &grains[i];
        }
    }
    Grain& grain = *thread.free;
    thread.free = grain.below;
    grain.clear();
    return grain;
}

Grain& begin(Kind kind, std::uint64_t task) {
    Thread& thread = own_thread();
    const Entered entered(thread);
    if (!entered) return *(current = &thread.aside);
    Grain& grain = take(thread);
    grain.stack_top = 0;
    grain.task = task;
    grain.chunk = grain.chunks = 0;
    grain.kind = kind;
    grain.below = thread.innermost;
    current = thread.innermost = &grain;
    return grain;
}

void end() {
    if (current == &unstarted) return;
    Thread& thread = own_thread();
    const Entered entered(thread);
    Grain* const grain = current;
    if (!entered || grain != thread.innermost) return void(current = &unstarted);
    thread.innermost = grain->below;
    current = grain->below != nullptr ? grain->below : &unstarted;
    thread.records.add(*grain);
    grain->below = thread.free;
    thread.free = grain;
}

void write_out(Thread& thread) {
    const Entered entered(thread);
    if (entered) thread.records.write_out();
}

void end_chunk() {
    if (current->kind == Kind::kChunk) end();
}

// Ends the innermost grain of this kind, and the grains above it, whose ends were not reported.
void end_kind(Kind kind) {
    while (current != &unstarted && current->kind != kind)
        end();
    end();
}

// Does not call the C library, which would allocate: the program's allocator may have called the
// hook. A thread's descriptor lies at the end of its stack. The first thread's descriptor lies
// below its stack; the last word of this stack is the program's name.
std::uintptr_t end_of_threads_stack() {
    const auto pointer = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto descriptor = static_cast<std::uintptr_t>(pthread_self());
    return pointer < descriptor ? descriptor : static_cast<std::uintptr_t>(getauxval(AT_EXECFN));
}

// ---- OMPT's events

void on_task_schedule(ompt_data_t*, ompt_task_status_t status, ompt_data_t*) {
    switch (status) {
    case ompt_task_switch:
    case ompt_task_yield:
        begin(Kind::kExplicit, task_id());
        break;
    case ompt_task_complete:
    case ompt_task_cancel:
    case ompt_task_detach:
        end_kind(Kind::kExplicit);
        break;
    default: // an event or a taskwait: no task begins or ends
        break;
    }
}

// The first thread of the program has been counting since its start. What it has counted belongs to
// the initial task.
void begin_initial() {
    if (current == &unstarted || current->kind != Kind::kOutside) begin(Kind::kInitial, task_id());
    current->kind = Kind::kInitial;
    current->task = task_id();
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, unsigned, unsigned, int flags) {
    const bool initial = (flags & ompt_task_initial) != 0;
    if (endpoint == ompt_scope_end) return end_kind(initial ? Kind::kInitial : Kind::kImplicit);
    if (initial) begin_initial();
    else begin(Kind::kImplicit, task_id());
}

void on_dispatch(ompt_data_t*, ompt_data_t*, ompt_dispatch_t kind, ompt_data_t) {
    if (kind != ompt_dispatch_ws_loop_chunk && kind != ompt_dispatch_section) return;
    end_chunk();
    Grain& task = current != &unstarted ? *current : *first_of_thread();
    const std::uint32_t number = ++task.chunks;
    Grain& chunk = begin(Kind::kChunk, task.task);
    chunk.chunk = number;
    chunk.stack_top = task.stack_top;
}

void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, std::uint64_t, const void*) {
    if (endpoint == ompt_scope_end && kind != ompt_work_taskloop) end_chunk();
}

void on_thread_end(ompt_data_t*) {
    if (own != nullptr) write_out(*own);
}

// ---- The process

// [counted-1] pairs with reuse: the thread that takes the Thread finds its list of free grains.
void give_up(void* thread) {
    while (current != &unstarted)
        end();
    write_out(*static_cast<Thread*>(thread));
    static_cast<Thread*>(thread)->taken.store(false, std::memory_order_release);
    own = nullptr;
}

void in_child() {
    forget_file();
    for (Thread* thread = threads.load(std::memory_order_relaxed); thread != nullptr;
         thread = thread->next.load(std::memory_order_relaxed)) {
        thread->records.forget();
        if (thread == own) continue;
        thread->innermost = nullptr;
        thread->use.store(kUnused, std::memory_order_relaxed);
    }
    for (Grain* grain = current; grain != nullptr && grain != &unstarted; grain = grain->below) {
        grain->clear();
        grain->kind = Kind::kOutside;
        grain->task = 0;
    }
}

// Closes the Thread. Waits at most a second for code that has entered it. [counted-2]
bool close(Thread& thread) {
    constexpr int kTries = 1000;
    constexpr std::uint64_t kPauseNs = 1'000'000;
    for (int i = 0; i < kTries; ++i) {
        std::uint32_t use = kUnused;
        if (thread.use.compare_exchange_strong(use, kClosed, std::memory_order_acquire)) return true;
        if (use == kClosed || &thread == own) return false;
        base::futex_wait_for(thread.use, kEntered, kPauseNs);
    }
    return false;
}

// Writes the grains of a thread that have not ended, with their counts so far.
void write_last(Thread& thread) {
    for (const Grain* grain = thread.innermost; grain != nullptr; grain = grain->below)
        if (grain->instructions != 0) thread.records.add(*grain);
    thread.records.write_out();
}

[[gnu::constructor(102)]] void load() {
    note_surroundings();
    has_key.store(pthread_key_create(&at_thread_end, give_up) == 0, std::memory_order_release); // [counted-3]
    pthread_atfork(nullptr, nullptr, in_child);
    if (own == nullptr) (void)first_of_thread();
    else note_for_end();
}

[[gnu::destructor(102)]] void unload() {
    for (Thread* thread = threads.load(std::memory_order_acquire); thread != nullptr;
         thread = thread->next.load(std::memory_order_relaxed))
        if (close(*thread)) write_last(*thread);
    current = &unstarted;
}

template <class Callback> void set(ompt_set_callback_t set_callback, ompt_callbacks_t event, Callback callback) {
    (void)set_callback(event, reinterpret_cast<ompt_callback_t>(callback));
}

std::uint64_t no_task_id() { return 0; }

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
    task_id = reinterpret_cast<std::uint64_t (*)()>(lookup("teff_get_task_id"));
    if (task_id == nullptr) task_id = no_task_id; // another runtime
    task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
    const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    set<ompt_callback_task_schedule_t>(set_callback, ompt_callback_task_schedule, on_task_schedule);
    set<ompt_callback_implicit_task_t>(set_callback, ompt_callback_implicit_task, on_implicit_task);
    set<ompt_callback_dispatch_t>(set_callback, ompt_callback_dispatch, on_dispatch);
    set<ompt_callback_work_t>(set_callback, ompt_callback_work, on_work);
    set<ompt_callback_thread_end_t>(set_callback, ompt_callback_thread_end, on_thread_end);
    return 1;
}

void finalize(ompt_data_t*) {
    if (own != nullptr) write_out(*own);
}

} // namespace

Grain* first_of_thread() { return &begin(Kind::kOutside, 0); }

// The stack of a task is the part of the thread's stack that begins at the frame of the runtime's
// function that called the task.
void find_stack(Grain& grain) {
    ompt_frame_t* frame = nullptr;
    const bool asks = grain.kind == Kind::kExplicit || grain.kind == Kind::kImplicit || grain.kind == Kind::kChunk;
    if (asks && task_info != nullptr) (void)task_info(0, nullptr, nullptr, &frame, nullptr, nullptr);
    const void* top = frame != nullptr ? frame->exit_frame.ptr : nullptr;
    grain.stack_top = top != nullptr ? reinterpret_cast<std::uintptr_t>(top) : end_of_threads_stack();
}

} // namespace teff::instructions

extern "C" [[gnu::visibility("default")]] ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
    static ompt_start_tool_result_t result = {teff::instructions::initialize, teff::instructions::finalize, {0}};
    return &result;
}
