// SPDX-License-Identifier: Apache-2.0
// Situation: C++ exceptions thrown and caught inside a region, loop, single, section, critical, task and nested region, thousands of times
// Catches: a runtime whose frames between a construct and its body cannot be unwound, or that uses the C++ library's state itself.

#include <atomic>
#include <stdexcept>

#include "../use_openmp.h"

namespace {

int thrower(int value) {
    if (value % 2 == 0) throw std::runtime_error("even");
    throw value;
}

// Counts what it throws and catches.
void throw_and_catch(int value, std::atomic<int>& caught) {
    try {
        thrower(value);
    } catch (const std::exception&) {
        ++caught;
    } catch (int) {
        ++caught;
    }
}

// Throws out of a task's inner part, whose destructors wait for the task's children.
struct WaitsAtTheEnd {
    std::atomic<int>& ended;
    ~WaitsAtTheEnd() {
#pragma omp taskwait
        ++ended;
    }
};

void task_with_unwinding(int value, std::atomic<int>& caught, std::atomic<int>& ended) {
    try {
        WaitsAtTheEnd waits{ended};
#pragma omp task shared(caught)
        throw_and_catch(value, caught);
        thrower(value);
    } catch (...) {
        ++caught;
    }
}

} // namespace

int main() {
    std::atomic<int> caught{0}, ended{0};
    omp_set_max_active_levels(3);
    for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(4)
        {
            throw_and_catch(omp_get_thread_num(), caught); // 4
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 100; ++i)
                throw_and_catch(i, caught); // 100
#pragma omp single
            for (int i = 0; i < 50; ++i)
#pragma omp task shared(caught, ended)
                task_with_unwinding(i, caught, ended); // 100
#pragma omp critical
            throw_and_catch(1, caught); // 4
            try {
#pragma omp critical(named)
                throw_and_catch(2, caught); // 4
                thrower(3);
            } catch (int) {
                ++caught; // 4
            }
#pragma omp sections
            {
                throw_and_catch(0, caught); // 1
#pragma omp section
                throw_and_catch(1, caught); // 1
            }
#pragma omp parallel num_threads(2)
            throw_and_catch(5, caught); // 8
        }
    }
    CHECK_EQ(caught.load(), 20 * 226);
    CHECK_EQ(ended.load(), 20 * 50);
    return 0;
}
