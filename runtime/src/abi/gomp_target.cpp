// SPDX-License-Identifier: Apache-2.0
//
// The exported functions of the target constructs. There are no devices besides the host: regions
// run on the host, with the host's data. So no data are mapped, and only firstprivate data are
// copied.
#include <cstddef>

#include "abi/export.h"
#include "abi/gomp_depend.h"
#include "abi/target_arguments.h"
#include "abi/target_task.h"
#include "region/league.h"

using namespace teff;
using team::current_worker;

using Body = void (*)(void*);

constexpr unsigned kGccNowait = 1, kGccExitData = 2; // in the `flags` argument

// The code for devices that these calls register is never run.
TEFF_EXPORT void GOMP_offload_register(const void*, int, const void*) {}
TEFF_EXPORT void GOMP_offload_unregister(const void*, int, const void*) {}
TEFF_EXPORT void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
TEFF_EXPORT void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

TEFF_EXPORT void GOMP_target(int device, Body body, const void*, std::size_t, void** addresses, std::size_t*,
                             unsigned char*) {
    abi::check_device(device);
    region::run_initial_task(current_worker(), {body, addresses}, 0, region::TargetTask::kIncluded, TEFF_SITE);
}

TEFF_EXPORT void GOMP_target_ext(int device, Body body, std::size_t count, void** addresses, std::size_t* sizes,
                                 unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
    abi::check_device(device);
    abi::run_target(current_worker(),
                    {.body = body,
                     .data = {count, addresses, sizes, kinds},
                     .thread_limit = abi::thread_limit(arguments),
                     .order = {(flags & kGccNowait) != 0, abi::DependList(depend).items(), TEFF_SITE}});
}

TEFF_EXPORT void GOMP_target_data(int device, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
    abi::check_device(device);
}
TEFF_EXPORT void GOMP_target_data_ext(int device, std::size_t, void**, std::size_t*, unsigned short*) {
    abi::check_device(device);
}
TEFF_EXPORT void GOMP_target_end_data() {}
TEFF_EXPORT void GOMP_target_update(int device, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
    abi::check_device(device);
}

TEFF_EXPORT void GOMP_target_update_ext(int device, std::size_t, void**, std::size_t*, unsigned short*, unsigned flags,
                                        void** depend) {
    abi::check_device(device);
    abi::name_data(current_worker(), {(flags & kGccNowait) != 0, abi::DependList(depend).items(), TEFF_SITE},
                   ompt_target_update);
}

TEFF_EXPORT void GOMP_target_enter_exit_data(int device, std::size_t, void**, std::size_t*, unsigned short*,
                                             unsigned flags, void** depend) {
    abi::check_device(device);
    abi::name_data(current_worker(), {(flags & kGccNowait) != 0, abi::DependList(depend).items(), TEFF_SITE},
                   (flags & kGccExitData) != 0 ? ompt_target_exit_data : ompt_target_enter_data);
}

// The address of a function on the device is its address on the host.
TEFF_EXPORT void* GOMP_target_map_indirect_ptr(void* function) { return function; }
