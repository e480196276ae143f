// SPDX-License-Identifier: Apache-2.0
//
// Where a thread enters the runtime in the middle of the program: tick_entry, at which the kernel
// module makes an interrupted thread enter, and return_entry, at which a diverted call returns
// (diversions.h).
//
// On entry at tick_entry, sp points at the interrupted instruction's address, 128 bytes of red zone
// above it, and every other register is the interrupted code's. return_entry makes its stack look
// so, with an address that return_dispatch fills in.
//
// Both save flags and general registers as struct tick_frame (tick_source.h), align the stack, save
// the XSAVE area in the standard format, call a function with (frame, area), and go back. This code
// is in no range, so no tick comes in the middle.

    .macro keep register
    pushq %\register
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset \register, 0
    .endm
    .macro give_back register
    popq %\register
    .cfi_adjust_cfa_offset -8
    .cfi_restore \register
    .endm

    // Saves everything, calls `function`, restores everything and goes on at the saved address.
    .macro call_between function
    pushfq
    .cfi_adjust_cfa_offset 8
    cld                            // the ABI's state for a call
    keep rax
    keep rbx
    keep rcx
    keep rdx
    keep rbp
    keep rsi
    keep rdi
    keep r8
    keep r9
    keep r10
    keep r11
    keep r12
    keep r13
    keep r14
    keep r15
    movq %rsp, %rbx                // the callee keeps it
    .cfi_remember_state
    .cfi_def_cfa_register rbx

    subq tick_xsave_bytes(%rip), %rsp
    andq $-64, %rsp
    xorl %eax, %eax
    leaq 512(%rsp), %rdi           // XSAVE leaves most of the area's header as it finds it; XRSTOR wants zeros there
    movl $8, %ecx
    rep stosq
    movl tick_xsave_mask(%rip), %eax
    movl 4+tick_xsave_mask(%rip), %edx
    xsave64 (%rsp)
    // What the ABI wants at a call: default rounding, exceptions masked, an empty x87 stack.
    fninit
    ldmxcsr abi_mxcsr(%rip)
    movq %rbx, %rdi
    movq %rsp, %rsi
    call \function
    movl tick_xsave_mask(%rip), %eax
    movl 4+tick_xsave_mask(%rip), %edx
    xrstor64 (%rsp)

    movq %rbx, %rsp
    .cfi_restore_state
    give_back r15
    give_back r14
    give_back r13
    give_back r12
    give_back r11
    give_back r10
    give_back r9
    give_back r8
    give_back rdi
    give_back rsi
    give_back rbp
    give_back rdx
    give_back rcx
    give_back rbx
    give_back rax
    popfq
    .cfi_adjust_cfa_offset -8
    ret $128                       // past the red zone, flags untouched
    .endm

    .text
    .globl tick_entry
    .hidden tick_entry
    .type tick_entry, @function
    .balign 16
tick_entry:
    .cfi_startproc
    .cfi_signal_frame
    .cfi_def_cfa rsp, 136
    .cfi_offset rip, -136
    call_between tick_dispatch
    .cfi_endproc
    .size tick_entry, . - tick_entry

    // The instruction before the entry belongs to it for whoever reads the stack: the caller of a
    // diverted call cannot be told there.
    .globl return_entry
    .hidden return_entry
    .balign 16
    .cfi_startproc
    .cfi_signal_frame
    .cfi_undefined rip
    nop
    .type return_entry, @function
return_entry:
    leaq -136(%rsp), %rsp          // flags untouched
    .cfi_def_cfa rsp, 136
    .cfi_offset rip, -136
    call_between return_dispatch
    .cfi_endproc
    .size return_entry, . - return_entry

    .section .rodata
    .balign 4
abi_mxcsr:
    .long 0x1f80

    .section .note.GNU-stack, "", @progbits
