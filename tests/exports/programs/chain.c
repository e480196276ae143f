// SPDX-License-Identifier: Apache-2.0
// Creates ten tasks, each of which depends on the task before it.

int main(void) {
    int x = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
        x = x == i ? i + 1 : -1;
    }
    return x == 10 ? 0 : 1;
}
