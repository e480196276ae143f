// SPDX-License-Identifier: Apache-2.0
// The call of a region's code on AArch64; kmpc_call.h says what it does. Six words go in registers,
// behind the two numbers, and the others on the stack.

        .text

// void teff_kmpc_call_told(code x0, thread x1, member x2, count w3, words x4, frame x5)
// goes on as teff_kmpc_call, whose frame pointer will be 16 bytes below the stack pointer.
        .globl  teff_kmpc_call_told
        .hidden teff_kmpc_call_told
        .type   teff_kmpc_call_told, %function
        .balign 16
teff_kmpc_call_told:
        .cfi_startproc
        sub     x9, sp, 16
        str     x9, [x5]
        b       teff_kmpc_call
        .cfi_endproc
        .size   teff_kmpc_call_told, . - teff_kmpc_call_told

// void teff_kmpc_call(code x0, thread x1, member x2, count w3, words x4)
        .globl  teff_kmpc_call
        .hidden teff_kmpc_call
        .type   teff_kmpc_call, %function
        .balign 16
teff_kmpc_call:
        .cfi_startproc
        stp     x29, x30, [sp, -16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov     x29, sp
        .cfi_def_cfa_register x29
        mov     x16, x0
        mov     x0, x1
        mov     x1, x2
        mov     x17, x4
        sxtw    x9, w3
        subs    x9, x9, 6
        b.le    2f
        // An even number of words keeps the stack aligned.
        add     x10, x9, 1
        and     x10, x10, -2
        sub     sp, sp, x10, lsl 3
        add     x11, x17, 48
1:      sub     x9, x9, 1
        ldr     x12, [x11, x9, lsl 3]
        str     x12, [sp, x9, lsl 3]
        cbnz    x9, 1b
2:      ldp     x2, x3, [x17]
        ldp     x4, x5, [x17, 16]
        ldp     x6, x7, [x17, 32]
        blr     x16
        mov     sp, x29
        ldp     x29, x30, [sp], 16
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa sp, 0
        ret
        .cfi_endproc
        .size   teff_kmpc_call, . - teff_kmpc_call

        .section .note.GNU-stack, "", %progbits
