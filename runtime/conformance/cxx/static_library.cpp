// SPDX-License-Identifier: Apache-2.0
// flags: -static-libstdc++ -static-libgcc
//
// The C++ library is linked statically, so the runtime does not see the library's state of
// exceptions. Tasks wait while an exception is being handled, and other tasks throw and catch
// meanwhile. Each task rethrows its own exception.
#include "check.h"

enum { TASKS = 200, DEPTH = 4 };

static int passed;

static void throw_and_wait(int value, int depth) {
    bool caught_again = false;
    try {
        try {
            throw value;
        } catch (const int& caught) {
            for (int child = 0; depth > 0 && child < 2; ++child) {
#pragma omp task firstprivate(child)
                throw_and_wait(2 * value + child, depth - 1);
            }
#pragma omp taskyield
#pragma omp taskwait
            CHECK_EQ(caught, value);
            throw;
        }
    } catch (int again) {
        CHECK_EQ(again, value);
        caught_again = true;
    }
    CHECK(caught_again);
    __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
}

int main() {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; ++i) {
#pragma omp task untied
        throw_and_wait(i, DEPTH);
    }
    CHECK_EQ(passed, TASKS * ((2 << DEPTH) - 1));
}
