// SPDX-License-Identifier: Apache-2.0
// Context switch for x86-64; raw_switch.h says what each function does.
//
// The object has no mark for CET's shadow stacks, because it does not support them. A dynamic
// linker that finds an object without the mark leaves shadow stacks off, and contexts work.
// shadow_stack_x86_64.cpp detects whether they are on nevertheless.

#include "fiber/frame_x86_64.h"

        .text

// The call has pushed the return address; the rest of the frame goes below it.
.macro  save_frame
        subq    $TEFF_FRAME_RETURN, %rsp
        .cfi_adjust_cfa_offset TEFF_FRAME_RETURN
        stmxcsr TEFF_FRAME_MXCSR(%rsp)
        fnstcw  TEFF_FRAME_X87(%rsp)
        movq    %r12, TEFF_FRAME_R12(%rsp)
        .cfi_rel_offset %r12, TEFF_FRAME_R12
        movq    %r13, TEFF_FRAME_R13(%rsp)
        .cfi_rel_offset %r13, TEFF_FRAME_R13
        movq    %r14, TEFF_FRAME_R14(%rsp)
        .cfi_rel_offset %r14, TEFF_FRAME_R14
        movq    %r15, TEFF_FRAME_R15(%rsp)
        .cfi_rel_offset %r15, TEFF_FRAME_R15
        movq    %rbx, TEFF_FRAME_RBX(%rsp)
        .cfi_rel_offset %rbx, TEFF_FRAME_RBX
        movq    %rbp, TEFF_FRAME_RBP(%rsp)
        .cfi_rel_offset %rbp, TEFF_FRAME_RBP
        movq    %rsp, (%rdi)
.endm

// void* teff_fiber_switch(Frame** saved %rdi, Frame* target %rsi, void* message %rdx)
        .globl  teff_fiber_switch
        .hidden teff_fiber_switch
        .type   teff_fiber_switch, @function
        .balign 16
teff_fiber_switch:
        .cfi_startproc
        save_frame
        movl    TEFF_FRAME_MXCSR(%rsp), %r8d
        movzwl  TEFF_FRAME_X87(%rsp), %r9d
        // From here on the other stack's frame is used. It has the same layout, so the unwinder's
        // rules stay valid.
        movq    %rsi, %rsp
        movq    %rdx, %rax
        // Loading a control word is slow, and the value seldom changes.
        cmpl    %r8d, TEFF_FRAME_MXCSR(%rsp)
        je      1f
        ldmxcsr TEFF_FRAME_MXCSR(%rsp)
1:      cmpw    %r9w, TEFF_FRAME_X87(%rsp)
        je      2f
        fldcw   TEFF_FRAME_X87(%rsp)
2:
        movq    TEFF_FRAME_R12(%rsp), %r12
        movq    TEFF_FRAME_R13(%rsp), %r13
        movq    TEFF_FRAME_R14(%rsp), %r14
        movq    TEFF_FRAME_R15(%rsp), %r15
        movq    TEFF_FRAME_RBX(%rsp), %rbx
        movq    TEFF_FRAME_RBP(%rsp), %rbp
        movq    TEFF_FRAME_RETURN(%rsp), %rcx
        .cfi_register %rip, %rcx
        addq    $TEFF_FRAME_BYTES, %rsp
        .cfi_def_cfa %rsp, 0
        .cfi_same_value %r12
        .cfi_same_value %r13
        .cfi_same_value %r14
        .cfi_same_value %r15
        .cfi_same_value %rbx
        .cfi_same_value %rbp
        // No `ret`: the processor's stack of return addresses belongs to the stack that was left.
        jmpq    *%rcx
        .cfi_endproc
        .size   teff_fiber_switch, . - teff_fiber_switch

// void* teff_fiber_start(Frame** saved %rdi, void* top %rsi, void (*entry)(void*) %rdx,
//                        void* message %rcx)
        .globl  teff_fiber_start
        .hidden teff_fiber_start
        .type   teff_fiber_start, @function
        .balign 16
teff_fiber_start:
        .cfi_startproc
        save_frame
        movq    %rcx, %rdi
        jmp     teff_fiber_base
        .cfi_endproc
        .size   teff_fiber_start, . - teff_fiber_start

// Reached from teff_fiber_start, with the stack's top in %rsi, the entry in %rdx, and its argument
// in %rdi.
        .globl  teff_fiber_base
        .hidden teff_fiber_base
        .type   teff_fiber_base, @function
        .balign 16
teff_fiber_base:
        .cfi_startproc
        .cfi_undefined %rip
        .cfi_def_cfa %rsp, 0
        movq    %rsi, %rsp
        xorl    %ebp, %ebp // the chain of frame pointers also ends here
        callq   *%rdx
        ud2
        .cfi_endproc
        .size   teff_fiber_base, . - teff_fiber_base

// unsigned long teff_fiber_ask_valgrind(const unsigned long request[6] %rdi)
// Four rotations by 128 bits in total, and an exchange of a register with itself. They have no
// effect on a processor, but valgrind recognises them as a request, takes %rax and returns %rdx.
        .globl  teff_fiber_ask_valgrind
        .hidden teff_fiber_ask_valgrind
        .type   teff_fiber_ask_valgrind, @function
        .balign 16
teff_fiber_ask_valgrind:
        .cfi_startproc
        movq    %rdi, %rax
        xorl    %edx, %edx
        rolq    $3, %rdi
        rolq    $13, %rdi
        rolq    $61, %rdi
        rolq    $51, %rdi
        xchgq   %rbx, %rbx
        movq    %rdx, %rax
        ret
        .cfi_endproc
        .size   teff_fiber_ask_valgrind, . - teff_fiber_ask_valgrind

        .section .note.GNU-stack, "", @progbits
