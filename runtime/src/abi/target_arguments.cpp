// SPDX-License-Identifier: Apache-2.0
#include "abi/target_arguments.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/report.h"
#include "icv/icv.h"

namespace teff::abi {

namespace {

constexpr int kHostFallback = -2; // the construct's if clause was false
constexpr int kHost = 0;

// An element of the argument list: bits 8 to 15 say what it is, the value is above them or in the next element.
constexpr std::uintptr_t kIdentity = 0xff00, kValueFollows = 1u << 7, kThreadLimit = 2u << 8;
constexpr unsigned kValueShift = 16;

// An element of `kinds`: the kind, and above it the logarithm of the alignment.
constexpr unsigned kFirstprivate = 12;

bool is_firstprivate(unsigned short kind) { return (kind & 0xff) == kFirstprivate; }
std::size_t alignment(unsigned short kind) { return std::size_t{1} << (kind >> 8); }
std::size_t round_up(std::size_t offset, std::size_t align) { return (offset + align - 1) & ~(align - 1); }

} // namespace

void check_device(int device) {
    if (icv::global().target_offload != icv::TargetOffload::mandatory || device == kHostFallback || device == kHost)
        return;
    base::fatal(0, "OMP_TARGET_OFFLOAD is MANDATORY, but there is no device besides the host; set it to DEFAULT to run "
                   "target regions on the host");
}

unsigned thread_limit(void* const* arguments) {
    if (arguments == nullptr) return 0;
    while (*arguments != nullptr) {
        const auto element = reinterpret_cast<std::uintptr_t>(*arguments++);
        const bool value_follows = (element & kValueFollows) != 0;
        const std::uintptr_t value =
            value_follows ? reinterpret_cast<std::uintptr_t>(*arguments++) : element >> kValueShift;
        if ((element & kIdentity) == kThreadLimit)
            return static_cast<unsigned>(std::min<std::uintptr_t>(value, INT_MAX));
    }
    return 0;
}

FirstprivateCopies::FirstprivateCopies(std::size_t count, void** addresses, const std::size_t* sizes,
                                       const unsigned short* kinds) {
    std::size_t bytes = 0, block_alignment = alignof(std::max_align_t);
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_firstprivate(kinds[i])) continue;
        block_alignment = std::max(block_alignment, alignment(kinds[i]));
        bytes = round_up(bytes, alignment(kinds[i])) + sizes[i];
    }
    if (bytes == 0) return;
    block_ = static_cast<char*>(std::aligned_alloc(block_alignment, round_up(bytes, block_alignment)));
    if (block_ == nullptr) base::fatal(ENOMEM, "no memory for %zu bytes of a target region's firstprivate data", bytes);
    std::size_t offset = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_firstprivate(kinds[i])) continue;
        offset = round_up(offset, alignment(kinds[i]));
        addresses[i] = std::memcpy(block_ + offset, addresses[i], sizes[i]);
        offset += sizes[i];
    }
}

FirstprivateCopies::~FirstprivateCopies() { std::free(block_); }

} // namespace teff::abi
