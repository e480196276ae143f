// SPDX-License-Identifier: Apache-2.0
// A task in a function whose name has parentheses, and one whose name is longer than any line.
#include <cstdio>
#include <tuple>

namespace {

int done;

__attribute__((noinline)) void spawn() {
#pragma omp task
#pragma omp atomic // in the anonymous namespace
    done++;
#pragma omp taskwait
}

template <class... Ts> __attribute__((noinline)) void spawn_with(std::tuple<Ts...>) {
#pragma omp task
#pragma omp atomic // with a long name
    done++;
#pragma omp taskwait
}

} // namespace

int main() {
#pragma omp parallel
#pragma omp single
    {
        spawn();
        spawn_with(std::tuple<std::tuple<long, long, long>, std::tuple<char, char>, std::tuple<short, short>, double>());
    }
    std::printf("%d\n", done);
}
