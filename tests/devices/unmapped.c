// SPDX-License-Identifier: Apache-2.0
// A region follows a pointer that no map clause has translated.
//   unmapped heap|mapping|stack|thread|null [COUNT]
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct view {
    long count;
    double* first;
};

static void sum_up(struct view view) {
    double sum = 0;
#pragma omp target parallel for map(to : view) map(tofrom : sum) reduction(+ : sum) num_threads(4)
    for (long i = 0; i < view.count; ++i)
        sum += view.first[i]; // the place
    printf("the sum is %g\n", sum);
}

static void* sum_up_own_stack(void* count) {
    double values[1000];
    struct view view = {*(const long*)count, values};
    for (long i = 0; i < view.count; ++i)
        values[i] = 1;
    sum_up(view);
    return NULL;
}

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "";
    long count = argc > 2 ? atol(argv[2]) : 100;
    struct view view = {count, NULL};
    if (strcmp(where, "stack") == 0) return sum_up_own_stack(&count), 0;
    if (strcmp(where, "thread") == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, sum_up_own_stack, &count) != 0) return 2;
        return pthread_join(thread, NULL);
    }
    size_t bytes = (size_t)count * sizeof(double);
    if (strcmp(where, "heap") == 0) view.first = malloc(bytes);
    if (strcmp(where, "mapping") == 0)
        view.first = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (view.first != NULL)
        for (long i = 0; i < count; ++i)
            view.first[i] = 1;
    sum_up(view);
    return 0;
}
