// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/recording.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <new>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "base/report.h"
#include "icv/icv.h"
#include "probe/probes.h"
#include "probe/trace/apart.h"
#include "probe/trace/calibration.h"
#include "probe/trace/calls.h"
#include "probe/trace/json.h"
#include "probe/trace/launch.h"
#include "probe/trace/nth_regions.h"
#include "probe/trace/python_frames.h"
#include "probe/trace/python_lines.h"
#include "probe/trace/runtimes.h"
#include "probe/trace/sample_signal.h"
#include "probe/trace/this_processor.h"
#include "probe/trace/window.h"
#include "sync/mutex.h"

extern char** environ;

namespace teff::probe::trace {

namespace {

enum class State : std::uint8_t { kNone, kAnnounced, kOn, kOver };

// What is asked for: also of forked children, which have a copy.
struct Plan {
    Folder folder{icv::global().trace_limit_MiB};
    Launch launch;
    CountedEvents events;
    Runtimes runtimes;
    int processors = 0;
    std::uint64_t ticks_per_second = 0; // from the first recording on
    bool reaches_children = false;      // they find the recording empty
    // Whether a child knows with whom it shares the folder. A fork may come while another thread
    // begins.
    std::atomic<bool> shared{false};
};

// In pages of its own, only where a recording is asked for. They are zero from the system, and stay
// untouched as long as nothing is written: arrays have no initialiser. A forked child finds them
// zero again: then nothing is recorded, and nobody holds the lock.
struct Recording {
    sync::Mutex lock;
    State state TEFF_GUARDED_BY(lock) = State::kNone;
    std::atomic<Stream*> streams = nullptr; // a list that only grows, in front; under the lock
    std::uint32_t stream_count TEFF_GUARDED_BY(lock) = 0;
    std::uint64_t threads_left_out TEFF_GUARDED_BY(lock) = 0;
    Stream* by_number[TEFF_TRACE_STREAMS] TEFF_GUARDED_BY(lock);
    ApartStack stack TEFF_GUARDED_BY(lock);
    StreamMemory stream_memory TEFF_GUARDED_BY(lock);
    Stream::Instant origin{}; // when the library was loaded, or the process forked
    // The thread that did this or, once the recording has begun, the thread that met the first
    // construct; its CPU time then, and when the recording began; and for how long it could have
    // run by then but had no processor. If that is another thread, these are sums: the CPU time of
    // the process, and the delays of both threads.
    std::uint32_t first_thread = 0;
    std::uint64_t start_cpu_ns = 0, met_cpu_ns = 0; // 0: not known
    std::uint64_t start_process_cpu_ns = 0;
    std::optional<std::uint64_t> met_delay_ns;
    RecordCosts costs;
    Usage usage_before{}; // of the process, when the recording began
};

constexpr std::uint64_t kCpuTimesPerSecond = 1'000;

// Set at most once, before there are other threads.
Recording* recording = nullptr;
Plan* plan = nullptr;

// [streams-1] A stream is shown to others by a store (release), when it is made, and read by a load
//             (acquire).
template <class Visit> void for_each_stream(Visit&& visit) {
    Stream* stream = recording->streams.load(std::memory_order_acquire); // [streams-1]
    for (; stream != nullptr; stream = stream->next)
        visit(*stream);
}

// The counter's rate since the library was loaded, over at least a millisecond: good to 1 in
// 10,000. The reader refines it with the streams' clock pairs. In whole numbers: a conversion to
// floating point would show in the thread's flags.
std::uint64_t measure_ticks_per_second() {
    const Stream::Instant origin = recording->origin;
    std::uint64_t now_ns;
    do
        now_ns = base::monotonic_ns();
    while (now_ns - origin.ns < 1'000'000);
    const unsigned __int128 ticks = base::ticks() - origin.ticks;
    return static_cast<std::uint64_t>(ticks * 1'000'000'000u / (now_ns - origin.ns));
}

void write_costs(JsonFile& json, const char* key, Ticks RecordCost::* cost) {
    json.begin(key, '{');
    for (const RecordCost& of_type : recording->costs)
        json.number(of_type.name, of_type.*cost);
    json.end('}');
}

// Apart, as are all that it is called from. 0 or an errno value.
int write_meta(long folder) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    utsname system{};
    call(SYS_uname, &system);
    JsonFile json(folder, "meta.json");
    json.string("format", "teff-trace");
    json.number("version", TEFF_TRACE_VERSION);
    json.string("runtime", TEFF_VERSION);
    json.number("pid", static_cast<std::uint64_t>(call(SYS_getpid)));
    json.string("host", system.nodename);
    json.number("start_unix_ns",
                static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec));
    json.number("start_monotonic_ns", recording->origin.ns);
    json.number("start_ticks", recording->origin.ticks);
    json.number("ticks_per_second", plan->ticks_per_second = measure_ticks_per_second());
    json.number("processors", static_cast<std::uint64_t>(plan->processors));
    write_costs(json, "record_cost_ticks", &RecordCost::after);
    write_costs(json, "record_cost_within_ticks", &RecordCost::within);
    if (recording->start_cpu_ns != 0 && recording->met_cpu_ns >= recording->start_cpu_ns) {
        json.number("first_thread", recording->first_thread);
        json.number("start_cpu_ns", recording->start_cpu_ns);
        json.number("met_cpu_ns", recording->met_cpu_ns);
        if (recording->met_delay_ns) {
            json.number("met_delay_ns", *recording->met_delay_ns);
        }
    }
    plan->launch.write(json);
    plan->runtimes.write(json);
    return json.commit();
}

int write_meta_in_folder() {
    const long folder = plan->folder.open();
    if (folder < 0) return static_cast<int>(-folder);
    plan->launch.read_command();
    plan->runtimes.read();
    return write_meta(folder);
}

// In the folder itself, which the first process has. ENOTEMPTY: another has it.
int begin_first() {
    if (const int error = plan->folder.claim(); error != 0) return error;
    const int error = write_meta_in_folder();
    return error == EEXIST ? ENOTEMPTY : error; // another process was faster
}

int begin_further() {
    const int error = plan->folder.claim_further();
    return error != 0 ? error : write_meta_in_folder();
}

int begin_in_folder() {
    int error = begin_first();
    if (error == ENOTEMPTY && plan->folder.is_shared()) error = begin_further();
    if (error != 0 && error != ENOTEMPTY) plan->folder.disclaim();
    return error;
}

// A number of each stream, by stream number; the last is the highest one.
template <class Number>
void write_of_each(JsonFile& json, const char* key, Stream* const* by_number, std::uint32_t streams, Number&& number) {
    json.begin(key, '[');
    for (std::uint32_t at = 0, met = 0; met < streams; ++at) {
        Stream* const stream = by_number[at];
        met += stream != nullptr;
        json.item(stream != nullptr ? number(*stream) : 0);
    }
    json.end(']');
}

void write_turns(JsonFile& json, Stream* const* by_number, std::uint32_t streams) {
    using Turns = Stream::Turns;
    struct Column {
        const char* key;
        std::uint64_t Turns::* value;
    };
    constexpr Column kColumns[] = {
        {"turns", &Turns::turns}, {"hasty_turns", &Turns::hasty_turns}, {"hasty_ticks", &Turns::hasty_ticks}};
    for (const Column& column : kColumns)
        write_of_each(json, column.key, by_number, streams,
                      [&](const Stream& stream) { return stream.turns().*column.value; });
}

// Of the recorded time, but for the memory, of which the kernel knows no beginning.
void write_usage(JsonFile& json) {
    const Usage& before = recording->usage_before;
    const Usage usage = usage_of_process();
    json.number("minor_faults", usage.minor_faults - std::min(usage.minor_faults, before.minor_faults));
    json.number("system_ns", usage.system_ns - std::min(usage.system_ns, before.system_ns));
    json.number("most_resident_bytes", usage.most_resident_bytes);
}

void write_regions(JsonFile& json) {
    if (window::every() == 0) return;
    const nth_regions::Totals totals = nth_regions::totals();
    json.number("every", window::every());
    json.number("regions_met", totals.met);
    json.number("regions_recorded", totals.recorded);
}

// Why records are lost, as far as it is known.
void write_reason_of_loss(JsonFile& json) {
    const Folder& folder = plan->folder;
    char text[256] = "";
    if (const char* const doing = folder.failed_doing(); doing != nullptr) {
        const int error = static_cast<int>(-folder.failure_reason());
        std::snprintf(text, sizeof text, "a stream could not be %s: %s", doing, words_for(error));
    } else if (folder.has_reached_limit()) {
        std::snprintf(text, sizeof text, "the recording had reached the limit of its size");
    }
    if (text[0] != '\0') json.string("lost_because", text);
}

int write_end(Stream* const* by_number, std::uint32_t streams, std::uint64_t lost_records) {
    const long folder = plan->folder.open();
    if (folder < 0) return static_cast<int>(-folder);
    JsonFile json(folder, "end.json");
    json.number("start_ticks", recording->origin.ticks);
    json.number("end_monotonic_ns", base::monotonic_ns());
    json.number("end_ticks", base::ticks());
    json.number("streams", streams);
    json.number("lost_records", lost_records);
    if (lost_records != 0) write_reason_of_loss(json);
    json.number("cpu_ns", cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
    write_usage(json);
    write_regions(json);
    plan->runtimes.read(); // the program may have loaded some since
    plan->runtimes.write(json);
    write_turns(json, by_number, streams);
    write_of_each(json, "stream_bytes", by_number, streams, [](Stream& stream) { return stream.seal(); });
    write_of_each(json, "thread_cpu_ns", by_number, streams,
                  [](const Stream& stream) { return stream.thread_cpu_ns(); });
    return json.commit();
}

std::uint32_t this_thread() { return static_cast<std::uint32_t>(call(SYS_gettid)); }

// What any thread used until then was work of the program's serial part: another thread than the
// one that loaded the library may have slept while that one worked.
void note_first(std::uint32_t thread) {
    const bool has_loaded = recording->first_thread == thread;
    if (!has_loaded) recording->start_cpu_ns = recording->start_process_cpu_ns;
    recording->first_thread = thread;
    recording->met_cpu_ns = cpu_ns(has_loaded ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID);
}

std::optional<std::uint64_t> delays_ns(std::uint32_t one, std::uint32_t other) {
    const auto own = delay_ns(one);
    if (one == other || !own) return own;
    const auto more = delay_ns(other);
    return more ? std::optional(*own + *more) : std::nullopt;
}

bool begin(const Guest& guest) TEFF_REQUIRES(recording->lock) {
    int error = 0;
    const std::uint32_t thread = this_thread(), loader = recording->first_thread;
    note_first(thread);
    look_for_processor();
    recording->costs.measure(guest, plan->folder);
    recording->usage_before = usage_of_process();
    auto work = [&error, memory = &recording->stream_memory, delay = &recording->met_delay_ns, thread, loader] {
        *delay = delays_ns(thread, loader);
        error = begin_in_folder();
        memory->read_limit();
    };
    if (const int not_run = run_apart(guest, recording->stack, work); not_run != 0) error = not_run;
    if (error == ENOTEMPTY)
        say(guest, "TEFF_TRACE: %s exists and is not an empty directory: nothing is recorded", plan->folder.path());
    else if (error == Folder::kFullUnsaid)
        say(guest, "TEFF_TRACE: %s has no room left for more processes: this one and those after it are not recorded",
            plan->folder.path());
    else if (error != 0 && error != Folder::kFull)
        say(guest, "TEFF_TRACE: %s cannot be used (%s): nothing is recorded", plan->folder.path(), words_for(error));
    plan->shared.store(error == 0, std::memory_order_release); // [plan-1]
    return error == 0;
}

// False: nothing can be recorded now.
bool begin_if_announced(const Guest& guest) TEFF_REQUIRES(recording->lock) {
    if (recording->state == State::kAnnounced && guest.may_call())
        recording->state = begin(guest) ? State::kOn : State::kOver;
    return recording->state == State::kOn;
}

// By the first record of a stream that was made before the recording had begun.
bool begin_late(const Guest& guest) {
    const sync::MutexGuard guard(recording->lock);
    return begin_if_announced(guest);
}

// The kernel lets a user have 516 KiB of such memory for each processor (perf_event_mlock_kb), and
// then takes what the program may lock itself (RLIMIT_MEMLOCK). So the first threads of each
// processor get most, and all of them together no more than two thirds.
std::size_t switch_pages(std::uint32_t number) {
    const auto processors = static_cast<std::uint32_t>(plan->processors > 0 ? plan->processors : 1);
    if (number < 2 * processors) return SwitchRing::kMostPages;
    return number < 8 * processors ? SwitchRing::kFewestPages : 0;
}

// From the same memory. The first thread runs the program's serial parts, in which it may meet no
// event for long.
std::size_t sample_pages(std::uint32_t number) {
    const auto processors = static_cast<std::uint32_t>(plan->processors > 0 ? plan->processors : 1);
    if (number == 0) return SampleRing::kMostPages;
    if (number < 2 * processors) return SampleRing::kMostPages / 4;
    return number < 8 * processors ? EventRing::kFewestPages : 0;
}

Stream* make_stream(std::uint32_t number) TEFF_REQUIRES(recording->lock) {
    Stream* stream = Stream::make(recording->stream_memory, plan->folder, number, recording->origin,
                                  plan->ticks_per_second / kCpuTimesPerSecond);
    if (stream == nullptr) return nullptr;
    if (icv::global().trace_call_paths != 0) stream->follow_calls(icv::global().trace_call_paths);
    if (icv::global().trace_last_MiB != 0) stream->keep_last(icv::global().trace_last_MiB);
    if (icv::global().trace_switches) stream->follow_switches(switch_pages(number));
    if (const std::uint32_t rate = icv::global().trace_samples; rate != 0)
        stream->take_samples(1'000'000'000u / rate, sample_pages(number));
    if (icv::global().trace_stacks) stream->take_stacks();
    stream->count_events(plan->events);
    stream->next = recording->streams.load(std::memory_order_relaxed);
    recording->streams.store(stream, std::memory_order_release); // [streams-1]
    ++recording->stream_count;
    return recording->by_number[number] = stream;
}

// It is not known how much is missing of such a thread.
Stream* leave_out(const Guest& guest, const char* reason) TEFF_REQUIRES(recording->lock) {
    if (++recording->threads_left_out == 1)
        say(guest, "%s: a thread is not recorded, for %s", plan->folder.path(), reason);
    return nullptr;
}

Stream* find_stream(const Guest& guest, std::uint32_t number) {
    const sync::MutexGuard guard(recording->lock);
    (void)begin_if_announced(guest);
    if (recording->state == State::kNone || recording->state == State::kOver) return nullptr;
    if (number >= TEFF_TRACE_STREAMS) return leave_out(guest, "there are more than 32,768 of them");
    Stream* const known = recording->by_number[number];
    if (known != nullptr) return known;
    if (recording->stream_memory.is_used_up())
        return leave_out(guest, "those before it have an eighth of the process's mappings (vm.max_map_count)");
    Stream* const made = guest.may_call() ? make_stream(number) : nullptr;
    return made != nullptr ? made : leave_out(guest, "there is no memory for it");
}

// When nobody else is there.
void announce(Recording& fresh) {
    const sync::MutexGuard guard(fresh.lock);
    fresh.origin = {base::ticks(), base::monotonic_ns()};
    fresh.start_cpu_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    fresh.start_process_cpu_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    fresh.first_thread = this_thread();
    fresh.state = State::kAnnounced;
    nth_regions::reset_totals();
    if (window::is_on()) may_tell_of_locks(kTrace);
}

// In a child that cannot have a recording of its own, and may still have its parent's in memory.
void abandon() {
    ::new (&recording->lock) sync::Mutex; // whoever held it is not in this process
    const sync::MutexGuard guard(recording->lock);
    for_each_stream([](Stream& stream) { stream.abandon(); });
    recording->state = State::kOver;
}

// Null: there is no memory, or the path cannot be told.
Plan* make_plan(std::string_view wanted, int usable_processors, void (*note_groups)(MemoryGroups&)) {
    void* const memory = map_memory(sizeof(Plan));
    if (memory == nullptr) return base::warn("TEFF_TRACE: there is no memory: nothing is recorded"), nullptr;
    auto& made = *::new (memory) Plan;
    if (note_groups != nullptr) note_groups(made.folder.memory_groups());
    made.shared.store(made.folder.note_session(icv::global().trace_session), std::memory_order_relaxed);
    made.launch.note_environment(environ);
    made.processors = usable_processors;
    made.events = CountedEvents::parse(icv::global().trace_counters);
    if (made.events.count == 0 && !icv::global().trace_counters.empty())
        base::warn("TEFF_TRACE_COUNTERS does not begin with NAME=TYPE:CONFIG: nothing is counted");
    if (const int error = made.folder.note_path(wanted); error != 0) {
        base::warn("TEFF_TRACE: where %.*s is cannot be told (%s): nothing is recorded",
                   static_cast<int>(wanted.size()), wanted.data(), words_for(error));
        return nullptr;
    }
    return &made;
}

// After the window has ended.
void silence_all(Stream* own, Ticks when) {
    tell_no_more_of_locks(kTrace);
    if (own != nullptr) own->end_window(window::number(), when);
    for_each_stream([when](Stream& stream) { stream.silence(when); }); // [window-1]
}

} // namespace

void announce_recording(int usable_processors, void (*note_groups)(MemoryGroups&)) {
    const auto wanted = icv::global().trace_directory;
    if (wanted.empty()) return;
    note_surroundings();
    prepare_to_find_modules();
    if (icv::global().trace_call_paths != 0) prepare_to_find_python();
    if (icv::global().trace_stacks && sample_signal::prepare()) prepare_to_read_python();
    Plan* const made = make_plan(wanted, usable_processors, note_groups);
    if (made == nullptr) return;
    void* const memory = map_memory(sizeof(Recording));
    if (memory == nullptr) return base::warn("TEFF_TRACE: there is no memory: nothing is recorded");
    made->reaches_children = call(SYS_madvise, memory, sizeof(Recording), MADV_WIPEONFORK) == 0;
    auto& fresh = *::new (memory) Recording;
    const icv::GlobalIcvs& icvs = icv::global();
    window::plan(base::monotonic_ns(),
                 {.delay_ms = icvs.trace_delay_ms, .duration_ms = icvs.trace_duration_ms, .every = icvs.trace_every});
    announce(fresh);
    plan = made;
    recording = &fresh;
}

void note_devices(const Launch::Devices& devices) {
    if (plan != nullptr) plan->launch.note_devices(devices);
}

Stream* open_stream(std::uint32_t number, bool joins) {
    if (recording == nullptr) return nullptr;
    const Ticks came = base::ticks();
    const Guest guest;
    Stream* const stream = find_stream(guest, number);
    if (stream != nullptr && joins) stream->begin_thread(came);
    return stream;
}

bool begin_window() {
    if (recording == nullptr || !window::try_begin()) return false;
    if (window::is_on()) may_tell_of_locks(kTrace);
    return true;
}

bool end_window(Stream* own, base::Ticks when) {
    if (recording == nullptr || !window::try_end()) return false;
    silence_all(own, when);
    return true;
}

void begin_window_by_region() {
    if (recording != nullptr && window::try_begin_by_region()) may_tell_of_locks(kTrace);
}

void end_window_by_region(Stream* own) {
    if (recording == nullptr || !window::try_end_by_region()) return;
    if (own != nullptr) own->fragment_ends();
    silence_all(own, base::ticks());
}

void end_window_if_over(Stream* own) {
    const auto late_ns = window::over_since();
    if (!late_ns) return;
    const unsigned __int128 late = static_cast<unsigned __int128>(*late_ns) * plan->ticks_per_second / 1'000'000'000u;
    (void)end_window(own, base::ticks() - static_cast<Ticks>(late));
}

void finish_recording(Stream* own) {
    if (recording == nullptr) return;
    end_window_if_over(own);
    const Guest guest;
    const sync::MutexGuard guard(recording->lock);
    const bool was_on = recording->state == State::kOn;
    recording->state = State::kOver;
    if (!was_on) return;
    if (own != nullptr && window::is_on()) own->close();
    std::uint64_t lost = recording->threads_left_out;
    for_each_stream([&lost](const Stream& stream) { lost += stream.lost_records(); });
    int error = 0;
    auto work = [&error, streams = recording->by_number, count = recording->stream_count, lost] {
        error = write_end(streams, count, lost);
        for_each_stream([](Stream& stream) { stream.trim(); });
    };
    if (const int not_run = run_apart(guest, recording->stack, work); not_run != 0) error = not_run;
    if (error != 0)
        say(guest, "%s/end.json cannot be written (%s): the recording will look incomplete", plan->folder.path(),
            words_for(error));
}

bool end_lock_hold(const void* lock, LockHold& hold) {
    if (recording == nullptr) return false;
    Stream* stream = recording->streams.load(std::memory_order_acquire); // [streams-1]
    while (stream != nullptr && !stream->lock_holds().end(lock, hold))
        stream = stream->next;
    return stream != nullptr;
}

void stand_in_for_chunk(void* chunk) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    (void)call(SYS_mmap, chunk, TEFF_TRACE_CHUNK_BYTES, PROT_READ | PROT_WRITE, kFlags, -1, 0);
}

// [plan-1] What a thread of the parent had stored before the folder counted as shared is there in
//          the child, which finds the stores of each thread in their order.
void begin_anew() {
    if (recording == nullptr) return;
    if (!plan->reaches_children || !plan->shared.load(std::memory_order_acquire)) return abandon(); // [plan-1]
    plan->folder.begin_anew();
    plan->launch.forget_devices();
    announce(*::new (recording) Recording);
}

Stream* begin_anew(std::uint32_t number, std::uint64_t task) {
    begin_anew();
    if (recording == nullptr || number >= TEFF_TRACE_STREAMS) return nullptr;
    const Guest guest;
    const sync::MutexGuard guard(recording->lock);
    if (recording->state != State::kAnnounced || !guest.may_call()) return nullptr;
    Stream* const stream = make_stream(number);
    if (stream == nullptr) return nullptr;
    stream->begin_with(task, begin_late);
    stream->open_counters(guest);
    return stream;
}

} // namespace teff::probe::trace
