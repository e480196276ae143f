// SPDX-License-Identifier: Apache-2.0
//
// canaries ROUNDS: tasks have a known value in each register and in the red zone. Tasks of higher
// priority preempt them on the same thread, at any instruction, and are themselves preempted by
// tasks of a still higher priority. The code of the tasks is in a library that is loaded after the
// threads have started. At the end, a forked child uses OpenMP.
#include "preempted.h"

#include <dlfcn.h>
#include <sys/wait.h>

#include "preempt/preempted_library.h"

enum { SSE = 1, AVX = 2, LEVELS = 2, TASKS_EACH = 20 };

struct keeper {
    struct Canaries in, out;
    int begun;
    volatile int stop;
};
static struct keeper keepers[LEVELS];
static int served, vector_level;
static const struct Preempted* library;

static void fill(struct Canaries* canaries, uint64_t seed) {
    uint64_t* const words = (uint64_t*)canaries;
    for (size_t i = 0; i < sizeof(*canaries) / sizeof(*words); i++)
        words[i] = seed = seed * 6364136223846793005 + 1442695040888963407;
    for (int i = 0; i < 8; i++)
        canaries->x87[i] = (double)(seed % 1000) + i;
    canaries->mxcsr = 0x1f80 | 0x4000;      // rounds up
    canaries->control_word = 0x37f | 0x400; // rounds down
    canaries->flags_changed = 0;
}

static void compare(const struct Canaries* in, const struct Canaries* out) {
    const size_t bytes = vector_level == AVX ? 32 : 16;
    for (int i = 0; i < 16; i++)
        must(!memcmp(in->vectors[i], out->vectors[i], bytes), "vector register %d has changed", i);
    for (int i = 0; i < 11; i++)
        must(in->general[i] == out->general[i], "general register %d has changed", i);
    for (int i = 0; i < 16; i++)
        must(in->red_zone[i] == out->red_zone[i], "word %d of the red zone has changed", i);
    for (int i = 0; i < 7; i++)
        must(in->x87[i] == out->x87[i], "x87 register %d has changed", i);
    must((in->mxcsr & ~0x3fu) == (out->mxcsr & ~0x3fu), "mxcsr has changed");
    must(in->control_word == out->control_word, "the x87 control word has changed");
    must(out->flags_changed == 0, "the flags have changed");
}

static void keep(struct keeper* keeper) {
    __atomic_store_n(&keeper->begun, 1, __ATOMIC_RELEASE);
    library->keep_canaries(&keeper->in, &keeper->out, &keeper->stop, vector_level);
    compare(&keeper->in, &keeper->out);
}

// Changes all registers of the task that a function may change.
static void scramble(void) {
    if (vector_level == AVX)
        __asm__ volatile("vzeroall" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                               "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory");
    __asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm15, %%xmm15\n\tfninit\n\tmov $-1, %%rax\n\tmov %%rax, %%r8\n\t"
                     "mov %%rax, %%r11\n\tstc" ::
                         : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm15", "cc",
                           "memory");
    __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
}

static void wait_for(const int* count, int wanted) {
    const uint64_t deadline = now_ns() + 60000000000;
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted) {
        sleep_ns(50000);
        must(now_ns() < deadline, "a task of higher priority does not come to its turn");
    }
}

static void load_library(void) {
    void* const handle = dlopen("libpreempted.so", RTLD_NOW);
    must(handle, "%s", dlerror());
    PreemptedFunction function;
    *(void**)&function = dlsym(handle, "preempted");
    must(function, "%s", dlerror());
    library = function();
}

static void use_openmp_in_child(void) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
        for (int i = 0; i < 100; i++) {
#pragma omp task untied priority(i % 3)
            __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
        }
        _exit(sum != 4950);
    }
    must(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child ended with status %x", status);
}

int main(int count, char** words) {
    const int rounds = count > 1 ? atoi(words[1]) : 10;
    __builtin_cpu_init();
    vector_level = __builtin_cpu_supports("avx2") ? AVX : SSE;
#pragma omp parallel num_threads(2)
#pragma omp master
    served = 0;
    load_library();
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int round = 0; round < rounds; round++) {
        for (int level = 0; level < LEVELS; level++) {
            struct keeper* const keeper = &keepers[level];
            keeper->begun = keeper->stop = 0;
            fill(&keeper->in, (uint64_t)(round * LEVELS + level));
#pragma omp task untied priority(2 * level + 1) firstprivate(keeper)
            keep(keeper);
            wait_for(&keeper->begun, 1);
            for (int i = 0; i < TASKS_EACH; i++) {
#pragma omp task untied priority(2 * level + 2)
                scramble();
                wait_for(&served, (round * LEVELS + level) * TASKS_EACH + i + 1);
            }
        }
        for (int level = LEVELS - 1; level >= 0; level--)
            keepers[level].stop = 1;
#pragma omp taskwait
    }
    must(served == rounds * LEVELS * TASKS_EACH, "%d tasks ran", served);
    use_openmp_in_child();
    print_ticks("canaries");
    return 0;
}
