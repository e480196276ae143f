// SPDX-License-Identifier: Apache-2.0
//
// tick_entry, the code that an interrupted thread executes after a tick of the kernel module. The
// module leaves the stack in the layout that entry_x86_64.inc expects.

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
