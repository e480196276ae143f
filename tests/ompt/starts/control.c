// SPDX-License-Identifier: Apache-2.0
// Calls omp_control_tool, which GCC's omp.h does not declare, before any other use of OpenMP, in a
// region, and after the region. The arguments give the expected results.

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

int main(int count, char** words) {
    int expected = count > 1 ? atoi(words[1]) : 0, wrong = 0;
    int (*control)(int, int, void*) = (int (*)(int, int, void*))dlsym(RTLD_DEFAULT, "omp_control_tool");
    if (!control) return 99;
    wrong += control(1, 11, NULL) != expected;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    wrong += control(64, 12, &expected) != expected;
    wrong += control(4, 13, NULL) != expected;
    return wrong;
}
