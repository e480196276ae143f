// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/recording.h"

#include <cerrno>
#include <ctime>
#include <new>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "base/report.h"
#include "icv/icv.h"
#include "probe/trace/apart.h"
#include "probe/trace/calls.h"
#include "probe/trace/json.h"
#include "probe/trace/launch.h"
#include "sync/mutex.h"

extern char** environ;

namespace teff::probe::trace {

namespace {

enum class State : std::uint8_t { kNone, kAnnounced, kOn, kOver };

// In pages of its own, only where a recording is asked for. They are zero from the system, and stay
// untouched as long as nothing is written: arrays have no initialiser. A forked child finds them
// zero again: then nothing is recorded, and nobody holds the lock.
struct Recording {
    sync::Mutex lock;
    State state TEFF_GUARDED_BY(lock) = State::kNone;
    Stream* streams TEFF_GUARDED_BY(lock) = nullptr;
    std::uint32_t stream_count TEFF_GUARDED_BY(lock) = 0;
    std::uint64_t threads_left_out TEFF_GUARDED_BY(lock) = 0;
    Stream* by_number[TEFF_TRACE_STREAMS] TEFF_GUARDED_BY(lock);
    ApartStack stack TEFF_GUARDED_BY(lock);
    StreamMemory stream_memory TEFF_GUARDED_BY(lock);
    Stream::Instant origin{}; // when the library was loaded
    int processors = 0;
    Folder folder{icv::global().trace_limit_MiB};
    Launch launch;
};

Recording* recording = nullptr; // set at most once, before there are other threads

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
    json.number("ticks_per_second", measure_ticks_per_second());
    json.number("processors", static_cast<std::uint64_t>(recording->processors));
    recording->launch.write(json);
    return json.commit();
}

int write_meta_in_folder() {
    const long folder = recording->folder.open();
    if (folder < 0) return static_cast<int>(-folder);
    recording->launch.read_command();
    return write_meta(folder);
}

int begin_in_folder() {
    if (const int error = recording->folder.claim(); error != 0) return error;
    const int error = write_meta_in_folder();
    if (error == EEXIST) return ENOTEMPTY; // another process was faster
    if (error != 0) recording->folder.disclaim();
    return error;
}

// A number of each stream, by stream number; the last is the highest one.
template <class Number>
void write_of_each(JsonFile& json, const char* key, Stream* const* by_number, std::uint32_t streams, Number&& number) {
    json.begin(key, '[');
    for (std::uint32_t at = 0, met = 0; met < streams; ++at) {
        const Stream* const stream = by_number[at];
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
    constexpr Column kColumns[] = {{"turns", &Turns::turns},
                                   {"turns_in_place", &Turns::in_place},
                                   {"hasty_turns", &Turns::hasty_turns},
                                   {"hasty_ticks", &Turns::hasty_ticks}};
    for (const Column& column : kColumns)
        write_of_each(json, column.key, by_number, streams,
                      [&](const Stream& stream) { return stream.turns().*column.value; });
}

int write_end(Stream* const* by_number, std::uint32_t streams, std::uint64_t lost_records) {
    const long folder = recording->folder.open();
    if (folder < 0) return static_cast<int>(-folder);
    JsonFile json(folder, "end.json");
    json.number("end_monotonic_ns", base::monotonic_ns());
    json.number("end_ticks", base::ticks());
    json.number("streams", streams);
    json.number("lost_records", lost_records);
    json.number("cpu_ns", cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
    write_turns(json, by_number, streams);
    write_of_each(json, "thread_cpu_ns", by_number, streams,
                  [](const Stream& stream) { return stream.thread_cpu_ns(); });
    return json.commit();
}

bool begin(const Guest& guest) TEFF_REQUIRES(recording->lock) {
    int error = 0;
    auto work = [&error, memory = &recording->stream_memory] {
        error = begin_in_folder();
        memory->read_limit();
    };
    if (const int not_run = run_apart(guest, recording->stack, work); not_run != 0) error = not_run;
    if (error == ENOTEMPTY)
        say(guest, "TEFF_TRACE: %s exists and is not an empty directory: nothing is recorded",
            recording->folder.path());
    else if (error != 0)
        say(guest, "TEFF_TRACE: %s cannot be used (%s): nothing is recorded", recording->folder.path(),
            words_for(error));
    return error == 0;
}

Stream* make_stream(std::uint32_t number) TEFF_REQUIRES(recording->lock) {
    Stream* stream = Stream::make(recording->stream_memory, recording->folder, number, recording->origin);
    if (stream == nullptr) return nullptr;
    stream->next = recording->streams;
    recording->streams = stream;
    ++recording->stream_count;
    return recording->by_number[number] = stream;
}

// How much is missing of such a thread, nobody knows.
Stream* leave_out(const Guest& guest, const char* reason) TEFF_REQUIRES(recording->lock) {
    if (++recording->threads_left_out == 1)
        say(guest, "%s: a thread is not recorded, for %s", recording->folder.path(), reason);
    return nullptr;
}

Stream* find_stream(const Guest& guest, std::uint32_t number) {
    const sync::MutexGuard guard(recording->lock);
    if (recording->state == State::kAnnounced && guest.may_call())
        recording->state = begin(guest) ? State::kOn : State::kOver;
    if (recording->state == State::kNone || recording->state == State::kOver) return nullptr;
    if (number >= TEFF_TRACE_STREAMS) return leave_out(guest, "there are more than 32,768 of them");
    Stream* const known = recording->by_number[number];
    if (known != nullptr) return known;
    if (recording->stream_memory.is_used_up())
        return leave_out(guest, "those before it have an eighth of the process's mappings (vm.max_map_count)");
    Stream* const made = guest.may_call() ? make_stream(number) : nullptr;
    return made != nullptr ? made : leave_out(guest, "there is no memory for it");
}

// By the library's constructor, when nobody else is there.
void announce(Recording& fresh, int usable_processors) {
    const sync::MutexGuard guard(fresh.lock);
    fresh.origin = {base::ticks(), base::monotonic_ns()};
    fresh.processors = usable_processors;
    fresh.launch.note_environment(environ);
    fresh.state = State::kAnnounced;
    recording = &fresh;
}

} // namespace

void announce_recording(int usable_processors, void (*note_groups)(MemoryGroups&)) {
    const auto wanted = icv::global().trace_directory;
    if (wanted.empty()) return;
    void* memory = map_memory(sizeof(Recording));
    if (memory == nullptr) return base::warn("TEFF_TRACE: there is no memory: nothing is recorded");
    call(SYS_madvise, memory, sizeof(Recording), MADV_WIPEONFORK);
    auto& fresh = *::new (memory) Recording;
    note_surroundings();
    prepare_to_find_modules();
    if (note_groups != nullptr) note_groups(fresh.folder.memory_groups());
    if (const int error = fresh.folder.note_path(wanted); error != 0)
        return base::warn("TEFF_TRACE: where %.*s is cannot be told (%s): nothing is recorded",
                          static_cast<int>(wanted.size()), wanted.data(), words_for(error));
    announce(fresh, usable_processors);
}

Stream* open_stream(std::uint32_t number) {
    if (recording == nullptr) return nullptr;
    const Guest guest;
    Stream* const stream = find_stream(guest, number);
    if (stream != nullptr) stream->begin_thread();
    return stream;
}

void finish_recording(Stream* own) {
    if (recording == nullptr) return;
    const Guest guest;
    const sync::MutexGuard guard(recording->lock);
    const bool was_on = recording->state == State::kOn;
    recording->state = State::kOver;
    if (!was_on) return;
    if (own != nullptr) own->close();
    std::uint64_t lost = recording->threads_left_out;
    for (const Stream* stream = recording->streams; stream != nullptr; stream = stream->next)
        lost += stream->lost_records();
    int error = 0;
    auto work = [&error, streams = recording->by_number, count = recording->stream_count, lost] {
        error = write_end(streams, count, lost);
    };
    if (const int not_run = run_apart(guest, recording->stack, work); not_run != 0) error = not_run;
    if (error != 0)
        say(guest, "%s/end.json cannot be written (%s): the recording will look incomplete", recording->folder.path(),
            words_for(error));
}

void abandon_recording() {
    if (recording == nullptr) return;
    ::new (&recording->lock) sync::Mutex; // whoever held it is not in this process
    const sync::MutexGuard guard(recording->lock);
    for (Stream* stream = recording->streams; stream != nullptr; stream = stream->next)
        stream->abandon();
    recording->state = State::kOver;
}

} // namespace teff::probe::trace
