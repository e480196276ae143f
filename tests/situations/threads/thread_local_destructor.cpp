// SPDX-License-Identifier: Apache-2.0
// Situation: regions in the destructors of C++ thread_local objects, on threads of the program and on a region's members
// Catches: a runtime that treats a thread as ended before its thread_local objects are destroyed.

#include <atomic>
#include <thread>
#include <vector>

#include "../use_openmp.h"

namespace {

std::atomic<int> made{0}, destroyed{0};

struct UsesOpenmpAtTheEnd {
    UsesOpenmpAtTheEnd() { ++made; }
    ~UsesOpenmpAtTheEnd() {
        int sum = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum) schedule(dynamic)
        for (int i = 0; i < 100; ++i)
            sum += i;
        CHECK_EQ(sum, 4950);
        ++destroyed;
    }
    void touch() { touched = true; }
    bool touched = false;
};

thread_local UsesOpenmpAtTheEnd object;

} // namespace

int main() {
    for (int round = 0; round < 10; ++round) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([] {
                object.touch();
                use_openmp(3);
            });
        for (std::thread& thread : threads)
            thread.join();
    }
    CHECK_EQ(made.load(), 40);
    CHECK_EQ(destroyed.load(), 40);
#pragma omp parallel num_threads(4)
    object.touch();
    use_openmp(2);
    return 0; // the initial thread's object goes now
}
