// SPDX-License-Identifier: Apache-2.0
//
// One thread: while a tied task waits, TEFF_TSC decides which other tasks the thread may start. The
// file that includes this header says in which order the tasks must run.
#ifndef CONFORMANCE_CONSTRAINT_H
#define CONFORMANCE_CONSTRAINT_H

#include "suspended.h"

static char order[16];
static int length;

static void note(char what) { order[length++] = what; }

static int expect_order(const char* expected) {
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
    if (strcmp(order, expected) != 0) fprintf(stderr, "%s\n", order);
    CHECK(strcmp(order, expected) == 0);
    return 0;
}

#endif
