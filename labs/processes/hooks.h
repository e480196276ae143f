// SPDX-License-Identifier: Apache-2.0
//
// Hooks: intercept functions of libstdc++ and libgfortran. This library replaces some of these
// functions, and does work before calling others. libstdc++ and libgfortran come before this
// library in the loader's order, so a symbol of the same name in this library would not be found.
// Instead, the slots through which the program's modules call these functions are patched; calls
// inside the libraries are not intercepted.
#pragma once

namespace teff::processes::hooks {

// `real` gets the library's own function; null: it is not needed.
struct Hook {
    template <class Function>
    Hook(const char* symbol, Function* own, Function** library_s = nullptr)
        : name(symbol), ours(reinterpret_cast<void*>(own)), real(reinterpret_cast<void**>(library_s)) {}

    const char* name;
    void* ours;
    void** real;
};

// Places the hooks in all modules of the program that are loaded now. Placing a hook again does no
// harm.
void place(const Hook* hooks, unsigned count);

} // namespace teff::processes::hooks
