// SPDX-License-Identifier: Apache-2.0
//
// return_entry, at which a diverted call returns (diversions.h). It gives the stack the layout that
// entry_x86_64.inc expects, with an address that return_dispatch fills in.

#include "preempt/entry_x86_64.inc"

    .text
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

    .section .note.GNU-stack, "", @progbits
