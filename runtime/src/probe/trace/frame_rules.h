// SPDX-License-Identifier: Apache-2.0
//
// FrameRule: how to find the caller's frame from a place in a function, on x86-64. Programs are
// compiled without frame pointers, so the rule is read from the loaded object's own tables
// (.eh_frame, found by .eh_frame_hdr; their layout is that of the DWARF standard and of the Linux
// Standard Base).
//
// The tables are read here and not by libgcc's unwinder: a C program has this unwinder loaded only
// by chance, the unwinder is ten times slower, and some of its versions take a lock. A FrameRule
// holds the rules that compilers write for functions that call other functions. The caller's stack
// pointer (the canonical frame address) is at an offset from the stack pointer or from %rbp, or is
// stored in memory beside %rbp (in functions that align their stack). %rbp is the only other
// register that is followed. All other rules count as unknown, and a path ends there: at frames of
// signal handlers, and at code without tables, such as that of just-in-time compilers.
//
// Reading a rule takes no lock and allocates no memory. The reader assumes that the tables are
// correct, as C++'s unwinder does for a thrown exception.
#pragma once

#include <cstdint>

namespace teff::probe::trace {

struct FrameRule {
    enum class Cfa : std::uint8_t {
        kUnknown,   // the function's caller cannot be told
        kOutermost, // the function has no caller
        kOfStack,   // %rsp + cfa
        kOfFrame,   // %rbp + cfa
        kAtFrame,   // in memory at %rbp + cfa
    };
    // Where the caller's %rbp is: still in the register, or in memory.
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

// A function's code: [begin, end). All zero: it is not known.
struct FunctionCode {
    std::uintptr_t begin = 0, end = 0;
    // The table of what the function does with exceptions; 0: it has none.
    std::uintptr_t exceptions = 0;
};

// Returns the rule for the code at `address`. `tables` is the .eh_frame_hdr of the object in which
// the address lies; null if the object has none. For a return address, pass the address less 1.
// `function`, if not null, gets the code of the function where it is known.
FrameRule frame_rule(std::uintptr_t address, const void* tables, FunctionCode* function = nullptr);

} // namespace teff::probe::trace
