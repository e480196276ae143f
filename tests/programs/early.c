// SPDX-License-Identifier: Apache-2.0
// A program whose constructor increments a counter before the constructors of all libraries that it
// is linked with. With LIBRARY: a shared library that has stored a thread-specific value by then.
#include <pthread.h>
#include <stdio.h>

#ifdef LIBRARY
static pthread_key_t key;
static int own = 42;

__attribute__((constructor)) static void keep(void) {
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, &own);
}

int value(void) {
    const int* kept = pthread_getspecific(key);
    return kept == &own ? *kept : -1;
}
#else
int value(void);
static volatile int runs;

__attribute__((constructor(101))) static void early(void) { ++runs; }

int main(void) {
    printf("%d\n", value());
    return 0;
}
#endif
