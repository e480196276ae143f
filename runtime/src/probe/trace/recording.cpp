// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/recording.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

#include "base/report.h"
#include "icv/icv.h"
#include "probe/trace/json.h"
#include "sync/mutex.h"

extern char** environ;

namespace teff::probe::trace {

namespace {

enum class State : std::uint8_t { kNone, kAnnounced, kOn, kOver };

// All zero at first, so that its pages cost nothing while nothing is recorded: they are not in the library's file.
struct Recording {
    sync::Mutex lock;
    State state TEFF_GUARDED_BY(lock) = State::kNone;
    Stream* streams TEFF_GUARDED_BY(lock) = nullptr;
    std::uint32_t stream_count TEFF_GUARDED_BY(lock) = 0;
    Stream* by_number[1u << 16] TEFF_GUARDED_BY(lock) = {}; // worker numbers have 16 bits in task ids
    Stream::Instant origin{};                               // when the library was loaded
    int processors = 0;
    char directory[448] = "";
};

constinit Recording recording;

bool is_empty_directory(const char* path) {
    DIR* directory = opendir(path);
    if (directory == nullptr) return false;
    bool empty = true;
    while (const dirent* entry = readdir(directory))
        empty = empty && (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0);
    closedir(directory);
    return empty;
}

// Where the recording goes, as seen from where the program was when it started.
bool note_absolute_path() {
    const auto wanted = icv::global().trace_directory;
    char cwd[256] = "";
    const bool absolute = wanted.front() == '/';
    if (!absolute && getcwd(cwd, sizeof cwd) == nullptr) cwd[0] = '\0';
    const int length = std::snprintf(recording.directory, sizeof recording.directory, "%s%s%.*s", cwd,
                                     absolute ? "" : "/", static_cast<int>(wanted.size()), wanted.data());
    if (length >= 0 && static_cast<std::size_t>(length) < sizeof recording.directory) return true;
    base::warn("TEFF_TRACE: the path is longer than %zu bytes: nothing is recorded", sizeof recording.directory - 1);
    return false;
}

bool make_directory() {
    if (mkdir(recording.directory, 0777) == 0) return true;
    const int error = errno;
    if (error == EEXIST && is_empty_directory(recording.directory)) return true;
    base::warn("TEFF_TRACE: %s %s: nothing is recorded", recording.directory,
               error == EEXIST ? "exists and is not an empty directory" : std::strerror(error));
    return false;
}

// The counter's rate since the library was loaded, over at least a millisecond: good to 1 in 10,000. The reader refines it with the streams'
// clock pairs.
std::uint64_t measure_ticks_per_second() {
    const Stream::Instant origin = recording.origin;
    std::uint64_t now_ns;
    do
        now_ns = base::monotonic_ns();
    while (now_ns - origin.ns < 1'000'000);
    return static_cast<std::uint64_t>(static_cast<double>(base::ticks() - origin.ticks) * 1e9 /
                                      static_cast<double>(now_ns - origin.ns));
}

void write_command(JsonFile& json) {
    json.begin("command", '[');
    if (std::FILE* file = std::fopen("/proc/self/cmdline", "re")) {
        char* argument = nullptr;
        std::size_t room = 0;
        while (getdelim(&argument, &room, '\0', file) > 0)
            json.item(argument);
        std::free(argument);
        std::fclose(file);
    }
    json.end(']');
}

void write_environment(JsonFile& json) {
    json.begin("environment", '{');
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const char* text = *variable;
        const char* equals = std::strchr(text, '=');
        const bool ours = std::strncmp(text, "OMP_", 4) == 0 || std::strncmp(text, "GOMP_", 5) == 0 ||
                          std::strncmp(text, "TEFF_", 5) == 0;
        if (!ours || equals == nullptr) continue;
        char name[128];
        std::snprintf(name, sizeof name, "%.*s", static_cast<int>(equals - text), text);
        json.string(name, equals + 1);
    }
    json.end('}');
}

bool write_meta() {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    JsonFile json(recording.directory, "meta.json");
    json.string("format", "teff-trace");
    json.number("version", TEFF_TRACE_VERSION);
    json.string("runtime", "0.1.0");
    json.number("pid", static_cast<std::uint64_t>(getpid()));
    json.string("host", host);
    write_command(json);
    json.number("start_unix_ns",
                static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec));
    json.number("start_monotonic_ns", recording.origin.ns);
    json.number("start_ticks", recording.origin.ticks);
    json.number("ticks_per_second", measure_ticks_per_second());
    json.number("processors", static_cast<std::uint64_t>(recording.processors));
    write_environment(json);
    const int error = json.commit();
    if (error != 0)
        base::warn("%s/meta.json cannot be written (%s): nothing is recorded", recording.directory,
                   std::strerror(error));
    return error == 0;
}

} // namespace

void announce_recording(int usable_processors) {
    if (icv::global().trace_directory.empty() || !note_absolute_path()) return;
    const sync::MutexGuard guard(recording.lock);
    recording.origin = {base::ticks(), base::monotonic_ns()};
    recording.processors = usable_processors;
    recording.state = State::kAnnounced;
}

Stream* open_stream(std::uint32_t number) {
    const sync::MutexGuard guard(recording.lock);
    if (recording.state == State::kAnnounced)
        recording.state = make_directory() && write_meta() ? State::kOn : State::kOver;
    if (recording.state != State::kOn || number >= std::size(recording.by_number)) return nullptr;
    Stream*& stream = recording.by_number[number];
    if (stream != nullptr) return stream;
    void* memory =
        std::aligned_alloc(alignof(Stream), (sizeof(Stream) + alignof(Stream) - 1) / alignof(Stream) * alignof(Stream));
    if (memory == nullptr) return nullptr;
    stream = ::new (memory) Stream(recording.directory, number, recording.origin);
    stream->next = recording.streams;
    recording.streams = stream;
    ++recording.stream_count;
    stream->open_first_chunk();
    return stream;
}

void finish_recording(Stream* own) {
    const sync::MutexGuard guard(recording.lock);
    const bool was_on = recording.state == State::kOn;
    recording.state = State::kOver;
    if (!was_on) return;
    if (own != nullptr) own->close();
    std::uint64_t lost = 0;
    for (const Stream* stream = recording.streams; stream != nullptr; stream = stream->next)
        lost += stream->lost_records();
    JsonFile json(recording.directory, "end.json");
    json.number("end_monotonic_ns", base::monotonic_ns());
    json.number("end_ticks", base::ticks());
    json.number("streams", recording.stream_count);
    json.number("lost_records", lost);
    const int error = json.commit();
    if (error != 0)
        base::warn("%s/end.json cannot be written (%s): the recording will look incomplete", recording.directory,
                   std::strerror(error));
}

void abandon_recording() {
    ::new (&recording.lock) sync::Mutex; // whoever held it is not in this process
    const sync::MutexGuard guard(recording.lock);
    recording.state = State::kOver;
}

} // namespace teff::probe::trace
