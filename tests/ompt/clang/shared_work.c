// SPDX-License-Identifier: Apache-2.0
// Loops with a static schedule, sections and distribute. The compiler asks the runtime for bounds,
// and the program runs its part between two calls.
//
// count: work.loop_static.begin 3*T
// count: work.loop_static.end 3*T
// count: work.sections.begin T
// count: work.sections.end T
// count: dispatch.section 3
// count: work.distribute.begin 2
// count: work.distribute.end 2
// count: dispatch.distribute_chunk 2

int main(void) {
    int sum = 0;
#pragma omp parallel
    {
#pragma omp for schedule(static) reduction(+ : sum)
        for (int i = 0; i < 100; ++i)
            sum += i;
#pragma omp for schedule(static) nowait reduction(+ : sum)
        for (unsigned i = 1000; i > 0; i -= 10)
            sum += 1;
#pragma omp for schedule(static, 200) nowait reduction(+ : sum)
        for (long i = -50; i < 50; ++i)
            sum += 1;
#pragma omp sections reduction(+ : sum)
        {
            sum += 1;
#pragma omp section
            sum += 2;
#pragma omp section
            sum += 3;
        }
    }
#pragma omp teams distribute num_teams(2) reduction(+ : sum)
    for (int i = 0; i < 10; ++i)
        sum += 1;
    return sum != 4950 + 100 + 100 + 6 + 10;
}
