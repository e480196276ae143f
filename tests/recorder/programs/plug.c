// SPDX-License-Identifier: Apache-2.0
// A library for plugs.c. Two are made of it, which differ in the names of their files only: FILE is
// one.

static volatile int sum;

static void outside(void) {
    for (int i = 0; i < 3; ++i) {
#pragma omp task // [task]
        ++sum;
    }
}

// The call of the runtime is the last thing that `entry` does, and so a jump.
void entry(void) {
    outside();
#line 100 FILE
#pragma omp parallel num_threads(2)
    ++sum;
}
