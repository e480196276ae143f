// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace teff::probe::trace {

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
    const long file = call(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return std::nullopt;
    char text[24];
    const long bytes = call(SYS_read, file, text, sizeof text);
    call(SYS_close, file);
    std::uint64_t number = 0;
    long at = 0;
    for (; at < bytes && text[at] >= '0' && text[at] <= '9'; ++at)
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, static_cast<std::uint64_t>(text[at] - '0'), &number))
            return std::nullopt;
    return at > 0 ? std::optional(number) : std::nullopt;
}

} // namespace teff::probe::trace
