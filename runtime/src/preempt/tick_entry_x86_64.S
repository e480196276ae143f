// SPDX-License-Identifier: Apache-2.0
//
// tick_entry, at which the kernel module makes an interrupted thread enter. The module leaves the
// stack as entry_x86_64.inc wants it.

#include "preempt/entry_x86_64.inc"

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

    .section .note.GNU-stack, "", @progbits
