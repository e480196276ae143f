// SPDX-License-Identifier: Apache-2.0
//
// dlopen: looks whether the library may be loaded, then goes on in the real one as if the program
// had called it, since that looks for the library where the caller's module says.
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
