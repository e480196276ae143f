// SPDX-License-Identifier: Apache-2.0
// Context switch for AArch64; raw_switch.h says what each function does.
//
// Return addresses are stored as they are, unsigned: callers of these functions have signed their
// own. The object has no mark for guarded control stacks, because it does not support them.

#include "fiber/frame_aarch64.h"

        .text

.macro  save_frame
        sub     sp, sp, #TEFF_FRAME_BYTES
        .cfi_adjust_cfa_offset TEFF_FRAME_BYTES
        stp     x29, x30, [sp, #TEFF_FRAME_X29]
        .cfi_rel_offset x29, TEFF_FRAME_X29
        .cfi_rel_offset x30, TEFF_FRAME_X29 + 8
        stp     x19, x20, [sp, #TEFF_FRAME_X19]
        .cfi_rel_offset x19, TEFF_FRAME_X19
        .cfi_rel_offset x20, TEFF_FRAME_X19 + 8
        stp     x21, x22, [sp, #TEFF_FRAME_X21]
        .cfi_rel_offset x21, TEFF_FRAME_X21
        .cfi_rel_offset x22, TEFF_FRAME_X21 + 8
        stp     x23, x24, [sp, #TEFF_FRAME_X23]
        .cfi_rel_offset x23, TEFF_FRAME_X23
        .cfi_rel_offset x24, TEFF_FRAME_X23 + 8
        stp     x25, x26, [sp, #TEFF_FRAME_X25]
        .cfi_rel_offset x25, TEFF_FRAME_X25
        .cfi_rel_offset x26, TEFF_FRAME_X25 + 8
        stp     x27, x28, [sp, #TEFF_FRAME_X27]
        .cfi_rel_offset x27, TEFF_FRAME_X27
        .cfi_rel_offset x28, TEFF_FRAME_X27 + 8
        stp     d8, d9, [sp, #TEFF_FRAME_D8]
        stp     d10, d11, [sp, #TEFF_FRAME_D10]
        stp     d12, d13, [sp, #TEFF_FRAME_D12]
        stp     d14, d15, [sp, #TEFF_FRAME_D14]
        mrs     x9, fpcr
        str     x9, [sp, #TEFF_FRAME_FPCR]
        mov     x9, sp
        str     x9, [x0]
.endm

// void* teff_fiber_switch(Frame** saved x0, Frame* target x1, void* message x2)
        .globl  teff_fiber_switch
        .hidden teff_fiber_switch
        .type   teff_fiber_switch, %function
        .balign 16
teff_fiber_switch:
        .cfi_startproc
        hint    #34 // bti c
        save_frame
        // From here on the other stack's frame is used. It has the same layout, so the unwinder's
        // rules stay valid.
        mov     sp, x1
        mov     x0, x2
        ldr     x9, [sp, #TEFF_FRAME_FPCR]
        msr     fpcr, x9
        ldp     d14, d15, [sp, #TEFF_FRAME_D14]
        ldp     d12, d13, [sp, #TEFF_FRAME_D12]
        ldp     d10, d11, [sp, #TEFF_FRAME_D10]
        ldp     d8, d9, [sp, #TEFF_FRAME_D8]
        ldp     x27, x28, [sp, #TEFF_FRAME_X27]
        ldp     x25, x26, [sp, #TEFF_FRAME_X25]
        ldp     x23, x24, [sp, #TEFF_FRAME_X23]
        ldp     x21, x22, [sp, #TEFF_FRAME_X21]
        ldp     x19, x20, [sp, #TEFF_FRAME_X19]
        ldp     x29, x30, [sp, #TEFF_FRAME_X29]
        add     sp, sp, #TEFF_FRAME_BYTES
        .cfi_def_cfa sp, 0
        .irp    register, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, x29, x30
        .cfi_same_value \register
        .endr
        ret
        .cfi_endproc
        .size   teff_fiber_switch, . - teff_fiber_switch

// void* teff_fiber_start(Frame** saved x0, void* top x1, void (*entry)(void*) x2, void* message x3)
        .globl  teff_fiber_start
        .hidden teff_fiber_start
        .type   teff_fiber_start, %function
        .balign 16
teff_fiber_start:
        .cfi_startproc
        hint    #34 // bti c
        save_frame
        mov     x0, x3
        b       teff_fiber_base
        .cfi_endproc
        .size   teff_fiber_start, . - teff_fiber_start

// Reached from teff_fiber_start, with the stack's top in x1, the entry in x2, and its argument in
// x0.
        .globl  teff_fiber_base
        .hidden teff_fiber_base
        .type   teff_fiber_base, %function
        .balign 16
teff_fiber_base:
        .cfi_startproc
        .cfi_undefined x30
        .cfi_def_cfa sp, 0
        mov     sp, x1
        mov     x29, xzr // the chain of frame pointers also ends here
        mov     x30, xzr
        blr     x2
        brk     #1
        .cfi_endproc
        .size   teff_fiber_base, . - teff_fiber_base

// unsigned long teff_fiber_ask_valgrind(const unsigned long request[6] x0)
// Four rotations by 128 bits in total, and a register combined with itself. They have no effect on
// a processor, but valgrind recognises them as a request, takes x4 and returns x3.
        .globl  teff_fiber_ask_valgrind
        .hidden teff_fiber_ask_valgrind
        .type   teff_fiber_ask_valgrind, %function
        .balign 16
teff_fiber_ask_valgrind:
        .cfi_startproc
        hint    #34 // bti c
        mov     x4, x0
        mov     x3, xzr
        ror     x12, x12, #3
        ror     x12, x12, #13
        ror     x12, x12, #51
        ror     x12, x12, #61
        orr     x10, x10, x10
        mov     x0, x3
        ret
        .cfi_endproc
        .size   teff_fiber_ask_valgrind, . - teff_fiber_ask_valgrind

        .section .note.GNU-stack, "", %progbits
