// SPDX-License-Identifier: Apache-2.0
// main returns 7 while another thread goes on to use two devices: it copies between them ("copies")
// or runs regions ("regions").
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 100000 };

static char *first, *second;
static volatile int rounds;

static void* copy(void* unused) {
    for (;; rounds++) {
        omp_target_memcpy(second, first, BYTES, 0, 0, 1, 0);
        omp_target_memcpy(first, second, BYTES, 0, 0, 0, 1);
    }
    return unused;
}

static void* run(void* unused) {
    for (;; rounds++) {
#pragma omp target device(rounds % 2)
        usleep(10);
    }
    return unused;
}

int main(int count, char** words) {
    if (count != 2) return 2;
    first = omp_target_alloc(BYTES, 0);
    second = omp_target_alloc(BYTES, 1);
    pthread_t thread;
    pthread_create(&thread, NULL, strcmp(words[1], "copies") == 0 ? copy : run, NULL);
    while (rounds < 100)
        usleep(100);
    return 7;
}
