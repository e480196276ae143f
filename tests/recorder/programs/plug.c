// SPDX-License-Identifier: Apache-2.0
// The library of plugs.c. It is built twice under two file names; FILE is the name of the built
// file.

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
