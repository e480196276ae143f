// SPDX-License-Identifier: Apache-2.0
        .text
// void teff_processes_call_on(void (*function)(void*) %rdi, void* argument %rsi, void* stack %rdx)
        .globl  teff_processes_call_on
        .hidden teff_processes_call_on
        .type   teff_processes_call_on, @function
        .balign 16
teff_processes_call_on:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    %rdx, %rsp
        movq    %rdi, %rax
        movq    %rsi, %rdi
        call    *%rax
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   teff_processes_call_on, . - teff_processes_call_on
        .section .note.GNU-stack, "", @progbits
