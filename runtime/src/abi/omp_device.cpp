// SPDX-License-Identifier: Apache-2.0
// The routines for devices. The only device is the host; its number is 0, and its memory is the
// program's memory.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "abi/export.h"
#include "abi/host_device.h"
#include "region/team_setup.h"

using namespace teff;
using abi::first_use;
using abi::is_host;
using abi::kHost;

constexpr char kHostUid[] = "OMP_INITIAL_DEVICE"; // as libgomp names it

TEFF_EXPORT int omp_get_num_devices() { return first_use(), 0; }
TEFF_EXPORT int omp_get_initial_device() { return first_use(), kHost; }
TEFF_EXPORT int omp_is_initial_device() { return first_use(), 1; }
TEFF_EXPORT int omp_get_device_num() { return first_use(), kHost; }

// For both kinds, soft and hard, the threads end, and memory that is kept for later use stays.
TEFF_EXPORT int omp_pause_resource_all(int kind) {
    const bool known = kind == 1 || kind == 2; // soft, hard
    if (!known || abi::current_place().level != 0) return -1;
    if (team::Worker* worker = team::current_worker_if_any()) region::release_threads(*worker);
    return 0;
}

TEFF_EXPORT int omp_pause_resource(int kind, int device) { return is_host(device) ? omp_pause_resource_all(kind) : -1; }

TEFF_EXPORT void* omp_target_alloc(std::size_t bytes, int device) {
    return is_host(device) ? std::malloc(bytes) : nullptr;
}
TEFF_EXPORT void omp_target_free(void* memory, int device) {
    if (is_host(device)) std::free(memory);
}
// A null pointer is present everywhere.
TEFF_EXPORT int omp_target_is_present(const void* address, int device) { return is_host(device) || address == nullptr; }

TEFF_EXPORT int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                                  std::size_t from_offset, int to_device, int from_device) {
    if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
    std::memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, bytes);
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
    if (!is_host(to_device) || !is_host(from_device) || !abi::is_valid(box)) return EINVAL;
    abi::copy_rectangle(static_cast<char*>(to), static_cast<const char*>(from), box);
    return 0;
}

// If the host is the only device, GCC 16 sets the host's memory for each device number, and so does
// this function.
TEFF_EXPORT void* omp_target_memset(void* memory, int value, std::size_t bytes, int) {
    return first_use(), std::memset(memory, value, bytes);
}

TEFF_EXPORT int omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t, int) {
    return first_use(), EINVAL;
}
TEFF_EXPORT int omp_target_disassociate_ptr(const void*, int) { return first_use(), EINVAL; }

TEFF_EXPORT void* omp_get_mapped_ptr(const void* address, int device) {
    return is_host(device) ? const_cast<void*>(address) : nullptr;
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
