// SPDX-License-Identifier: Apache-2.0
#include "abi/target_arguments.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "abi/host_device.h"
#include "base/report.h"
#include "base/round_up.h"
#include "device/role.h"
#include "icv/icv.h"

namespace teff::abi {

namespace {

// The device as GCC passes it: a number, or one of these.
constexpr int kFromIcv = -1;      // the construct has no device clause
constexpr int kHostFallback = -2; // its if clause was false, or, from GCC 13 on, it names omp_initial_device

// An element of the argument list: bits 0 to 6 are the kind of device for which it is meant (0:
// any), bits 8 to 15 are its identifier; the value is in the bits above them or in the next
// element.
constexpr std::uintptr_t kDeviceAndIdentity = 0xff7f, kValueFollows = 1u << 7, kThreadLimit = 2u << 8;
constexpr unsigned kValueShift = 16;

// An element of `kinds`: the kind, and above it the logarithm of the alignment.
constexpr unsigned kFirstprivate = 12, kAttach = 0x50;

bool is_copied(const TargetData& data, std::size_t i) {
    return (data.kinds[i] & 0xff) == kFirstprivate && data.addresses[i] != nullptr;
}

// From GCC 15 on, the data of an allocatable array are followed by an item that identifies the
// descriptor of the array. The item has two values: the place of the descriptor's address in the
// compiler's own list of addresses, and the index of the descriptor's word that must contain the
// address of the data. The descriptor is copied before the data.
bool is_attachment(const TargetData& data, std::size_t i) {
    return i < data.count && (data.kinds[i] & 0xff) == kAttach;
}
void attach(const TargetData& data, std::size_t i, void* copy, void** compilers_list) {
    void** const place = place_in_copy(data.addresses[i], data, compilers_list);
    void** const descriptor = static_cast<void**>(*place);
    descriptor[data.sizes[i]] = copy;
}
std::size_t alignment(unsigned short kind) { return std::size_t{1} << (kind >> 8); }

} // namespace

int device_of(int device) {
    const bool from_icv = device == kFromIcv || device == kDefaultDevice;
    if (from_icv) device = current_icvs().default_device;
    if (device >= 0 && static_cast<unsigned>(device) < device::role().usable) return device;
    const bool is_host = device == host_number() || device == (from_icv ? icv::kInitialDevice : kHostFallback);
    if (TEFF_LIKELY(is_host || device::role().is_device)) return kOnHost;
    if (icv::global().target_offload == icv::TargetOffload::mandatory)
        base::fatal(0, "OMP_TARGET_OFFLOAD is MANDATORY, but %s; set it to DEFAULT to run target regions on the host",
                    device::role().usable == 0 ? "there is no device besides the host"
                                               : "a target construct names a device that does not exist");
    if (device == icv::kInvalidDevice)
        base::fatal(0, "a target construct names omp_invalid_device; give it a device that exists");
    return kOnHost;
}

bool has_device_clause(int device) { return device != kFromIcv; }

unsigned thread_limit(void* const* arguments) {
    if (arguments == nullptr) return 0;
    while (*arguments != nullptr) {
        const auto element = reinterpret_cast<std::uintptr_t>(*arguments++);
        const bool value_follows = (element & kValueFollows) != 0;
        const std::uintptr_t value =
            value_follows ? reinterpret_cast<std::uintptr_t>(*arguments++) : element >> kValueShift;
        if ((element & kDeviceAndIdentity) == kThreadLimit)
            return static_cast<unsigned>(std::min<std::uintptr_t>(value, INT_MAX));
    }
    return 0;
}

void** place_in_copy(void* place, const TargetData& data, void** compilers_list) {
    auto* const there = static_cast<void**>(place);
    const bool is_in_list = there >= compilers_list && there < compilers_list + data.count;
    return is_in_list ? data.addresses + (there - compilers_list) : there;
}

BlockShape firstprivate_shape(const TargetData& data) {
    BlockShape shape;
    for (std::size_t i = 0; i < data.count; ++i) {
        if (!is_copied(data, i)) continue;
        shape.alignment = std::max(shape.alignment, alignment(data.kinds[i]));
        shape.bytes = base::round_up(shape.bytes, alignment(data.kinds[i])) + data.sizes[i];
    }
    return shape;
}

void copy_firstprivate(const TargetData& data, char* block, void** compilers_list) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < data.count; ++i) {
        if (!is_copied(data, i)) continue;
        offset = base::round_up(offset, alignment(data.kinds[i]));
        data.addresses[i] = std::memcpy(block + offset, data.addresses[i], data.sizes[i]);
        offset += data.sizes[i];
        if (is_attachment(data, i + 1)) attach(data, i + 1, data.addresses[i], compilers_list);
    }
}

FirstprivateCopies::FirstprivateCopies(const TargetData& data) {
    const BlockShape shape = firstprivate_shape(data);
    if (shape.bytes == 0) return;
    const std::size_t align = std::max(shape.alignment, alignof(std::max_align_t));
    block_ = static_cast<char*>(std::aligned_alloc(align, base::round_up(shape.bytes, align)));
    if (block_ == nullptr)
        base::fatal(ENOMEM, "no memory for %zu bytes of a target region's firstprivate data", shape.bytes);
    copy_firstprivate(data, block_, data.addresses);
}

FirstprivateCopies::~FirstprivateCopies() { std::free(block_); }

} // namespace teff::abi
