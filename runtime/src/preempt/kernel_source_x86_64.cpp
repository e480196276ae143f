// SPDX-License-Identifier: Apache-2.0
#include "preempt/kernel_source.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/arch/arch.h"
#include "base/report.h"
#include "preempt/code_ranges.h"
#include "preempt/handler.h"
#include "preempt/tick_source.h"
#include "sync/mutex.h"

namespace teff::preempt {

namespace {

// The time from a tick that could not enter to the next tick: short compared with a task that is
// worth preempting, and long compared with the cost of a tick (some microseconds).
constexpr std::uint64_t kPeriod_ns = 50'000;

// The module enters a thread only where the pages below its stack pointer are there already. So
// those that a task has yet to reach are touched, to this depth.
constexpr std::uintptr_t kTouched = 16 << 10;

constinit sync::Mutex lock;
constinit bool tried TEFF_GUARDED_BY(lock) = false;
constinit int opened TEFF_GUARDED_BY(lock) = -ENODEV; // what opening came to
constinit tick_source source{.fd = -1, .slot_count = 0, .mapped_bytes = 0, .slots = nullptr};

void enter(tick_frame* frame, const void* extended) {
    on_tick({reinterpret_cast<const void*>(frame->ip), tick_interrupted_stack(frame), frame->rbp},
            base::arch::saved_float_modes(extended));
}

// As many ranges as the module takes: what lies in others gives way when it comes back from there.
void tell_code_locked() TEFF_REQUIRES(lock) {
    std::array<teff_preempt_range, TEFF_PREEMPT_MAX_RANGES> ranges;
    const std::span<const CodeRange> code = code_ranges();
    const std::size_t count = std::min(code.size(), ranges.size());
    for (std::size_t i = 0; i < count; ++i)
        ranges[i] = {code[i].begin, code[i].end};
    const int result = tick_source_ranges(&source, ranges.data(), static_cast<std::uint32_t>(count));
    if (result < 0) base::warn("the kernel module refuses the code's ranges: %s", tick_source_explain(result));
}

int open_locked() TEFF_REQUIRES(lock) {
    if (tried) return opened;
    tried = true;
    const tick_config wanted{.handler = enter, .period_ns = kPeriod_ns, .slots = TEFF_PREEMPT_MAX_SLOTS};
    opened = tick_source_open(&source, &wanted);
    if (opened == 0) tell_code_locked();
    return opened;
}

// The current stack, from here down.
[[gnu::no_sanitize_address]] void touch(std::uintptr_t low) {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t last = std::max(low, here - kTouched);
    for (std::uintptr_t at = here; at > last; at -= base::arch::kPageBytes) {
        auto* const byte = reinterpret_cast<volatile char*>(at);
        *byte = *byte; // it may be in use
    }
}

int slot_of(const Target& target) { return target.slot.load(std::memory_order_relaxed); }

} // namespace

int bind_to_module(Target& self) {
    const sync::MutexGuard guard(lock);
    if (const int result = open_locked(); result < 0) return result;
    const int slot = tick_source_bind(&source, reinterpret_cast<const std::uint32_t*>(&detail::own.held));
    if (slot >= 0) self.slot.store(slot, std::memory_order_relaxed); // before the thread is registered: [target-1]
    return slot;
}

void unbind_from_module(Target& self) {
    if (slot_of(self) == Target::kNoSlot) return;
    self.slot.store(Target::kNoSlot, std::memory_order_relaxed);
    const sync::MutexGuard guard(lock);
    (void)tick_source_unbind(&source);
}

const char* explain_module_error(int result) { return tick_source_explain(result); }

void tell_module_code() {
    const sync::MutexGuard guard(lock);
    if (source.fd >= 0) tell_code_locked();
}

void tell_module_stack(Target& self, const Stack& stack) {
    const int slot = slot_of(self);
    if (slot == Target::kNoSlot) return;
    const auto low = reinterpret_cast<std::uintptr_t>(stack.low);
    const std::uintptr_t limit = low + least_stack_room();
    const auto at = static_cast<std::uint32_t>(slot);
    // Not one to leave: above all stack pointers.
    if (stack.high == nullptr) return tick_source_set_stack(&source, at, UINT64_MAX, 0);
    tick_source_set_stack(&source, at, limit, reinterpret_cast<std::uintptr_t>(stack.high));
    touch(low);
}

bool start_module_ticks(const Target& target, std::uint32_t priority) {
    const int slot = slot_of(target);
    return slot != Target::kNoSlot && tick_source_arm(&source, static_cast<std::uint32_t>(slot), priority) >= 0;
}

void stop_module_ticks(Target& self) {
    const int slot = slot_of(self);
    if (slot != Target::kNoSlot) tick_source_disarm(&source, static_cast<std::uint32_t>(slot));
}

void forget_module() { tick_source_forget(&source); }

} // namespace teff::preempt
