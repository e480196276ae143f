// SPDX-License-Identifier: Apache-2.0
//
// The routines of openacc.h. The host is the only device, and data need not be mapped: the routines
// for data check their arguments and do nothing. All operations are synchronous, so waiting for a
// queue never takes time, and a test always finds a queue empty.
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "abi/acc_device.h"
#include "abi/acc_routines.h"
#include "abi/export.h"
#include "base/report.h"

using namespace teff;
namespace acc = abi::acc;

namespace {

// acc_device_property_t; the names are libgomp's, for programs that compare them.
constexpr int kName = 0x10001, kVendor = 0x10002, kDriver = 0x10003;

void* enter(void* data, std::size_t bytes) {
    if (data == nullptr || bytes == 0)
        base::fatal(0, "OpenACC: [%p,+%zu] is a bad range: there are no data", data, bytes);
    acc::use();
    return data;
}

void check_use() {
    if (!acc::is_in_use()) base::fatal(0, "OpenACC: no device active: the program has not used OpenACC yet");
}

void check_async(int async) {
    check_use();
    if (async < acc::kSynchronous) base::fatal(0, "OpenACC: %d is no async argument", async);
}

void check_property(int number, int type) {
    if (type != acc::kCurrent) {
        acc::check_type(type);
        acc::check_available(type);
        acc::check_number(number);
    }
    acc::use();
}

} // namespace

TEFF_EXPORT int acc_get_num_devices(int type) { return acc::check_type(type), acc::count(type); }
TEFF_EXPORT void acc_set_device_type(int type) {
    acc::check_type(type);
    acc::check_available(type);
    acc::use(type);
}
TEFF_EXPORT int acc_get_device_type() {
    if (acc::is_beginning()) return acc::kNone;
    if (!acc::is_in_use()) acc::check_available(acc::kDefault);
    return acc::kHost;
}
TEFF_EXPORT void acc_set_device_num(int number, int type) {
    acc::check_type(type);
    if (type != acc::kNone) acc::check_available(type); // kNone: of the type that is in use
    acc::check_number(number);
    acc::use(type == acc::kNone ? acc::kDefault : type);
}
TEFF_EXPORT int acc_get_device_num(int type) {
    acc::check_type(type);
    acc::check_available(type);
    return acc::kHostNumber;
}
TEFF_EXPORT void acc_init(int type) {
    acc::check_type(type);
    acc::begin_use(type);
}
TEFF_EXPORT void acc_shutdown(int type) {
    acc::check_type(type);
    acc::end_use(type);
}
TEFF_EXPORT int acc_on_device(int type) { return type == acc::kHost || type == acc::kNone; }

// How much memory the host has is not told.
TEFF_EXPORT std::size_t acc_get_property(int number, int type, int) { return check_property(number, type), 0; }
TEFF_EXPORT const char* acc_get_property_string(int number, int type, int property) {
    check_property(number, type);
    if (property == kName) return "GOMP";
    if (property == kVendor) return "GNU";
    return property == kDriver ? "1.0" : nullptr;
}

TEFF_EXPORT int acc_async_test(int async) { return check_async(async), 1; }
TEFF_EXPORT int acc_async_test_all() { return check_use(), 1; }
TEFF_EXPORT void acc_wait(int async) { check_async(async); }
TEFF_EXPORT void acc_async_wait(int async) { check_async(async); }
TEFF_EXPORT void acc_wait_async(int async, int other) {
    check_async(async);
    check_async(other);
}
TEFF_EXPORT void acc_wait_all() { check_use(); }
TEFF_EXPORT void acc_async_wait_all() { check_use(); }
TEFF_EXPORT void acc_wait_all_async(int async) { check_async(async); }

TEFF_EXPORT void* acc_malloc(std::size_t bytes) {
    acc::use();
    return bytes != 0 ? std::malloc(bytes) : nullptr;
}
TEFF_EXPORT void acc_free(void* data) { std::free(data); }

