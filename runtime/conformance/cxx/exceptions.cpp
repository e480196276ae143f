// SPDX-License-Identifier: Apache-2.0
//
// Exceptions are thrown and caught inside regions, loops, critical regions and tasks. They unwind
// the stack through code that the runtime called.
#include "check.h"
#include <stdexcept>
#include <string>

static int destroyed;

struct Guard {
    ~Guard() {
#pragma omp atomic
        destroyed++;
    }
};

static void fail(int depth, int value) {
    Guard guard;
    if (depth == 0) throw std::runtime_error(std::to_string(value));
    fail(depth - 1, value);
}

static int caught_value(int value) {
    try {
        fail(5, value);
    } catch (const std::runtime_error& error) {
        return std::stoi(error.what());
    }
    return -1;
}

int main() {
    int size = omp_get_max_threads(), in_critical = 0, in_tasks = 0;
    omp_set_dynamic(0);
#pragma omp parallel
    {
        CHECK_EQ(caught_value(omp_get_thread_num()), omp_get_thread_num());
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 50; i++)
            CHECK_EQ(caught_value(i), i);
#pragma omp critical
        {
            CHECK_EQ(caught_value(7), 7);
            in_critical++;
        }
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(in_tasks)
            {
                try {
                    // A scheduling point between try and throw: the task may be switched away and
                    // back.
#pragma omp task
                    CHECK_EQ(caught_value(-i), -i);
#pragma omp taskwait
                    fail(3, i);
                } catch (const std::exception&) {
#pragma omp taskwait
#pragma omp atomic
                    in_tasks++;
                }
            }
        }
    }
    CHECK_EQ(in_critical, size);
    CHECK_EQ(in_tasks, 10 * size);
    CHECK_EQ(destroyed, 6 * (2 * size + 50 + 10 * size) + 4 * 10 * size);
}
