// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/calls.h"

#include <cinttypes>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace teff::probe::trace {

namespace {

// What a file of the kernel begins with; nothing if there is none.
struct Beginning {
    Beginning(long folder, const char* path) {
        const long file = call(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC, 0);
        if (file < 0) return;
        const long bytes = call(SYS_read, file, text, sizeof text);
        call(SYS_close, file);
        if (bytes > 0) end = text + bytes;
    }

    char text[48];
    const char* end = text;
};

// Moves `at` behind the number at which it is.
std::optional<std::uint64_t> number_at(const char*& at, const char* end) {
    const char* const begin = at;
    std::uint64_t number = 0;
    for (; at < end && *at >= '0' && *at <= '9'; ++at)
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, static_cast<std::uint64_t>(*at - '0'), &number))
            return std::nullopt;
    return at > begin ? std::optional(number) : std::nullopt;
}

} // namespace

void* map_memory(std::size_t bytes) {
    constexpr int kProtection = PROT_READ | PROT_WRITE, kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
    const long at = call(SYS_mmap, nullptr, bytes, kProtection, kFlags, -1, 0);
    return is_error(at) ? nullptr : std::bit_cast<void*>(at);
}

std::uint64_t cpu_ns(clockid_t clock) {
    timespec time;
    if (call(SYS_clock_gettime, clock, &time) < 0) return 0;
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

Switches own_switches() {
    rusage usage;
    if (call(SYS_getrusage, RUSAGE_THREAD, &usage) < 0) return {};
    return {.waits = static_cast<std::uint16_t>(usage.ru_nvcsw),
            .preemptions = static_cast<std::uint16_t>(usage.ru_nivcsw)};
}

Usage usage_of_process() {
    rusage usage;
    if (call(SYS_getrusage, RUSAGE_SELF, &usage) < 0) return {};
    const timeval& time = usage.ru_stime;
    return {.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt),
            .system_ns = static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
                         static_cast<std::uint64_t>(time.tv_usec) * 1'000u,
            .most_resident_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024u};
}

// As the kernel numbers them (include/linux/posix-timers_types.h): the thread's id inverted, then 4
// for one thread alone and 2 for the time that the scheduler has measured.
clockid_t clock_of_thread(std::uint32_t os_thread) { return static_cast<clockid_t>(~os_thread << 3 | 4u | 2u); }

std::optional<std::uint64_t> read_number(long folder, const char* path) {
    const Beginning file(folder, path);
    const char* at = file.text;
    return number_at(at, file.end);
}

// The file has the thread's processor time, which may be some milliseconds old, and then the delay,
// which ended when the thread last got its processor.
std::optional<std::uint64_t> delay_ns(std::uint32_t os_thread) {
    char path[sizeof "/proc/4294967295/schedstat"];
    std::snprintf(path, sizeof path, "/proc/%" PRIu32 "/schedstat", os_thread);
    const Beginning file(AT_FDCWD, path);
    const char* at = file.text;
    if (!number_at(at, file.end) || at == file.end || *at++ != ' ') return std::nullopt;
    return number_at(at, file.end);
}

} // namespace teff::probe::trace
