// SPDX-License-Identifier: Apache-2.0
//
// Tests loops over random access iterators and ranges, and lambdas in tasks.
#include "check.h"
#include <functional>
#include <vector>

int main() {
    std::vector<long> values(1000);
#pragma omp parallel for schedule(guided)
    for (auto it = values.begin(); it < values.end(); it += 1)
        *it = it - values.begin();
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 9)
    for (auto& value : values)
        sum += value;
    CHECK_EQ(sum, 499500);
    long squares = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : squares)
    for (auto it = values.rbegin(); it < values.rend(); ++it)
        squares += *it % 2;
    CHECK_EQ(squares, 500);
    std::vector<std::function<void()>> actions;
    int done = 0;
    for (int i = 0; i < 20; i++)
        actions.push_back([i, &done] {
#pragma omp atomic
            done += i;
        });
#pragma omp parallel
#pragma omp single
    for (auto& action : actions) {
#pragma omp task firstprivate(action)
        action();
    }
    CHECK_EQ(done, 190);
}
