/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests only: functions that reach a thread-local variable, or do not. Nothing calls them; tests
 * look at their code. Only `reached` is exported, and with EXPORTS also one function that reaches a
 * variable.
 */
#include "preempt/reached.h"

#include <math.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

static __thread volatile int variable;
static __thread volatile int near_variable __attribute__((tls_model("initial-exec")));
static volatile int sink;

APART static void leaf(void) { sink = sink * 3 + 1; }
APART static void reads(void) { sink = variable; }
APART static void reads_near(void) { sink = near_variable; }
APART static void calls_leaf(void) {
    leaf();
    leaf();
    sink = 1;
}
APART static void calls_reads(void) {
    leaf();
    reads_near();
    sink = 1;
}
APART static void jumps_to_reads(void) {
    sink = 2;
    reads_near(); /* a jump, where calls at the end are optimised */
}
APART static void recursive(int depth) {
    sink = depth;
    if (depth > 0) recursive(depth - 1);
    sink = 0;
}
static void recurses(void) { recursive(sink); }
static void calls_library(void) { sink = (int)strtol("3", NULL, 10) + (int)sin(sink); }

static int compare_reads(const void* left, const void* right) { return near_variable + (left < right); }
static void passes_reader(void) { atexit(reads_near); }
static void passes_leaf(void) { atexit(leaf); }
static void sorts(void) { qsort((void*)&sink, 1, sizeof sink, compare_reads); }

static void (*volatile stored)(void) = leaf;
static void calls_stored(void) { stored(); }
static void (*const constant[])(void) = {leaf, reads_near};
static void calls_constant(void) { constant[sink & 1](); }
static void jumps_to_stored(void) {
    sink = 1;
    stored();
}
static void (*const volatile kept)(void) = reads_near;
static void loads_reader(void) { sink = kept != NULL; }

APART static int chosen(int which) {
    switch (which) {
    case 0:
        return 3;
    case 1:
        return sink;
    case 2:
        leaf();
        return 9;
    case 3:
        return getenv("GRAIN") != NULL;
    case 4:
        return abs(sink);
    case 5:
        return 8;
    default:
        return 1;
    }
}
static void chooses(void) { sink = chosen(sink); }
static void is_guarded(void) {
    volatile char text[32];
    text[sink & 31] = 1;
    sink = text[3];
}

/* Forms that compilers do not write, or not with these options. */
__asm__(".text\n"
        ".type without_tables, @function\n"
        "without_tables:\n"
        "    ret\n"
        ".size without_tables, . - without_tables\n"
        ".type unknown_code, @function\n"
        "unknown_code:\n"
        "    .cfi_startproc\n"
        "    .byte 0x06\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size unknown_code, . - unknown_code\n"
        ".type looks_like_stub, @function\n"
        "looks_like_stub:\n" /* four bytes, then a call through a slot */
        "    .cfi_startproc\n"
        "    sub $8, %rsp\n"
        "    call *abs@GOTPCREL(%rip)\n"
        "    mov %fs:0, %rax\n"
        "    add $8, %rsp\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size looks_like_stub, . - looks_like_stub\n"
        ".type adds_elsewhere, @function\n"
        "adds_elsewhere:\n" /* a jump to a register that is not the sum */
        "    .cfi_startproc\n"
        "    add %rcx, %rdi\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size adds_elsewhere, . - adds_elsewhere\n"
        ".type jumps_by_offset, @function\n"
        "jumps_by_offset:\n" /* a jump to a sum that is the address of another function */
        "    .cfi_startproc\n"
        "    lea plain_code(%rip), %rdx\n"
        "    movslq offset_of_reader(%rip), %rax\n"
        "    add %rdx, %rax\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size jumps_by_offset, . - jumps_by_offset\n"
        ".pushsection .rodata\n"
        ".balign 4\n"
        "offset_of_reader: .long sets_area - plain_code\n"
        ".popsection\n"
        ".type plain_code, @function\n"
        "plain_code:\n"
        "    .cfi_startproc\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size plain_code, . - plain_code\n"
        ".type jumps_into, @function\n"
        "jumps_into:\n"
        "    .cfi_startproc\n"
        "    jmp looks_like_stub + 4\n"
        "    .cfi_endproc\n"
        ".size jumps_into, . - jumps_into\n"
        ".type sets_area, @function\n"
        "sets_area:\n"
        "    .cfi_startproc\n"
        "    rdfsbase %rax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size sets_area, . - sets_area\n");
extern void without_tables(void) __attribute__((visibility("hidden")));
extern void unknown_code(void) __attribute__((visibility("hidden")));
extern void looks_like_stub(void) __attribute__((visibility("hidden")));
extern void adds_elsewhere(void) __attribute__((visibility("hidden")));
extern void jumps_by_offset(void) __attribute__((visibility("hidden")));
extern void jumps_into(void) __attribute__((visibility("hidden")));
extern void sets_area(void) __attribute__((visibility("hidden")));

/* Too much code. */
APART static void is_long(void) {
    sink = 1;
    __asm__ volatile(".skip 300000, 0x90");
}

/* What functions that call a library reach: the library may call `exported`. */
#ifdef EXPORTS
#define CALLING 't'
__attribute__((visibility("default"))) void exported(void) { sink = near_variable; }
#else
#define CALLING 'n'
#endif

#define FUNCTION(name, reach) {#name, name, reach}
static const struct ReachedFunction functions[] = {
    FUNCTION(leaf, 'n'),
    FUNCTION(reads, 't'),
    FUNCTION(reads_near, 't'),
    FUNCTION(calls_leaf, 'n'),
    FUNCTION(calls_reads, 't'),
    FUNCTION(jumps_to_reads, 't'),
    FUNCTION(recurses, 'n'),
    FUNCTION(calls_library, CALLING),
    FUNCTION(passes_leaf, CALLING),
    FUNCTION(chooses, CALLING),
    FUNCTION(passes_reader, 't'),
    FUNCTION(sorts, 'e'),
    FUNCTION(calls_stored, 'u'),
    FUNCTION(calls_constant, 'u'),
    FUNCTION(jumps_to_stored, 'u'),
    FUNCTION(loads_reader, 't'),
    FUNCTION(is_guarded, 'n'),
    FUNCTION(without_tables, 'u'),
    FUNCTION(unknown_code, 'u'),
    FUNCTION(looks_like_stub, 't'),
    FUNCTION(adds_elsewhere, 'u'),
    FUNCTION(jumps_by_offset, 'u'),
    FUNCTION(jumps_into, 't'),
    FUNCTION(sets_area, 't'),
    FUNCTION(is_long, 'u'),
};

__attribute__((visibility("default"))) const struct ReachedFunction* reached(int* count) {
    *count = sizeof functions / sizeof functions[0];
    return functions;
}
