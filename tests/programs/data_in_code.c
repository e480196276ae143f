// SPDX-License-Identifier: Apache-2.0
// A text behind a call, as hand-written code without relocations has it. Its first bytes are those
// of a jump by way of an address that nothing is mapped at.
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
