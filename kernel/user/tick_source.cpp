// SPDX-License-Identifier: Apache-2.0

#include "tick_source.h"

#include <cerrno>
#include <cpuid.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {

// For the trampoline. tick_source_open sets them before any thread is bound, so before any tick
// enters.
__attribute__((visibility("hidden"))) uint64_t tick_xsave_mask;
__attribute__((visibility("hidden"))) uint64_t tick_xsave_bytes;
__attribute__((visibility("hidden"))) void tick_dispatch(tick_frame* frame);
}

namespace {

tick_handler handler;

constexpr uint32_t XSAVE_LEAF = 0xd;
constexpr uint32_t OSXSAVE = 1U << 27; // of leaf 1's ecx

/// Learns which state the kernel has enabled, and how many bytes it takes.
bool learn_xsave() {
    uint32_t a = 0;
    uint32_t b = 0;
    uint32_t c = 0;
    uint32_t d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE)) return false;
    if (!__get_cpuid_count(XSAVE_LEAF, 0, &a, &b, &c, &d)) return false;
    tick_xsave_bytes = b;
    uint32_t low = 0;
    uint32_t high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    tick_xsave_mask = uint64_t{high} << 32 | low;
    return true;
}

int call(const tick_source* source, unsigned long command, const void* argument) {
    int result = ioctl(source->fd, command, argument);
    return result < 0 ? -errno : result;
}

int set_up(tick_source* source, const tick_config* config) {
    teff_preempt_info info{};
    if (int result = call(source, TEFF_PREEMPT_INFO, &info)) return result;
    if (info.abi != TEFF_PREEMPT_ABI) return -EPROTO;
    teff_preempt_setup setup{};
    setup.entry = reinterpret_cast<uint64_t>(&tick_entry);
    setup.period_ns = config->period_ns;
    setup.slots = config->slots;
    if (int result = call(source, TEFF_PREEMPT_SETUP, &setup)) return result;

    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    source->mapped_bytes = (config->slots * sizeof(teff_preempt_slot) + page - 1) / page * page;
    void* mapped = mmap(nullptr, source->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, source->fd, 0);
    if (mapped == MAP_FAILED) return -errno;
    source->slots = static_cast<teff_preempt_slot*>(mapped);
    source->slot_count = config->slots;
    return 0;
}

} // namespace

extern "C" {

void tick_dispatch(tick_frame* frame) {
    const int saved = errno;
    handler(frame);
    errno = saved;
}

int tick_source_open(tick_source* source, const tick_config* config) {
    *source = tick_source{.fd = -1, .slot_count = 0, .mapped_bytes = 0, .slots = nullptr};
    if (!learn_xsave()) return -ENOTSUP;
    handler = config->handler;
    source->fd = open(TEFF_PREEMPT_DEVICE, O_RDWR | O_CLOEXEC);
    if (source->fd < 0) return -errno;
    const int result = set_up(source, config);
    if (result) tick_source_close(source);
    return result;
}

void tick_source_close(tick_source* source) {
    if (source->slots) munmap(source->slots, source->mapped_bytes);
    if (source->fd >= 0) close(source->fd);
    *source = tick_source{.fd = -1, .slot_count = 0, .mapped_bytes = 0, .slots = nullptr};
}

int tick_source_ranges(tick_source* source, const teff_preempt_range* ranges, uint32_t count) {
    teff_preempt_ranges wish{};
    wish.ranges = reinterpret_cast<uint64_t>(ranges);
    wish.count = count;
    return call(source, TEFF_PREEMPT_RANGES, &wish);
}

int tick_source_bind(tick_source* source, const uint32_t* hold) {
    teff_preempt_bind wish{};
    wish.hold = reinterpret_cast<uint64_t>(hold);
    return call(source, TEFF_PREEMPT_BIND, &wish);
}

int tick_source_unbind(tick_source* source) { return call(source, TEFF_PREEMPT_UNBIND, nullptr); }

int tick_source_arm(tick_source* source, uint32_t slot, uint32_t priority) {
    teff_preempt_slot* words = &source->slots[slot];
    __atomic_store_n(&words->waiting, priority, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); // the process's half of the protocol in teff_preempt.h
    if (__atomic_load_n(&words->ticking, __ATOMIC_RELAXED)) return 0;
    return call(source, TEFF_PREEMPT_KICK, reinterpret_cast<const void*>(uintptr_t{slot}));
}

void tick_source_disarm(tick_source* source, uint32_t slot) {
    __atomic_store_n(&source->slots[slot].waiting, 0, __ATOMIC_RELAXED);
}

const char* tick_source_explain(int result) {
    if (result >= 0) return "no error";
    switch (-result) {
    case ENOENT:
        return "there is no " TEFF_PREEMPT_DEVICE ": load the module, see kernel/README.md";
    case EACCES:
        return TEFF_PREEMPT_DEVICE " is not for this user: ask who administers the machine";
    case ENOTSUP:
        return "the processor or kernel has no XSAVE: use signals instead";
    case EPROTO:
        return "the module loaded is of another version of Teff: build and load this one's";
    case EINVAL:
        return "the period or the number of slots is outside of what the module allows";
    case ENOSPC:
        return "all slots are taken by live threads: ask for more when opening";
    case EBUSY:
        return "this thread is bound already, or the file is set up already";
    case EPERM:
        return "the file was opened by another process, or before exec: open it again";
    case ENOMEM:
        return "the kernel has no memory for it, or the control group's limit is reached";
    default:
        return "unexpected; see errno(3)";
    }
}
}
