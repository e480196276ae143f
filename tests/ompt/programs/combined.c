// SPDX-License-Identifier: Apache-2.0
// Combined constructs (parallel loop, parallel sections), and loops that have no iterations.
//
// count: parallel_begin.team 4
// count: work.loop*.begin 3*T
// count: work.loop*.end 3*T
// count: work.sections.begin T
// count: work.sections.end T
// count: dispatch.section 3

int main(void) {
    int sum = 0, none = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : sum)
    for (int i = 0; i < 25; ++i)
        sum += i;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
    for (int i = 0; i < 25; ++i)
        sum += i;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < none; ++i)
        sum += i;
#pragma omp parallel sections reduction(+ : sum)
    {
        sum += 1;
#pragma omp section
        sum += 2;
#pragma omp section
        sum += 3;
    }
    return sum != 606;
}