TEFF_EXPORT void* acc_copyin(void* data, std::size_t bytes) { return enter(data, bytes); }
TEFF_EXPORT void* acc_present_or_copyin(void* data, std::size_t bytes) { return enter(data, bytes); }
TEFF_EXPORT void* acc_pcopyin(void* data, std::size_t bytes) { return enter(data, bytes); }
TEFF_EXPORT void acc_copyin_async(void* data, std::size_t bytes, int) { enter(data, bytes); }
TEFF_EXPORT void* acc_create(void* data, std::size_t bytes) { return enter(data, bytes); }
TEFF_EXPORT void* acc_present_or_create(void* data, std::size_t bytes) { return enter(data, bytes); }
TEFF_EXPORT void* acc_pcreate(void* data, std::size_t bytes) { return enter(data, bytes); }
TEFF_EXPORT void acc_create_async(void* data, std::size_t bytes, int) { enter(data, bytes); }

TEFF_EXPORT void acc_copyout(void*, std::size_t) {}
TEFF_EXPORT void acc_copyout_async(void*, std::size_t, int) {}
TEFF_EXPORT void acc_copyout_finalize(void*, std::size_t) {}
TEFF_EXPORT void acc_copyout_finalize_async(void*, std::size_t, int) {}
TEFF_EXPORT void acc_delete(void*, std::size_t) {}
TEFF_EXPORT void acc_delete_async(void*, std::size_t, int) {}
TEFF_EXPORT void acc_delete_finalize(void*, std::size_t) {}
TEFF_EXPORT void acc_delete_finalize_async(void*, std::size_t, int) {}
TEFF_EXPORT void acc_update_device(void*, std::size_t) { acc::use(); }
TEFF_EXPORT void acc_update_device_async(void*, std::size_t, int) { acc::use(); }
TEFF_EXPORT void acc_update_self(void*, std::size_t) { acc::use(); }
TEFF_EXPORT void acc_update_self_async(void*, std::size_t, int) { acc::use(); }
TEFF_EXPORT void acc_attach(void**) {}
TEFF_EXPORT void acc_attach_async(void**, int) {}
TEFF_EXPORT void acc_detach(void**) {}
TEFF_EXPORT void acc_detach_async(void**, int) {}
TEFF_EXPORT void acc_detach_finalize(void**) {}
TEFF_EXPORT void acc_detach_finalize_async(void**, int) {}

TEFF_EXPORT void acc_map_data(void* data, void* device_data, std::size_t) {
    acc::use();
    if (data != device_data)
        base::fatal(0, "OpenACC: acc_map_data: cannot map data on shared-memory system: the host is the device, so "
                       "both addresses must be the same");
}
TEFF_EXPORT void acc_unmap_data(void*) {}
TEFF_EXPORT void* acc_deviceptr(void* data) { return acc::use(), data; }
TEFF_EXPORT void* acc_hostptr(void* data) { return acc::use(), data; }
TEFF_EXPORT int acc_is_present(void* data, std::size_t bytes) {
    if (data == nullptr || bytes == 0) return 0;
    return acc::use(), 1;
}
TEFF_EXPORT void acc_memcpy_to_device(void* to, void* from, std::size_t bytes) { std::memmove(to, from, bytes); }
TEFF_EXPORT void acc_memcpy_to_device_async(void* to, void* from, std::size_t bytes, int) {
    std::memmove(to, from, bytes);
}
TEFF_EXPORT void acc_memcpy_from_device(void* to, void* from, std::size_t bytes) { std::memmove(to, from, bytes); }
TEFF_EXPORT void acc_memcpy_from_device_async(void* to, void* from, std::size_t bytes, int) {
    std::memmove(to, from, bytes);
}

// There is no CUDA.
TEFF_EXPORT void* acc_get_current_cuda_device() { return nullptr; }
TEFF_EXPORT void* acc_get_current_cuda_context() { return nullptr; }
TEFF_EXPORT void* acc_get_cuda_stream(int) { return nullptr; }
TEFF_EXPORT int acc_set_cuda_stream(int, void*) { return 0; }
