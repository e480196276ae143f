// SPDX-License-Identifier: Apache-2.0
//
// dlopen: checks whether the library may be loaded, and then jumps to the real dlopen as if the
// program had called it, because dlopen searches for the library along the paths of the calling
// module.
        .text
        .globl  dlopen
        .type   dlopen, @function
dlopen:
        .cfi_startproc
        endbr64
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        movq    16(%rsp), %rdx
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    teff_processes_real_dlopen
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   dlopen, . - dlopen
        .section .note.GNU-stack, "", @progbits
