// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=1 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// flags: -lm -O0
// stock: fails, a running task keeps its thread
//
// A task of low priority calls functions of libraries, with canaries in the registers that a
// function must preserve, and in the control words for floating point. Before each call it lets a
// task of high priority continue on its thread, which therefore preempts it in the call or at the
// return from it, and leaves no register as it was. The functions return their results in one or
// two registers of each kind.
//
// PREEMPTIONS=1000000 in the environment makes that many.
#include <complex.h>
#include <errno.h>
#include <fenv.h>
#include <limits.h>
#include <math.h>

#include "check.h"

#if !defined(__x86_64__)
int main(void) { return 0; }
#else

enum { BYTES = 1 << 18, VALUES = 100, FEW = 1400 };

struct Kept {
    unsigned long rbx, rbp, r12, r13, r14, r15;
    unsigned mxcsr, control_word;
};

// Calls `function` with the contents of `in` in these registers, and stores what it has left there.
void call_with_canaries(void (*function)(void), const struct Kept* in, struct Kept* out);
__asm__(".text\n"
        ".globl call_with_canaries\n"
        ".type call_with_canaries, @function\n"
        "call_with_canaries:\n"
        ".cfi_startproc\n"
        ".irp register, rbx, rbp, r12, r13, r14, r15\n"
        "  push %\\register\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  .cfi_rel_offset \\register, 0\n"
        ".endr\n"
        "  push %rdx\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  sub $16, %rsp\n"
        "  .cfi_adjust_cfa_offset 16\n"
        "  stmxcsr (%rsp)\n"
        "  fnstcw 4(%rsp)\n"
        "  ldmxcsr 48(%rsi)\n"
        "  fldcw 52(%rsi)\n"
        "  mov (%rsi), %rbx\n"
        "  mov 8(%rsi), %rbp\n"
        "  mov 16(%rsi), %r12\n"
        "  mov 24(%rsi), %r13\n"
        "  mov 32(%rsi), %r14\n"
        "  mov 40(%rsi), %r15\n"
        "  call *%rdi\n"
        "  mov 16(%rsp), %rdx\n"
        "  stmxcsr 48(%rdx)\n"
        "  movl $0, 52(%rdx)\n"
        "  fnstcw 52(%rdx)\n"
        "  ldmxcsr (%rsp)\n"
        "  fldcw 4(%rsp)\n"
        "  mov %rbx, (%rdx)\n"
        "  mov %rbp, 8(%rdx)\n"
        "  mov %r12, 16(%rdx)\n"
        "  mov %r13, 24(%rdx)\n"
        "  mov %r14, 32(%rdx)\n"
        "  mov %r15, 40(%rdx)\n"
        "  add $24, %rsp\n"
        "  .cfi_adjust_cfa_offset -24\n"
        ".irp register, r15, r14, r13, r12, rbp, rbx\n"
        "  pop %\\register\n"
        "  .cfi_adjust_cfa_offset -8\n"
        "  .cfi_restore \\register\n"
        ".endr\n"
        "  ret\n"
        ".cfi_endproc\n"
        ".size call_with_canaries, . - call_with_canaries\n");

static unsigned long state = 1;
static unsigned long any(void) { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 24; }

static void compare_texts(void) {
    static char left[BYTES / 16], right[sizeof left];
    const size_t last = sizeof left - 2;
    memset(left, 'a', last + 1);
    memset(right, 'a', last + 1);
    CHECK_EQ(strcmp(left, right), 0);
    right[last] = 'b';
    CHECK(strcmp(left, right) < 0);
    CHECK_EQ(strlen(left), last + 1);
}

static void allocate(void) {
    const size_t bytes = 64 + any() % 5000;
    char* const memory = malloc(bytes);
    CHECK(memory != NULL);
    memset(memory, 7, bytes);
    char* const larger = realloc(memory, 2 * bytes);
    CHECK(larger != NULL && larger[0] == 7 && larger[bytes - 1] == 7);
    free(larger);
}

static void compute(void) {
    const double x = 1e-4 * (double)(any() % 100000);
    CHECK(fabs(sin(x) * sin(x) + cos(x) * cos(x) - 1) < 1e-12);
    CHECK(fabs(exp(log(x + 1)) - (x + 1)) < 1e-9 * (x + 1));
    errno = 0;
    CHECK(isnan(log(-1 - x)) && errno == EDOM);
}

