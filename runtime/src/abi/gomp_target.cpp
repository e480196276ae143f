// SPDX-License-Identifier: Apache-2.0
//
// The exported functions of the target constructs. On the host, regions run with the host's data:
// no data are mapped, and only firstprivate data are copied. On a device, they run in another
// process (device_construct.h).
#include <cstddef>

#include "abi/device_construct.h"
#include "abi/export.h"
#include "abi/gomp_depend.h"
#include "abi/target_arguments.h"
#include "abi/target_task.h"
#include "region/league.h"

using namespace teff;
using team::current_worker;

using Body = void (*)(void*);

constexpr unsigned kGccNowait = 1, kGccExitData = 2; // in the `flags` argument

namespace {

abi::TargetOrder order_of(unsigned flags, const abi::DependList& depend, base::CallSite site) {
    return {(flags & kGccNowait) != 0, depend.items(), site};
}

void change_data(abi::DeviceAction action, int device, const abi::TargetData& data, const abi::TargetOrder& order) {
    abi::run_on_device(current_worker(), {action, static_cast<unsigned>(device), true, nullptr, 0, data, order});
}

} // namespace

// The code for devices that these calls register is never run.
TEFF_EXPORT void GOMP_offload_register(const void*, int, const void*) {}
TEFF_EXPORT void GOMP_offload_unregister(const void*, int, const void*) {}
TEFF_EXPORT void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
TEFF_EXPORT void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

// These functions without _ext are for programs that GCC 5 has compiled. Their constructs run on
// the host.
TEFF_EXPORT void GOMP_target(int device, Body body, const void*, std::size_t, void** addresses, std::size_t*,
                             unsigned char*) {
    abi::device_of(device);
    region::run_initial_task(current_worker(), {body, addresses}, 0, region::TargetTask::kIncluded, TEFF_SITE);
}

TEFF_EXPORT void GOMP_target_ext(int device, Body body, std::size_t count, void** addresses, std::size_t* sizes,
                                 unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
    const int chosen = abi::device_of(device);
    const abi::DependList list(depend);
    const abi::TargetData data = {count, addresses, sizes, kinds};
    const abi::TargetOrder order = order_of(flags, list, TEFF_SITE);
    const unsigned limit = abi::thread_limit(arguments);
    if (TEFF_UNLIKELY(chosen != abi::kOnHost))
        return abi::run_on_device(current_worker(), {abi::DeviceAction::region, static_cast<unsigned>(chosen),
                                                     abi::has_device_clause(device), body, limit, data, order});
    abi::run_target(current_worker(), {.body = body, .data = data, .thread_limit = limit, .order = order});
}

TEFF_EXPORT void GOMP_target_data(int device, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
    abi::device_of(device);
    if (device::role().usable != 0) abi::begin_data_environment(current_worker(), abi::kOnHost, {}, TEFF_SITE);
}
TEFF_EXPORT void GOMP_target_data_ext(int device, std::size_t count, void** addresses, std::size_t* sizes,
                                      unsigned short* kinds) {
    const int chosen = abi::device_of(device);
    if (TEFF_LIKELY(device::role().usable == 0)) return;
    abi::begin_data_environment(current_worker(), chosen, {count, addresses, sizes, kinds}, TEFF_SITE);
}
TEFF_EXPORT void GOMP_target_end_data() {
    if (TEFF_UNLIKELY(device::role().usable != 0)) abi::end_data_environment(current_worker(), TEFF_SITE);
}
TEFF_EXPORT void GOMP_target_update(int device, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
    abi::device_of(device);
}

TEFF_EXPORT void GOMP_target_update_ext(int device, std::size_t count, void** addresses, std::size_t* sizes,
                                        unsigned short* kinds, unsigned flags, void** depend) {
    const int chosen = abi::device_of(device);
    const abi::DependList list(depend);
    const abi::TargetOrder order = order_of(flags, list, TEFF_SITE);
    if (TEFF_UNLIKELY(chosen != abi::kOnHost))
        return change_data(abi::DeviceAction::update, chosen, {count, addresses, sizes, kinds}, order);
    abi::name_data(current_worker(), order, ompt_target_update);
}

TEFF_EXPORT void GOMP_target_enter_exit_data(int device, std::size_t count, void** addresses, std::size_t* sizes,
                                             unsigned short* kinds, unsigned flags, void** depend) {
    const int chosen = abi::device_of(device);
    const abi::DependList list(depend);
    const abi::TargetOrder order = order_of(flags, list, TEFF_SITE);
    const bool exits = (flags & kGccExitData) != 0;
    if (TEFF_UNLIKELY(chosen != abi::kOnHost))
        return change_data(exits ? abi::DeviceAction::exit_data : abi::DeviceAction::enter_data, chosen,
                           {count, addresses, sizes, kinds}, order);
    abi::name_data(current_worker(), order, exits ? ompt_target_exit_data : ompt_target_enter_data);
}

// The address of a function on the device is its address on the host.
TEFF_EXPORT void* GOMP_target_map_indirect_ptr(void* function) { return function; }
