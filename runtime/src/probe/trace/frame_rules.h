// SPDX-License-Identifier: Apache-2.0
//
// FrameRule: how to come from a place in a function to its caller. Programs are compiled without
// frame pointers, so the object's own tables say it (.eh_frame, found by .eh_frame_hdr; the layout
// is that of the DWARF standard and of the Linux Standard Base). x86-64.
//
// Read here and not by libgcc's unwinder: a C program has that loaded only by chance, it is ten
// times slower, and it takes a lock with some versions. What is kept of the rules is what compilers
// write for functions that call others: the caller's stack pointer (the canonical frame address)
// counts from the stack pointer or from %rbp, or stands in memory beside %rbp (functions that align
// their stack). Of the other registers only %rbp is followed. Anything else is not known, and a
// path ends there: frames of signal handlers, and code without tables, as just-in-time compilers
// write it.
//
// It takes no lock, allocates no memory, and trusts the tables as a thrown exception would.
#pragma once

#include <cstdint>

namespace teff::probe::trace {

struct FrameRule {
    enum class Cfa : std::uint8_t {
        kUnknown,   // what called it cannot be told
        kOutermost, // nothing has
        kOfStack,   // %rsp + cfa
        kOfFrame,   // %rbp + cfa
        kAtFrame,   // in memory at %rbp + cfa
    };
    // Where the caller's %rbp is.
    enum class Saved : std::uint8_t {
        kInRegister,
        kAtCfa,   // in memory at the canonical frame address + saved
        kAtFrame, // in memory at %rbp + saved
    };
    Cfa cfa_is = Cfa::kUnknown;
    Saved saved_is = Saved::kInRegister;
    std::int16_t saved = 0;
    std::int32_t cfa = 0;
};

// For the code at `address`, which lies in the object with these tables (its .eh_frame_hdr; null:
// it has none). Of a return address: that less 1.
FrameRule frame_rule(std::uintptr_t address, const void* tables);

} // namespace teff::probe::trace
