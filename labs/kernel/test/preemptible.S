// SPDX-License-Identifier: Apache-2.0
//
// Code that ticks may interrupt, in the section `preemptible`, which the test registers as its
// range. Each function fills the registers or memory that it checks with patterns, loops without
// changing them, and then reports what it finds in them.

    .section preemptible, "ax", @progbits

// void canary_run(struct canary* canary /* rdi */, uint64_t iterations /* rsi */)
// Offsets are those of struct canary in harness.h.
    .set YMM_IN, 0
    .set YMM_OUT, 512
    .set GPR_OUT, 1024             // rax rbx rdx rsi rdi rbp r8..r15, then rsp before and after
    .set RED_OUT, 1152
    .set FLAGS_IN, 1280
    .set FLAGS_OUT, 1288
    .set X87_IN, 1296              // two doubles
    .set X87_OUT, 1312
    .set MXCSR_IN, 1328
    .set MXCSR_OUT, 1332
    .set CW_IN, 1336
    .set CW_OUT, 1340

    .globl canary_run
    .type canary_run, @function
canary_run:
    .cfi_startproc
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    pushq %rdi
    .cfi_adjust_cfa_offset 56
    movq %rsp, GPR_OUT+112(%rdi)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu YMM_IN+32*\n(%rdi), %ymm\n
    .endr
    ldmxcsr MXCSR_IN(%rdi)
    fldcw CW_IN(%rdi)
    fldl X87_IN(%rdi)
    fldl X87_IN+8(%rdi)
    movq %rsi, %rcx
    pushq FLAGS_IN(%rdi)
    popfq                          // from here on nothing that changes flags
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    movq $0x5ed00000+\n, -8*\n(%rsp)
    .endr
    movabsq $0xa0a0a0a0a0a0a0a0, %rax
    movabsq $0xa1a1a1a1a1a1a1a1, %rbx
    movabsq $0xa2a2a2a2a2a2a2a2, %rdx
    movabsq $0xa3a3a3a3a3a3a3a3, %rsi
    movabsq $0xa4a4a4a4a4a4a4a4, %rdi
    movabsq $0xa5a5a5a5a5a5a5a5, %rbp
    movabsq $0xa6a6a6a6a6a6a6a6, %r8
    movabsq $0xa7a7a7a7a7a7a7a7, %r9
    movabsq $0xa8a8a8a8a8a8a8a8, %r10
    movabsq $0xa9a9a9a9a9a9a9a9, %r11
    movabsq $0xaaaaaaaaaaaaaaaa, %r12
    movabsq $0xabababababababab, %r13
    movabsq $0xacacacacacacacac, %r14
    movabsq $0xadadadadadadadad, %r15
1:
    leaq -1(%rcx), %rcx
    jrcxz 2f
    jmp 1b
2:
    movq (%rsp), %rcx
    movq %rax, GPR_OUT(%rcx)
    movq %rbx, GPR_OUT+8(%rcx)
    movq %rdx, GPR_OUT+16(%rcx)
    movq %rsi, GPR_OUT+24(%rcx)
    movq %rdi, GPR_OUT+32(%rcx)
    movq %rbp, GPR_OUT+40(%rcx)
    movq %r8, GPR_OUT+48(%rcx)
    movq %r9, GPR_OUT+56(%rcx)
    movq %r10, GPR_OUT+64(%rcx)
    movq %r11, GPR_OUT+72(%rcx)
    movq %r12, GPR_OUT+80(%rcx)
    movq %r13, GPR_OUT+88(%rcx)
    movq %r14, GPR_OUT+96(%rcx)
    movq %r15, GPR_OUT+104(%rcx)
    movq %rsp, GPR_OUT+120(%rcx)
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    movq -8*\n(%rsp), %rax
    movq %rax, RED_OUT+8*\n-8(%rcx)
    .endr
    pushfq
    popq FLAGS_OUT(%rcx)
    cld
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu %ymm\n, YMM_OUT+32*\n(%rcx)
    .endr
    stmxcsr MXCSR_OUT(%rcx)
    fnstcw CW_OUT(%rcx)
    fstpl X87_OUT+8(%rcx)
    fstpl X87_OUT(%rcx)
    fninit
    pushq $0x1f80
    ldmxcsr (%rsp)
    popq %rdi
    vzeroupper
    popq %rdi
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    .cfi_adjust_cfa_offset -56
    ret
    .cfi_endproc
    .size canary_run, . - canary_run

