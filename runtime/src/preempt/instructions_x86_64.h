// SPDX-License-Identifier: Apache-2.0
//
// Decodes the machine instructions of x86-64, as far as the question needs which code a function
// may reach, and whether it uses thread-local variables (reach.h).
//
// The decoder knows the length of each instruction that compilers emit, from tables: the maps of
// one, two and three bytes, and their forms with the prefixes VEX and EVEX. It does not know
// operands, except the few that reach.h asks for. For all else it answers `unknown`: invalid code,
// far jumps, AMD's XOP and 3DNow!, and Intel's APX.
//
// The functions have no state, read only the given bytes, and are signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace teff::preempt {

struct Instruction {
    enum class Kind : std::uint8_t {
        unknown,
        other,
        direct,           // a call or jump, conditional or not, to `place`
        through_slot,     // a call or jump to the address that is stored at `place`
        indirect,         // any other call or jump to an address from a register or from memory
        indirect_by_jump, // a jump to the address in the register `target`
    };
    static constexpr std::uint8_t kNone = 0xff;

    Kind kind = Kind::unknown;
    std::uint8_t length = 0;
    // True if it uses the thread's area, where thread-local variables lie. False for the compiler's
    // checks of the stack, which read a value of the C library there (at fs:0x28).
    bool uses_thread_area = false;
    bool makes_address = false; // `lea`: the program uses the address `place` itself
    bool has_place = false;
    bool has_constant = false;
    std::uint8_t sum = kNone;    // number of the register that gets the sum of two registers (`add`)
    std::uint8_t target = kNone; // indirect_by_jump: number of the register
    std::uintptr_t place = 0;    // the address that the instruction names, not by way of a register
    std::uint64_t constant = 0;  // a constant of 32 bits or more, zero-extended
};

// Decodes the instruction at the begin of `code`. `address`: where it runs.
Instruction decode(std::span<const std::uint8_t> code, std::uintptr_t address);

// Decodes the instruction where it lies. Bytes from `end` on are not read.
inline Instruction decode_at(std::uintptr_t address, std::uintptr_t end) {
    return decode({reinterpret_cast<const std::uint8_t*>(address), static_cast<std::size_t>(end - address)}, address);
}

} // namespace teff::preempt
