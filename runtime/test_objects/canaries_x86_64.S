// SPDX-License-Identifier: Apache-2.0
//
// teff_test_keep_canaries(in: rdi, out: rsi, stop: rdx, level: ecx): fills the registers and the
// red zone, waits until *stop, and then stores what it finds in them. It repairs nothing that has
// changed in between.

#define VECTORS 0
#define MASKS 2048
#define GENERAL 2112
#define RED_ZONE 2240
#define X87 2368
#define MXCSR 2432
#define CONTROL_WORD 2436
#define FLAGS_CHANGED 2440

#define FLAGS_PATTERN 0xd7 // sign, zero, adjust, parity, carry, and the bit that is always set

    .text
    .globl teff_test_keep_canaries
    .hidden teff_test_keep_canaries
    .type teff_test_keep_canaries, @function
    .balign 16
teff_test_keep_canaries:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    push %rcx                      // the level, read again at the end
    sub $24, %rsp
    stmxcsr 16(%rsp)
    fnstcw 20(%rsp)

    cmp $2, %ecx
    je 2f
    jg 3f
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups VECTORS + 64 * \n(%rdi), %xmm\n
    .endr
    jmp 4f
2:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovups VECTORS + 64 * \n(%rdi), %ymm\n
    .endr
    jmp 4f
3:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vmovups VECTORS + 64 * \n(%rdi), %zmm\n
    .endr
    .irp n, 1, 2, 3, 4, 5, 6, 7
    kmovw MASKS + 8 * \n(%rdi), %k\n
    .endr
4:
    fldcw CONTROL_WORD(%rdi)
    .irp n, 0, 1, 2, 3, 4, 5, 6
    fldl X87 + 8 * \n(%rdi)
    .endr
    ldmxcsr MXCSR(%rdi)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    mov RED_ZONE + 8 * \n(%rdi), %rax
    mov %rax, -128 + 8 * \n(%rsp)
    .endr
    mov GENERAL + 0(%rdi), %rbx
    mov GENERAL + 8(%rdi), %rbp
    mov GENERAL + 16(%rdi), %rcx
    mov GENERAL + 24(%rdi), %r8
    mov GENERAL + 32(%rdi), %r9
    mov GENERAL + 40(%rdi), %r10
    mov GENERAL + 48(%rdi), %r11
    mov GENERAL + 56(%rdi), %r12
    mov GENERAL + 64(%rdi), %r13
    mov GENERAL + 72(%rdi), %r14
    mov GENERAL + 80(%rdi), %r15
    movq $0, FLAGS_CHANGED(%rsi)

5:
    mov $FLAGS_PATTERN, %ah
    sahf
    .rept 64
    nop
    .endr
    lahf
    cmp $FLAGS_PATTERN, %ah
    je 6f
    addq $1, FLAGS_CHANGED(%rsi)
6:
    cmpl $0, (%rdx)
    je 5b

    mov %rbx, GENERAL + 0(%rsi)
    mov %rbp, GENERAL + 8(%rsi)
    mov %rcx, GENERAL + 16(%rsi)
    mov %r8, GENERAL + 24(%rsi)
    mov %r9, GENERAL + 32(%rsi)
    mov %r10, GENERAL + 40(%rsi)
    mov %r11, GENERAL + 48(%rsi)
    mov %r12, GENERAL + 56(%rsi)
    mov %r13, GENERAL + 64(%rsi)
    mov %r14, GENERAL + 72(%rsi)
    mov %r15, GENERAL + 80(%rsi)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    mov -128 + 8 * \n(%rsp), %rax
    mov %rax, RED_ZONE + 8 * \n(%rsi)
    .endr
    stmxcsr MXCSR(%rsi)
    movl $0, CONTROL_WORD(%rsi)
    fnstcw CONTROL_WORD(%rsi)
    .irp n, 6, 5, 4, 3, 2, 1, 0
    fstpl X87 + 8 * \n(%rsi)
    .endr
    fldcw 20(%rsp)
    ldmxcsr 16(%rsp)

    mov 24(%rsp), %ecx
    cmp $2, %ecx
    je 2f
    jg 3f
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups %xmm\n, VECTORS + 64 * \n(%rsi)
    .endr
    jmp 4f
2:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovups %ymm\n, VECTORS + 64 * \n(%rsi)
    .endr
    vzeroupper
    jmp 4f
3:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vmovups %zmm\n, VECTORS + 64 * \n(%rsi)
    .endr
    .irp n, 1, 2, 3, 4, 5, 6, 7
    kmovw %k\n, MASKS + 8 * \n(%rsi)
    .endr
    vzeroupper
4:
    add $24, %rsp
    pop %rcx
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size teff_test_keep_canaries, . - teff_test_keep_canaries

    .section .note.GNU-stack, "", @progbits
