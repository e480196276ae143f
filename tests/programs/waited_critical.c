// SPDX-License-Identifier: Apache-2.0
// The first thread in the critical construct stays inside until the other thread sleeps while it
// waits for the construct.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int threads[2];

static int sleeps(int thread) {
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE* file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%*[^)]) %c", &state) != 1) state = 0;
    fclose(file);
    return state == 'S';
}

int main(void) {
    static int entered;
    alarm(30);
#pragma omp parallel num_threads(2)
    {
        const int own = omp_get_thread_num();
        threads[own] = gettid();
#pragma omp critical // HERE
        if (entered++ == 0)
            while (!threads[!own] || !sleeps(threads[!own])) {}
    }
    printf("%d\n", entered);
}
