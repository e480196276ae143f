// SPDX-License-Identifier: Apache-2.0
// The registers that a suspended context keeps at its stack pointer on AArch64. A switch is a call,
// so the registers that the AAPCS64 lets a callee destroy are not kept. context_aarch64.S writes
// and reads this frame.
#pragma once

#define TEFF_FRAME_X29 0
#define TEFF_FRAME_X19 16
#define TEFF_FRAME_X21 32
#define TEFF_FRAME_X23 48
#define TEFF_FRAME_X25 64
#define TEFF_FRAME_X27 80
#define TEFF_FRAME_D8 96
#define TEFF_FRAME_D10 112
#define TEFF_FRAME_D12 128
#define TEFF_FRAME_D14 144
#define TEFF_FRAME_FPCR 160
#define TEFF_FRAME_BYTES 176

#ifndef __ASSEMBLER__
#include <cstddef>
#include <cstdint>

namespace teff::fiber {

struct Frame {
    void* frame_pointer;  // x29
    void* return_address; // x30
    std::uint64_t x19_to_x28[10];
    std::uint64_t d8_to_d15[8]; // the low halves of v8 to v15: callees preserve only these
    std::uint64_t fpcr;         // rounding and traps
    std::uint64_t unused;       // keeps the stack pointer a multiple of 16
};

static_assert(offsetof(Frame, frame_pointer) == TEFF_FRAME_X29);
static_assert(offsetof(Frame, return_address) == TEFF_FRAME_X29 + 8);
static_assert(offsetof(Frame, x19_to_x28) == TEFF_FRAME_X19);
static_assert(offsetof(Frame, x19_to_x28) + 8 * 8 == TEFF_FRAME_X27);
static_assert(offsetof(Frame, d8_to_d15) == TEFF_FRAME_D8);
static_assert(offsetof(Frame, d8_to_d15) + 6 * 8 == TEFF_FRAME_D14);
static_assert(offsetof(Frame, fpcr) == TEFF_FRAME_FPCR);
static_assert(sizeof(Frame) == TEFF_FRAME_BYTES);

} // namespace teff::fiber
#endif
