// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// stock: fails, a thread that waits starts no unrelated task
//
// Tasks wait while an exception is being handled, and other tasks throw and catch on the same
// thread meanwhile. Each task rethrows its own exception.
#include <exception>

#include "../task/suspended.h"

enum { TASKS = 40 };

static gate gates[TASKS];
static int passed;

static void throw_and_catch(int value) {
    try {
        throw value;
    } catch (const int& caught) {
        CHECK_EQ(caught, value);
        try {
            throw 2 * value;
        } catch (int inner) {
            CHECK_EQ(inner, 2 * value);
        }
    }
    CHECK(std::current_exception() == nullptr);
}

static void wait_in_handler(int i) {
    bool caught_again = false;
    try {
        try {
            throw i;
        } catch (const int& caught) {
            gate_pass(&gates[i], static_cast<wait>(i % WAITS));
            CHECK_EQ(caught, i);
            CHECK_EQ(std::uncaught_exceptions(), 0);
            throw;
        }
    } catch (int again) {
        CHECK_EQ(again, i);
        caught_again = true;
    }
    CHECK(caught_again);
    CHECK(std::current_exception() == nullptr);
}

// A wait in a destructor while the stack is unwound.
struct Unwound {
    int number;
    ~Unwound() {
        gate_pass(&gates[number], TASKWAIT);
        CHECK_EQ(std::uncaught_exceptions(), 1);
    }
};

static void wait_while_unwinding(int i) {
    try {
        const Unwound unwound{i};
        throw i;
    } catch (int caught) {
        CHECK_EQ(caught, i);
    }
    CHECK_EQ(std::uncaught_exceptions(), 0);
}

int main() {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task untied
        {
            throw_and_catch(i);
            gate_open(&gates[i]);
            throw_and_catch(i);
        }
#pragma omp task untied
        {
            if (i % 3 == 0) wait_while_unwinding(i);
            else wait_in_handler(i);
            __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
        }
    }
    CHECK_EQ(passed, TASKS);
}
