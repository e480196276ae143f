// SPDX-License-Identifier: Apache-2.0
// Devices: there is only the host. Its number is 0, and its memory is the program's.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "abi/current.h"
#include "abi/export.h"

using namespace teff;

namespace {

constexpr int kHost = 0; // the number behind the last device, of which there is none

bool is_host(int device) { return device == kHost || device == -1; } // -1: omp_initial_device

} // namespace

TEFF_EXPORT int omp_get_num_devices() { return 0; }
TEFF_EXPORT int omp_get_initial_device() { return kHost; }
TEFF_EXPORT int omp_is_initial_device() { return 1; }
TEFF_EXPORT int omp_get_device_num() { return kHost; }

// Nothing is given back: workers without work sleep.
TEFF_EXPORT int omp_pause_resource_all(int kind) {
    const bool known = kind == 1 || kind == 2; // soft, hard
    return known && abi::current_place().level == 0 ? 0 : -1;
}

TEFF_EXPORT int omp_pause_resource(int kind, int device) { return is_host(device) ? omp_pause_resource_all(kind) : -1; }

TEFF_EXPORT void* omp_target_alloc(std::size_t bytes, int device) {
    return is_host(device) ? std::malloc(bytes) : nullptr;
}
TEFF_EXPORT void omp_target_free(void* memory, int device) {
    if (is_host(device)) std::free(memory);
}
TEFF_EXPORT int omp_target_is_present(const void*, int device) { return is_host(device); }

TEFF_EXPORT int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                                  std::size_t from_offset, int to_device, int from_device) {
    if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
    std::memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, bytes);
    return 0;
}

TEFF_EXPORT int omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t, int) { return EINVAL; }
TEFF_EXPORT int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }
