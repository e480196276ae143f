// SPDX-License-Identifier: Apache-2.0
// The call of a region's code on x86-64; kmpc_call.h says what it does. Four words go in registers,
// behind the two numbers, and the others on the stack.

        .text

// void teff_kmpc_call_told(code %rdi, thread %rsi, member %rdx, count %ecx, words %r8, frame %r9)
// goes on as teff_kmpc_call, whose frame pointer will be just below the return address.
        .globl  teff_kmpc_call_told
        .hidden teff_kmpc_call_told
        .type   teff_kmpc_call_told, @function
        .balign 16
teff_kmpc_call_told:
        .cfi_startproc
        leaq    -8(%rsp), %rax
        movq    %rax, (%r9)
        jmp     teff_kmpc_call
        .cfi_endproc
        .size   teff_kmpc_call_told, . - teff_kmpc_call_told

// void teff_kmpc_call(code %rdi, thread %rsi, member %rdx, count %ecx, words %r8)
        .globl  teff_kmpc_call
        .hidden teff_kmpc_call
        .type   teff_kmpc_call, @function
        .balign 16
teff_kmpc_call:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    %rdi, %r11
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %r8, %r10
        movslq  %ecx, %rax
        subq    $4, %rax
        jle     2f
        // An even number of words keeps the stack aligned.
        leaq    1(%rax), %rcx
        andq    $-2, %rcx
        shlq    $3, %rcx
        subq    %rcx, %rsp
1:      movq    24(%r10,%rax,8), %rcx
        movq    %rcx, -8(%rsp,%rax,8)
        decq    %rax
        jnz     1b
2:      movq    (%r10), %rdx
        movq    8(%r10), %rcx
        movq    16(%r10), %r8
        movq    24(%r10), %r9
        xorl    %eax, %eax
        call    *%r11
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   teff_kmpc_call, . - teff_kmpc_call

        .section .note.GNU-stack, "", @progbits