// void spin(uint64_t iterations): a loop that ticks may interrupt.
    .globl spin
    .type spin, @function
spin:
    .cfi_startproc
1:
    decq %rdi
    jnz 1b
    ret
    .cfi_endproc
    .size spin, . - spin

// void spin_on(uint64_t sp, uint64_t iterations): the same with any value for a stack pointer.
    .globl spin_on
    .type spin_on, @function
spin_on:
    movq %rsp, %rax
    movq %rdi, %rsp
1:
    decq %rsi
    jnz 1b
    movq %rax, %rsp
    ret
    .size spin_on, . - spin_on

// uint64_t spin_in_kernel(uint64_t calls, uint64_t number): system calls made in the range; the sum
// of their results.
    .globl spin_in_kernel
    .type spin_in_kernel, @function
spin_in_kernel:
    xorl %edx, %edx
1:
    movq %rsi, %rax
    syscall
    addq %rax, %rdx
    decq %rdi
    jnz 1b
    movq %rdx, %rax
    ret
    .size spin_in_kernel, . - spin_in_kernel

// void spin_stepped(uint64_t iterations): the same with the trap flag set.
    .globl spin_stepped
    .type spin_stepped, @function
spin_stepped:
    pushfq
    orq $0x100, (%rsp)
    popfq
1:
    decq %rdi
    jnz 1b
    pushfq
    andq $~0x100, (%rsp)
    popfq
    ret
    .size spin_stepped, . - spin_stepped

// int spin_restartable(struct rseq* rseq, uint64_t iterations): 0, or 1 if the kernel aborted the
// sequence.
    .globl spin_restartable
    .type spin_restartable, @function
spin_restartable:
    leaq restartable(%rip), %rax
    movq %rax, 8(%rdi)             // rseq_cs
restartable_begin:
    decq %rsi
    jnz restartable_begin
restartable_end:
    movq $0, 8(%rdi)
    xorl %eax, %eax
    ret
    .long 0x53053053               // RSEQ_SIG: the kernel looks for it before an abort address
restartable_abort:
    movl $1, %eax
    ret
    .size spin_restartable, . - spin_restartable

    .section .data.rel.ro, "aw"
    .balign 32
restartable:
    .long 0, 0
    .quad restartable_begin, restartable_end - restartable_begin, restartable_abort

    .text
// void scramble(void): leaves nothing in any register but what the ABI says.
    .globl scramble
    .type scramble, @function
scramble:
    vpcmpeqd %ymm0, %ymm0, %ymm0
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vpaddd %ymm0, %ymm0, %ymm\n
    .endr
    fninit
    fldpi
    fldpi
    fmulp
    fstp %st(0)
    movq $-1, %rax
    movq %rax, %rcx
    movq %rax, %rdx
    movq %rax, %rsi
    movq %rax, %rdi
    movq %rax, %r8
    movq %rax, %r9
    movq %rax, %r10
    movq %rax, %r11
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    movq %rax, -8*\n(%rsp)
    .endr
    addq %rax, %rcx
    vzeroupper
    ret
    .size scramble, . - scramble

// void call_on(void* top, void (*function)(void*), void* argument)
    .globl call_on
    .type call_on, @function
call_on:
    .cfi_startproc
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    movq %rsp, %rbp
    .cfi_def_cfa_register rbp
    movq %rdi, %rsp
    movq %rdx, %rdi
    call *%rsi
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa rsp, 8
    ret
    .cfi_endproc
    .size call_on, . - call_on

    .section .note.GNU-stack, "", @progbits
