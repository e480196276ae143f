// SPDX-License-Identifier: Apache-2.0
#include "task/run_times.h"

#include <algorithm>

namespace teff::task {

constinit RunTimes run_times;

RunTime after_task(RunTime before, base::Ticks ran) {
    constexpr base::Ticks kMost = UINT32_MAX / 8; // sums below do not overflow
    const auto now = static_cast<std::uint32_t>(std::clamp<base::Ticks>(ran, 1, kMost));
    if (before.mean == 0) return {now, now / 2};
    const std::uint32_t distance = std::max(now, before.mean) - std::min(now, before.mean);
    const std::uint32_t mean = (before.mean * 7 + now) / 8, deviation = (before.deviation * 3 + distance) / 4;
    return {std::max(mean, 1u), deviation};
}

bool preempting_pays(const RunTime& known, base::Ticks age, base::Ticks price) {
    if (known.mean == 0) return true;
    const base::Ticks longest = base::Ticks{known.mean} + 2 * base::Ticks{known.deviation};
    return age > longest || longest - age >= price;
}

unsigned RunTimes::slot_of(const void* function) {
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    return static_cast<unsigned>((address >> 4) * 0x9e37'79b9u >> 16) % kSlots;
}

RunTime RunTimes::of(const void* function) const {
    const Slot& slot = slots_[slot_of(function)];
    const bool is_known = slot.function.load(std::memory_order_relaxed) == function;
    return is_known ? slot.time.load(std::memory_order_relaxed) : RunTime{};
}

void RunTimes::add(const void* function, base::Ticks ran) {
    Slot& slot = slots_[slot_of(function)];
    const RunTime before = of(function);
    if (before.mean == 0) slot.function.store(function, std::memory_order_relaxed);
    slot.time.store(after_task(before, ran), std::memory_order_relaxed);
}

} // namespace teff::task
