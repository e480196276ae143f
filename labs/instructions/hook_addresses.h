// SPDX-License-Identifier: Apache-2.0
//
// Finds the calls of the compiler's hooks (hooks.cpp) in a program's code: the hooks lie in
// sections that contain nothing else, and every call into these sections is a call of a hook.
#pragma once

#include <cstdint>

#define TEFF_HOOKS_SECTION "teff_hooks"
#define TEFF_ATOMICS_SECTION "teff_atomics"

extern "C" {
void __sanitizer_cov_trace_pc();
// Symbols of the linker: the begin and end of the sections with these names.
[[gnu::visibility("hidden")]] extern const char __start_teff_hooks[], __stop_teff_hooks[];
[[gnu::visibility("hidden")]] extern const char __start_teff_atomics[], __stop_teff_atomics[];
}

namespace teff::instructions {

inline bool lies_in(std::uintptr_t address, const char* begin, const char* end) {
    return address >= reinterpret_cast<std::uintptr_t>(begin) && address < reinterpret_cast<std::uintptr_t>(end);
}

inline bool is_block_hook(std::uintptr_t code) {
    return code == reinterpret_cast<std::uintptr_t>(&__sanitizer_cov_trace_pc);
}

// Whether the hook takes the place of an instruction of the program.
inline bool is_atomic(std::uintptr_t code) { return lies_in(code, __start_teff_atomics, __stop_teff_atomics); }

inline bool is_hook(std::uintptr_t code) {
    return is_atomic(code) || lies_in(code, __start_teff_hooks, __stop_teff_hooks);
}

} // namespace teff::instructions
