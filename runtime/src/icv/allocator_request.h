// SPDX-License-Identifier: Apache-2.0
//
// What OMP_ALLOCATOR asks for (OpenMP 5.2, section 21.5.1): a predefined allocator, or a memory
// space with traits, from which the process makes an allocator of its own when it starts.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

namespace teff::icv {

// Keys and values of omp_alloctrait_t.
struct AllocatorTrait {
    std::int32_t key;
    std::uintptr_t value;
};

struct AllocatorRequest {
    static constexpr unsigned kMaximumTraits = 8;

    std::uint8_t predefined; // an omp_allocator_handle_t; 0: make one
    std::uint8_t space;      // an omp_memspace_handle_t
    std::uint8_t trait_count;
    std::array<AllocatorTrait, kMaximumTraits> traits;
    std::string_view text; // as written
};

// Nothing if the text is not valid. A memory space without traits is the predefined allocator of
// that space.
std::optional<AllocatorRequest> read_allocator_request(std::string_view text);

// The name of the predefined allocator, or the text.
std::string_view spelling(const AllocatorRequest& request);

} // namespace teff::icv
