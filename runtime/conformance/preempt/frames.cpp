// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// flags: -lm
//
// Tasks of high priority keep becoming ready while a task of low priority leaves frames of a
// library in unusual ways: an exception unwinds through functions of the C library that call the
// program back, setjmp returns twice, and a function of the mathematical library changes the
// rounding mode temporarily.
#include <cfenv>
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <search.h>

#include "check.h"

enum { HIGH_TASKS = 2000 };

static int stop;
static volatile long double sink;
static volatile double one = 1, three = 3;

static int throwing(const void* left, const void* right) {
    if (*static_cast<const int*>(left) == 7) throw 7;
    return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

static void throw_through_tfind(void* tree) {
    const int key = 7;
    int caught = 0;
    try {
        (void)tfind(&key, &tree, throwing);
    } catch (int value) {
        caught = value;
    }
    CHECK_EQ(caught, 7);
}

static void throw_through_bsearch() {
    const int key = 7, values[] = {1, 2, 3, 4, 5, 6, 8};
    int caught = 0;
    try {
        (void)bsearch(&key, values, 7, sizeof key, throwing);
    } catch (int value) {
        caught = value;
    }
    CHECK_EQ(caught, 7);
}

static void return_twice() {
    std::jmp_buf back;
    volatile int times = 0;
    if (setjmp(back) < 3) {
        times = times + 1;
        std::longjmp(back, times);
    }
    CHECK_EQ(times, 3);
}

static void low(int kind) {
    void* tree = nullptr;
    int values[] = {1, 2, 3};
    for (int& value : values)
        (void)tsearch(&value, &tree, throwing);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        switch (kind) {
        case 0:
            throw_through_tfind(tree);
            break;
        case 1:
            throw_through_bsearch();
            break;
        case 2:
            return_twice();
            break;
        default:
            sink = fmal(1.1L, sink, 2.2L) * 0.5L;
        }
    }
    tdestroy(tree, [](void*) {});
}

int main() {
    for (int kind = 0; kind < 4; ++kind) {
        stop = 0;
        int begun = 0, rounded = 0;
#pragma omp parallel
#pragma omp single
        {
#pragma omp task untied priority(1) firstprivate(kind) shared(begun)
            {
                __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
                low(kind);
            }
            check_wait_for(&begun, 1);
            for (int i = 0; i < HIGH_TASKS; ++i) {
#pragma omp task untied priority(5) shared(rounded)
                if (std::fegetround() == FE_TONEAREST && one / three == 1.0 / 3.0)
                    __atomic_fetch_add(&rounded, 1, __ATOMIC_RELAXED);
            }
            __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
        }
        CHECK_EQ(rounded, HIGH_TASKS);
    }
    return 0;
}
