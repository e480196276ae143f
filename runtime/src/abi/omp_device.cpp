// SPDX-License-Identifier: Apache-2.0
// The routines for devices. The host's number is the number of devices, and its memory is the
// program's memory. The memory of a device has addresses in the device's process.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "abi/device_memory.h"
#include "abi/export.h"
#include "abi/host_device.h"
#include "device/host.h"
#include "region/team_setup.h"

using namespace teff;
using abi::first_use;
using abi::is_host;
using abi::MemoryPlace;

constexpr char kHostUid[] = "OMP_INITIAL_DEVICE"; // as libgomp names it

namespace {

// Where a routine's device memory is: on a device, whose number is valid.
bool is_on_device(int device, unsigned& number) {
    const MemoryPlace place = abi::place_of_memory(device);
    number = place.device;
    return place.is_valid && !place.is_host;
}

} // namespace

TEFF_EXPORT int omp_get_num_devices() { return first_use(), abi::host_number(); }
TEFF_EXPORT int omp_get_initial_device() { return first_use(), abi::host_number(); }
TEFF_EXPORT int omp_is_initial_device() { return first_use(), device::role().is_device ? 0 : 1; }
TEFF_EXPORT int omp_get_device_num() {
    first_use();
    return device::role().is_device ? static_cast<int>(device::role().number) : abi::host_number();
}

// For both kinds, soft and hard, the threads end, and memory that is kept for later use stays.
TEFF_EXPORT int omp_pause_resource_all(int kind) {
    const bool known = kind == 1 || kind == 2; // soft, hard
    if (!known || abi::current_place().level != 0) return -1;
    if (team::Worker* worker = team::current_worker_if_any()) region::release_threads(*worker);
    return 0;
}

TEFF_EXPORT int omp_pause_resource(int kind, int device) { return is_host(device) ? omp_pause_resource_all(kind) : -1; }

TEFF_EXPORT void* omp_target_alloc(std::size_t bytes, int device) {
    const MemoryPlace place = abi::place_of_memory(device);
    if (!place.is_valid) return nullptr;
    return place.is_host ? std::malloc(bytes) : device::allocate(place.device, bytes, abi::routine(TEFF_SITE));
}
TEFF_EXPORT void omp_target_free(void* memory, int device) {
    const MemoryPlace place = abi::place_of_memory(device);
    if (!place.is_valid || memory == nullptr) return;
    if (place.is_host) std::free(memory);
    else device::release(place.device, memory, abi::routine(TEFF_SITE));
}
// A null pointer is present everywhere.
TEFF_EXPORT int omp_target_is_present(const void* address, int device) {
    const MemoryPlace place = abi::place_of_memory(device);
    if (address == nullptr || (place.is_valid && place.is_host)) return 1;
    return place.is_valid && device::is_present(place.device, address, abi::routine(TEFF_SITE));
}

TEFF_EXPORT int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                                  std::size_t from_offset, int to_device, int from_device) {
    const MemoryPlace to_place = abi::place_of_memory(to_device), from_place = abi::place_of_memory(from_device);
    if (!to_place.is_valid || !from_place.is_valid) return EINVAL;
    abi::copy_bytes({to_place, static_cast<char*>(to) + to_offset},
                    {from_place, const_cast<char*>(static_cast<const char*>(from)) + from_offset}, bytes,
                    abi::routine(TEFF_SITE));
    return 0;
}

// If both addresses are null, the call asks for the number of dimensions that can be copied.
TEFF_EXPORT int omp_target_memcpy_rect(void* to, const void* from, std::size_t element_bytes, int dimensions,
                                       const std::size_t* volume, const std::size_t* to_offsets,
                                       const std::size_t* from_offsets, const std::size_t* to_sizes,
                                       const std::size_t* from_sizes, int to_device, int from_device) {
    first_use();
    if (to == nullptr && from == nullptr) return INT_MAX;
    const abi::Rectangle box{element_bytes, dimensions, volume, to_offsets, from_offsets, to_sizes, from_sizes};
    const MemoryPlace to_place = abi::place_of_memory(to_device), from_place = abi::place_of_memory(from_device);
    if (!to_place.is_valid || !from_place.is_valid || !abi::is_valid(box)) return EINVAL;
    abi::copy_box({to_place, static_cast<char*>(to)}, {from_place, const_cast<char*>(static_cast<const char*>(from))},
                  box, abi::routine(TEFF_SITE));
    return 0;
}

TEFF_EXPORT void* omp_target_memset(void* memory, int value, std::size_t bytes, int device) {
    abi::fill({abi::place_to_fill(device), static_cast<char*>(memory)}, value, bytes, abi::routine(TEFF_SITE));
    return memory;
}

TEFF_EXPORT int omp_target_associate_ptr(const void* host, const void* memory, std::size_t bytes, std::size_t offset,
                                         int device) {
    unsigned number;
    if (!is_on_device(device, number)) return EINVAL;
    char* const at = const_cast<char*>(static_cast<const char*>(memory)) + offset;
    return device::associate(number, host, bytes, at, abi::routine(TEFF_SITE)) ? 0 : EINVAL;
}
TEFF_EXPORT int omp_target_disassociate_ptr(const void* host, int device) {
    unsigned number;
    return is_on_device(device, number) && device::disassociate(number, host, abi::routine(TEFF_SITE)) ? 0 : EINVAL;
}

TEFF_EXPORT void* omp_get_mapped_ptr(const void* address, int device) {
    const MemoryPlace place = abi::place_of_memory(device);
    if (!place.is_valid || address == nullptr) return nullptr;
    return place.is_host ? const_cast<void*>(address)
                         : device::mapped_address(place.device, address, abi::routine(TEFF_SITE));
}
TEFF_EXPORT int omp_target_is_accessible(const void*, std::size_t, int device) { return is_host(device); }

TEFF_EXPORT const char* omp_get_uid_from_device(int device) { return is_host(device) ? kHostUid : nullptr; }
TEFF_EXPORT int omp_get_device_from_uid(const char* uid) {
    return first_use(), uid != nullptr && std::string_view(uid) == kHostUid ? icv::kInitialDevice : icv::kInvalidDevice;
}

// Fortran passes texts with their lengths and without a terminating zero.
TEFF_EXPORT int omp_get_device_from_uid_(const char* uid, std::size_t length) {
    return first_use(), std::string_view(uid, length) == kHostUid ? icv::kInitialDevice : icv::kInvalidDevice;
}
TEFF_EXPORT void omp_get_uid_from_device_(const char** uid, std::size_t* length, std::int32_t device) {
    *uid = omp_get_uid_from_device(device);
    *length = *uid != nullptr ? std::strlen(*uid) : 0;
}
TEFF_EXPORT void omp_get_uid_from_device_8_(const char** uid, std::size_t* length, std::int64_t device) {
    omp_get_uid_from_device_(uid, length, static_cast<std::int32_t>(device));
}