static void print(void) {
    char text[64];
    const unsigned number = any() % 1000000;
    const int bytes = snprintf(text, sizeof text, "%u %.3f %s", number, 1.5, "end");
    CHECK_EQ(bytes, strlen(text));
    CHECK_EQ(atoi(text), number);
    CHECK(strcmp(text + bytes - 9, "1.500 end") == 0);
    errno = 0;
    CHECK(strtol("99999999999999999999", NULL, 10) == LONG_MAX && errno == ERANGE);
}

static void copy(void) {
    static char from[BYTES], to[BYTES];
    memset(from, (int)(any() % 100), sizeof from);
    memcpy(to, from, sizeof to);
    CHECK_EQ(memcmp(to, from, sizeof to), 0);
}

static int compare(const void* left, const void* right) { return *(const int*)left - *(const int*)right; }

static void sort(void) {
    int values[VALUES];
    for (int i = 0; i < VALUES; i++)
        values[i] = (int)(any() % 100000);
    qsort(values, VALUES, sizeof *values, compare);
    for (int i = 1; i < VALUES; i++)
        CHECK(values[i - 1] <= values[i]);
}

static void return_in_two_registers(void) {
    const long long number = (long long)any(), divisor = 1 + (long long)(any() % 1000);
    const lldiv_t divided = lldiv(number, divisor);
    CHECK_EQ(divided.quot, number / divisor);
    CHECK_EQ(divided.rem, number % divisor);
    const double x = 1e-4 * (double)(any() % 10000);
    const double complex on_circle = cexp(I * x);
    CHECK(fabs(creal(on_circle) - cos(x)) < 1e-12 && fabs(cimag(on_circle) - sin(x)) < 1e-12);
    const long double complex finer = cexpl(I * (long double)x);
    CHECK(fabsl(creall(finer) - cosl(x)) < 1e-12L && fabsl(cimagl(finer) - sinl(x)) < 1e-12L);
}

static void (*const calls[])(void) = {compare_texts, allocate, compute, print, copy, sort, return_in_two_registers};
enum { CALLS = sizeof calls / sizeof *calls };

static int preemptions, wanted = FEW, is_offered;
static omp_event_handle_t offered;

static void leave_nothing_as_it_was(void) {
    const int mode = fegetround();
    fesetround(FE_DOWNWARD);
    volatile double third = 1;
    third /= 3;
    fesetround(mode);
    feclearexcept(FE_ALL_EXCEPT);
    __asm__ volatile("fld1\n fldpi\n fmulp\n fstp %%st(0)\n pxor %%xmm0, %%xmm0\n pxor %%xmm1, %%xmm1\n"
                     "xor %%eax, %%eax\n mov $-1, %%rcx\n mov %%rcx, %%rdx\n mov %%rcx, %%rbx\n mov %%rcx, %%r8\n"
                     "mov %%rcx, %%r12\n mov %%rcx, %%r13\n mov %%rcx, %%r14\n mov %%rcx, %%r15" ::
                         : "rax", "rbx", "rcx", "rdx", "r8", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "cc");
    errno = EINTR;
}

static void preempt(void) {
    while (preemptions < wanted) {
        omp_event_handle_t event;
#pragma omp task detach(event) priority(5)
        {
        }
        offered = event;
        __atomic_store_n(&is_offered, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
        leave_nothing_as_it_was();
        preemptions++;
    }
}

static void be_preempted(void) {
    struct Kept in = {0}, out;
    for (unsigned call = 0; __atomic_load_n(&preemptions, __ATOMIC_ACQUIRE) < wanted; call++) {
        in = (struct Kept){any(), any(), any(), any(), any(), any(), 0x1f80, 0x37f};
        if (call % 2 != 0) in.mxcsr |= 0x8040; // results that are too small become 0
        if (__atomic_exchange_n(&is_offered, 0, __ATOMIC_ACQUIRE)) omp_fulfill_event(offered);
        call_with_canaries(calls[call / 16 % CALLS], &in, &out);
        in.mxcsr |= out.mxcsr & 0x3f; // what has happened so far
        out.mxcsr |= in.mxcsr & 0x3f;
        CHECK_EQ(memcmp(&in, &out, sizeof in), 0);
    }
}

int main(void) {
    const char* const many = getenv("PREEMPTIONS");
    if (many != NULL) {
        wanted = atoi(many);
        alarm(0);
    }
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied priority(5)
        preempt();
#pragma omp task untied priority(1)
        be_preempted();
    }
    CHECK_EQ(preemptions, wanted);
    return 0;
}
#endif
