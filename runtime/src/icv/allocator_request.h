// SPDX-License-Identifier: Apache-2.0
//
// What OMP_ALLOCATOR asks for (OpenMP 5.2, section 21.5.1): either a predefined allocator, or a
// memory space with traits. If it asks for a memory space with traits, the process makes an
// allocator for this request when it starts.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

namespace teff::icv {

// The keys and values are those of omp_alloctrait_t.
struct AllocatorTrait {
    std::int32_t key;
    std::uintptr_t value;
};

struct AllocatorRequest {
    static constexpr unsigned kMaximumTraits = 8;

    std::uint8_t predefined; // an omp_allocator_handle_t; 0: an allocator has to be made
    std::uint8_t space;      // an omp_memspace_handle_t
    std::uint8_t trait_count;
    std::array<AllocatorTrait, kMaximumTraits> traits;
    std::string_view text; // as the user has written it
};

// Returns nothing if the text is not valid. A memory space without traits means the predefined
// allocator of that space.
std::optional<AllocatorRequest> read_allocator_request(std::string_view text);

// Returns the name of the predefined allocator, or, if an allocator has to be made, the text.
std::string_view spelling(const AllocatorRequest& request);

} // namespace teff::icv
