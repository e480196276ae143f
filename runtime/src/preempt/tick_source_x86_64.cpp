// SPDX-License-Identifier: Apache-2.0

#include "preempt/tick_source.h"

#include <algorithm>
#include <cerrno>
#include <cpuid.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/system_call.h"

extern "C" {

// For the trampoline. tick_source_open sets them before any thread is bound, so before any tick
// enters.
__attribute__((visibility("hidden"))) uint64_t tick_xsave_mask;
__attribute__((visibility("hidden"))) uint64_t tick_xsave_bytes;
__attribute__((visibility("hidden"))) void tick_dispatch(tick_frame* frame, const void* extended);
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

template <class Argument> int call(const tick_source* source, unsigned long command, Argument argument) {
    return static_cast<int>(teff::base::call(SYS_ioctl, source->fd, command, argument));
}

int set_up(tick_source* source, const tick_config* config) {
    teff_preempt_info info{};
    if (int result = call(source, TEFF_PREEMPT_INFO, &info)) return result;
    if (info.abi != TEFF_PREEMPT_ABI) return -EPROTO;
    teff_preempt_setup setup{};
    setup.entry = reinterpret_cast<uint64_t>(&tick_entry);
    setup.period_ns = std::max<std::uint64_t>(config->period_ns, info.min_period_ns);
    setup.slots = config->slots;
    if (int result = call(source, TEFF_PREEMPT_SETUP, &setup)) return result;

    constexpr size_t kPage = teff::base::arch::kPageBytes;
    source->mapped_bytes = (config->slots * sizeof(teff_preempt_slot) + kPage - 1) / kPage * kPage;
    const long mapped =
        teff::base::call(SYS_mmap, nullptr, source->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, source->fd, 0);
    if (teff::base::is_error(mapped)) return static_cast<int>(mapped);
    source->slots = reinterpret_cast<teff_preempt_slot*>(mapped);
    source->slot_count = config->slots;
    return 0;
}

} // namespace

extern "C" {

void tick_dispatch(tick_frame* frame, const void* extended) {
    const int saved = errno;
    handler(frame, extended);
    errno = saved;
}

int tick_learn_state(void) { return learn_xsave() ? 0 : -ENOTSUP; }

int tick_source_open(tick_source* source, const tick_config* config) {
    *source = tick_source{.fd = -1, .slot_count = 0, .mapped_bytes = 0, .slots = nullptr};
    if (!learn_xsave()) return -ENOTSUP;
    handler = config->handler;
    const long file = teff::base::call(SYS_openat, AT_FDCWD, TEFF_PREEMPT_DEVICE, O_RDWR | O_CLOEXEC);
    if (file < 0) return static_cast<int>(file);
    source->fd = static_cast<int>(file);
    const int result = set_up(source, config);
    if (result) tick_source_close(source);
    return result;
}

void tick_source_close(tick_source* source) {
    if (source->slots) teff::base::call(SYS_munmap, source->slots, source->mapped_bytes);
    tick_source_forget(source);
}

void tick_source_forget(tick_source* source) {
    if (source->fd >= 0) teff::base::call(SYS_close, source->fd);
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
    __atomic_store_n(&words->waiting, priority, __ATOMIC_RELEASE); // [tick-1]
    __atomic_thread_fence(__ATOMIC_SEQ_CST); // the process's half of the protocol in teff_preempt.h
    if (__atomic_load_n(&words->ticking, __ATOMIC_RELAXED)) return 0;
    return call(source, TEFF_PREEMPT_KICK, slot);
}

void tick_source_disarm(tick_source* source, uint32_t slot) {
    uint32_t* const waiting = &source->slots[slot].waiting;
    if (__atomic_load_n(waiting, __ATOMIC_RELAXED) == 0) return; // who arms from now on comes after this
    (void)__atomic_exchange_n(waiting, 0, __ATOMIC_ACQUIRE);     // [tick-1]
}

void tick_source_set_stack(tick_source* source, uint32_t slot, uint64_t low, uint64_t high) {
    teff_preempt_slot* words = &source->slots[slot];
    __atomic_store_n(&words->stack_limit, low, __ATOMIC_RELAXED);
    __atomic_store_n(&words->stack_top, high, __ATOMIC_RELAXED);
}

const char* tick_source_explain(int result) {
    if (result >= 0) return "no error";
    switch (-result) {
    case ENOENT:
        return "there is no " TEFF_PREEMPT_DEVICE ": the module is not loaded";
    case EACCES:
        return TEFF_PREEMPT_DEVICE " is not for this user";
    case ENOTSUP:
        return "the processor or kernel has no XSAVE";
    case EPROTO:
        return "the module that is loaded is of another version of Teff";
    case EINVAL:
        return "the period or the number of slots is outside of what the module allows";
    case ENOSPC:
        return "all slots are taken by live threads";
    case EBUSY:
        return "this thread is bound already, or the file is set up already";
    case EPERM:
        return "the file was opened by another process, or before exec";
    case ENOMEM:
        return "the kernel has no memory for it, or the control group's limit is reached";
    default:
        return "unexpected; see errno(3)";
    }
}
}
