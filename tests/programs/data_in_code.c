// SPDX-License-Identifier: Apache-2.0
// Has a text in its code behind a call instruction, as hand-written code without relocations may
// have. The text's first bytes are those of an indirect jump through an address where nothing is
// mapped.
#include <stdio.h>

__attribute__((noinline)) static const char* text(void) {
    const char* found;
    __asm__ volatile("call 1f\n\t.asciz \"\\xff\\x25 is the mark\"\n1:\tpop %0" : "=r"(found) : : "memory");
    return found;
}

int main(void) {
    puts(text() + 2);
    return 0;
}
