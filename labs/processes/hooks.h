// SPDX-License-Identifier: Apache-2.0
//
// Hooks: functions of the languages' libraries (libstdc++, libgfortran) that this library does in
// their place, or looks at first. Those libraries stand before this one in the loader's order, so
// a symbol of the same name would not be found. The entries by which the program's modules call
// them are changed instead; calls within the libraries stay as they are.
#pragma once

namespace teff::processes::hooks {

// `real` gets the library's own; null: it is not wanted.
struct Hook {
    template <class Function>
    Hook(const char* symbol, Function* own, Function** library_s = nullptr)
        : name(symbol), ours(reinterpret_cast<void*>(own)), real(reinterpret_cast<void**>(library_s)) {}

    const char* name;
    void* ours;
    void** real;
};

// In all modules of the program that are loaded now. No harm where it has been done before.
void place(const Hook* hooks, unsigned count);

} // namespace teff::processes::hooks
