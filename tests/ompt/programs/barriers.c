// SPDX-License-Identifier: Apache-2.0
// Explicit barriers, and those at the end of work-sharing constructs.
//
// count: sync.barrier_explicit.begin|sync.barrier_implicit_workshare.begin 3*2*T
// count: wait.barrier_explicit.end|wait.barrier_implicit_workshare.end 3*2*T
// count: sync.barrier_implicit_parallel.begin T
// count: sync.barrier_implicit_parallel.end T

int main(void) {
    int sum = 0;
#pragma omp parallel
    for (int round = 0; round < 3; ++round) {
#pragma omp barrier
#pragma omp for schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < 10; ++i)
            sum += i;
    }
    return sum != 3 * 45;
}
