// SPDX-License-Identifier: Apache-2.0
#include "device/placement.h"

#include <iterator>

#include "base/list.h"
#include "device/host.h"
#include "device/item_use.h"
#include "device/place_policy.h"
#include "device/unfinished_writes.h"
#include "icv/icv.h"
#include "sync/mutex.h"

namespace teff::device {

namespace {

// In the order of icv::kDevicePlacements; the first is no policy.
constexpr const PlacePolicy* kPolicies[] = {nullptr, &place_by_locality, &place_in_turn};
static_assert(std::size(kPolicies) == std::size(icv::kDevicePlacements));

const PlacePolicy* policy = nullptr; // set before the first construct

sync::Mutex mutex;
// Guarded by `mutex`.
UnfinishedWrites writes;
base::List<unsigned> unfinished; // regions of each device

int device_that_writes(const Items& items) {
    for (std::size_t i = 0; i < items.count; ++i) {
        const Range range = written_by(items, i);
        const int device = range.bytes != 0 ? writes.device_of(range) : UnfinishedWrites::kNone;
        if (device != UnfinishedWrites::kNone) return device;
    }
    return UnfinishedWrites::kNone;
}

// Data that are on the chosen device are a stronger reason than what unfinished regions write.
unsigned choose_by_policy(const Items& items, unsigned default_device) {
    const auto count = static_cast<unsigned>(unfinished.size());
    base::List<bool> has; // element `device * items.count + item`
    base::List<DeviceView> views;
    has.resize(count * items.count);
    for (unsigned device = 0; device < count; ++device)
        find_present(device, items, has.data() + device * items.count);
    for (unsigned device = 0; device < count; ++device)
        views.push({false, true, unfinished[device]});
    for (std::size_t i = 0; i < items.count; ++i) {
        bool any = false;
        for (unsigned device = 0; device < count; ++device)
            any = any || has[device * items.count + i];
        for (unsigned device = 0; device < count; ++device) {
            const bool own = has[device * items.count + i];
            views[device].has_some = views[device].has_some || own;
            views[device].has_all = views[device].has_all && (own || !any);
        }
    }
    const unsigned chosen = policy->choose(views.data(), count, default_device);
    const int writing = views[chosen].has_some ? UnfinishedWrites::kNone : device_that_writes(items);
    return writing != UnfinishedWrites::kNone ? static_cast<unsigned>(writing) : chosen;
}

unsigned choose(const Items& items, unsigned default_device) {
    return is_bound_to(default_device, items) ? default_device : choose_by_policy(items, default_device);
}

} // namespace

void choose_place_policy(unsigned devices) {
    policy = devices > 1 ? kPolicies[icv::global().device_placement] : nullptr;
    unfinished.resize(devices);
}

bool places_regions() { return policy != nullptr; }

unsigned place(const Items& items, unsigned asked, bool has_clause) {
    const sync::MutexGuard guard(mutex);
    const unsigned device = has_clause ? asked : choose(items, asked);
    ++unfinished[device];
    for (std::size_t i = 0; i < items.count; ++i)
        if (const Range range = written_by(items, i); range.bytes != 0) writes.add(range, device);
    return device;
}

void unplace(const Items& items, unsigned device) {
    const sync::MutexGuard guard(mutex);
    --unfinished[device];
    for (std::size_t i = 0; i < items.count; ++i)
        if (const Range range = written_by(items, i); range.bytes != 0) writes.remove(range);
}

} // namespace teff::device
