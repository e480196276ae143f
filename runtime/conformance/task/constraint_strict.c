// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=1 TEFF_TSC=strict
// stock: fails, a thread that waits starts no unrelated task
//
// While a tied task waits, its thread starts untied tasks, and tied ones that descend from it, but
// no other tied ones.
#include "suspended.h"

static char order[16];
static int length;

static void note(char what) { order[length++] = what; }

int main(void) {
    static struct gate gate, inner;
    static int descendant_ran;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied
        {
            note('u');
            gate_open(&inner);
            yield_until(&descendant_ran, 1);
            gate_open(&gate);
        }
#pragma omp task // unrelated and tied, as is its child
        {
            note('t');
#pragma omp task
            note('c');
        }
#pragma omp task // the newest one starts first
        {
            note('w');
            gate_close(&inner);
#pragma omp task depend(in : inner.child)
            {
                note('d');
                descendant_ran = 1;
            }
            gate_pass(&gate, TASKWAIT);
            note('W');
        }
#pragma omp taskwait
    }
    order[length] = 0;
    if (strcmp(order, "wudWtc") != 0) fprintf(stderr, "%s\n", order);
    CHECK(strcmp(order, "wudWtc") == 0);
}
