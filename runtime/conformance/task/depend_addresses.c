// SPDX-License-Identifier: Apache-2.0
//
// Tests dependences on many addresses at once, of which each task names several, and tasks that
// name the same address twice. Dependences order only siblings, not children of different parents.
#include "check.h"

enum { N = 400 };
static int cell[N];

static void stencil(int steps) {
    for (int step = 1; step <= steps; step++)
        for (int i = 1; i < N - 1; i++) {
#pragma omp task depend(inout : cell[i]) depend(in : cell[i - 1], cell[i + 1])
            {
                // The left neighbour is in this step already, the right one in the step before.
                CHECK(i == 1 || cell[i - 1] == step);
                CHECK(i == N - 2 || cell[i + 1] == step - 1);
                cell[i] = step;
            }
        }
#pragma omp taskwait
}

static void same_address_twice(void) {
    int x = 0;
#pragma omp task depend(in : x) depend(inout : x) shared(x)
    x++;
#pragma omp task depend(out : x, x) shared(x)
    x++;
#pragma omp task depend(in : x) shared(x)
    CHECK_EQ(x, 2);
#pragma omp taskwait
}

// A dependence orders siblings: a child that names the address its parent holds must not wait for
// the parent.
static void child_of_holder(void) {
    int x = 0;
#pragma omp task depend(inout : x) shared(x)
    {
#pragma omp task depend(inout : x) shared(x)
        x += 1;
#pragma omp taskwait
        x += 10;
    }
#pragma omp task depend(in : x) shared(x)
    CHECK_EQ(x, 11);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        stencil(5);
        same_address_twice();
        child_of_holder();
    }
}
