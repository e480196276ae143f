// SPDX-License-Identifier: Apache-2.0
// A program that sleeps: asleep PART. Each of the 16 tasks or iterations spins for a while.
#include <string.h>
#include <unistd.h>

static void spin(void) {
    for (volatile int k = 0; k < 1000000; k++) {}
}

static void rest(int ms) { usleep(1000 * ms); }

int main(int count, char** words) {
    const char* part = count > 1 ? words[1] : "";
#pragma omp parallel
    spin();
    if (!strcmp(part, "serial")) rest(50);
    if (!strcmp(part, "loop")) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 16; i++) {
            spin();
            rest(10);
        }
        return 0;
    }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 16; i++)
#pragma omp task
    {
        spin();
        if (!strcmp(part, "all")) rest(10);
        if (!strcmp(part, "one") && i == 0) rest(50);
        if (!strcmp(part, "lock")) {
#pragma omp critical
            rest(5);
        }
    }
    return 0;
}
