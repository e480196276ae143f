// SPDX-License-Identifier: Apache-2.0
// The registers that a suspended context keeps at its stack pointer on x86-64. A switch is a call,
// so the registers that the System V ABI lets a callee destroy are not kept. context_x86_64.S
// writes and reads this frame.
#pragma once

#define TEFF_FRAME_MXCSR 0
#define TEFF_FRAME_X87 4
#define TEFF_FRAME_R12 8
#define TEFF_FRAME_R13 16
#define TEFF_FRAME_R14 24
#define TEFF_FRAME_R15 32
#define TEFF_FRAME_RBX 40
#define TEFF_FRAME_RBP 48
#define TEFF_FRAME_RETURN 56
#define TEFF_FRAME_BYTES 64

#ifndef __ASSEMBLER__
#include <cstddef>
#include <cstdint>

namespace teff::fiber {

struct Frame {
    std::uint32_t mxcsr; // SSE: rounding, masks, and the flags that the context has raised
    std::uint16_t x87_control;
    std::uint16_t unused;
    std::uint64_t r12, r13, r14, r15, rbx;
    void* frame_pointer;  // rbp
    void* return_address; // pushed by the call
};

static_assert(offsetof(Frame, mxcsr) == TEFF_FRAME_MXCSR);
static_assert(offsetof(Frame, x87_control) == TEFF_FRAME_X87);
static_assert(offsetof(Frame, r12) == TEFF_FRAME_R12);
static_assert(offsetof(Frame, r13) == TEFF_FRAME_R13);
static_assert(offsetof(Frame, r14) == TEFF_FRAME_R14);
static_assert(offsetof(Frame, r15) == TEFF_FRAME_R15);
static_assert(offsetof(Frame, rbx) == TEFF_FRAME_RBX);
static_assert(offsetof(Frame, frame_pointer) == TEFF_FRAME_RBP);
static_assert(offsetof(Frame, return_address) == TEFF_FRAME_RETURN);
static_assert(sizeof(Frame) == TEFF_FRAME_BYTES);

} // namespace teff::fiber
#endif
