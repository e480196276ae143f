// SPDX-License-Identifier: Apache-2.0
// Devices: there is only the host. Its number is 0, and its memory is the program's.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "abi/current.h"
#include "abi/export.h"
#include "region/team_setup.h"

using namespace teff;

namespace {

constexpr int kHost = 0; // the number behind the last device, of which there is none

bool is_host(int device) { return device == kHost || device == -1; } // -1: omp_initial_device

// A box out of an array of `dimensions` into another; sizes and offsets are in elements, the outermost dimension first.
struct Rectangle {
    std::size_t element_bytes;
    int dimensions;
    const std::size_t *volume, *to_offsets, *from_offsets, *to_sizes, *from_sizes;

    Rectangle inner() const {
        return {element_bytes,    dimensions - 1, volume + 1,    to_offsets + 1,
                from_offsets + 1, to_sizes + 1,   from_sizes + 1};
    }
};

// Bytes of all but the outermost dimension.
std::size_t slice_bytes(const Rectangle& box, const std::size_t* sizes) {
    std::size_t bytes = box.element_bytes;
    for (int i = 1; i < box.dimensions; ++i)
        bytes *= sizes[i];
    return bytes;
}

// Can every address in an array with these sizes, up to the end of the box, be reckoned in a size_t?
bool fits(const Rectangle& box, const std::size_t* sizes, const std::size_t* offsets) {
    std::size_t slice = box.element_bytes;
    for (int i = box.dimensions - 1; i >= 0; --i) {
        std::size_t end;
        if (__builtin_add_overflow(offsets[i], box.volume[i], &end) || __builtin_mul_overflow(end, slice, &end))
            return false;
        if (i > 0 && __builtin_mul_overflow(slice, sizes[i], &slice)) return false;
    }
    return true;
}

void copy_rectangle(char* to, const char* from, const Rectangle& box) {
    const std::size_t to_slice = slice_bytes(box, box.to_sizes), from_slice = slice_bytes(box, box.from_sizes);
    to += box.to_offsets[0] * to_slice;
    from += box.from_offsets[0] * from_slice;
    if (box.dimensions == 1) {
        std::memcpy(to, from, box.volume[0] * box.element_bytes);
        return;
    }
    for (std::size_t i = 0; i < box.volume[0]; ++i)
        copy_rectangle(to + i * to_slice, from + i * from_slice, box.inner());
}

} // namespace

TEFF_EXPORT int omp_get_num_devices() { return 0; }
TEFF_EXPORT int omp_get_initial_device() { return kHost; }
TEFF_EXPORT int omp_is_initial_device() { return 1; }
TEFF_EXPORT int omp_get_device_num() { return kHost; }

// Soft or hard, the threads end; memory that is kept for later stays.
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
TEFF_EXPORT int omp_target_is_present(const void* address, int device) { return address == nullptr || is_host(device); }

TEFF_EXPORT int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                                  std::size_t from_offset, int to_device, int from_device) {
    if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
    std::memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, bytes);
    return 0;
}

// With no addresses it asks how many dimensions may be copied.
TEFF_EXPORT int omp_target_memcpy_rect(void* to, const void* from, std::size_t element_bytes, int dimensions,
                                       const std::size_t* volume, const std::size_t* to_offsets,
                                       const std::size_t* from_offsets, const std::size_t* to_sizes,
                                       const std::size_t* from_sizes, int to_device, int from_device) {
    if (to == nullptr && from == nullptr) return INT_MAX;
    if (!is_host(to_device) || !is_host(from_device) || dimensions < 1) return EINVAL;
    const Rectangle box{element_bytes, dimensions, volume, to_offsets, from_offsets, to_sizes, from_sizes};
    if (!fits(box, to_sizes, to_offsets) || !fits(box, from_sizes, from_offsets)) return EINVAL;
    copy_rectangle(static_cast<char*>(to), static_cast<const char*>(from), box);
    return 0;
}

TEFF_EXPORT int omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t, int) { return EINVAL; }
TEFF_EXPORT int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }
