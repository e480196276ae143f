// SPDX-License-Identifier: Apache-2.0
//
// A task that waits inside a catch block keeps its exception while other tasks on the same thread
// throw and catch theirs. The list of caught exceptions belongs to the task, not to the thread
// alone.
#include "check.h"
#include <exception>
#include <stdexcept>
#include <string>

static void work(int depth, int id) {
    try {
        throw std::runtime_error(std::to_string(id));
    } catch (const std::runtime_error& error) {
        if (depth > 0) {
            for (int i = 0; i < 3; i++) {
#pragma omp task
                work(depth - 1, id * 3 + i);
            }
#pragma omp taskwait
        }
        CHECK(error.what() == std::to_string(id));
        try {
            throw;
        } catch (const std::runtime_error& again) {
            CHECK(again.what() == std::to_string(id));
        }
    }
    CHECK_EQ(std::uncaught_exceptions(), 0);
}

int main() {
#pragma omp parallel
#pragma omp single
    work(5, 1);
    CHECK(std::current_exception() == nullptr);
}
