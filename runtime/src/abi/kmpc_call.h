// SPDX-License-Identifier: Apache-2.0
// The call of a region's code with any number of arguments (kmpc_call_*.S).
#pragma once

#include <cstdint>

#include "abi/kmpc_types.h"

// Calls `code` with the two numbers and `count` words. `words` must have at least 6 elements that
// can be read, whatever `count` is.
extern "C" void teff_kmpc_call(teff::abi::kmpc::Microtask code, std::int32_t* thread, std::int32_t* member,
                               std::int32_t count, void* const* words);

// The same, after the frame pointer of the frame that calls `code` was stored at `frame`.
extern "C" void teff_kmpc_call_told(teff::abi::kmpc::Microtask code, std::int32_t* thread, std::int32_t* member,
                                    std::int32_t count, void* const* words, void** frame);
