// SPDX-License-Identifier: Apache-2.0
// Situation: regions in the destructors of thread-specific data, in each of the rounds of destructor calls at a thread's end
// Catches: a runtime that frees the thread's records in its own destructor, and in the next round finds them missing or in use by another thread.

#include <pthread.h>

#include "../process_state.h"
#include "../use_openmp.h"

enum { kThreads = 4, kRounds = 10 };

static pthread_key_t early, late;
static int calls;

static void at_end(void* value) {
    use_openmp(3);
    const int left = *(int*)value;
#pragma omp atomic
    ++calls;
    if (left > 1) {
        *(int*)value = left - 1;
        pthread_setspecific(late, value); // once more
    }
}

static void* use(void* argument) {
    pthread_setspecific(early, argument);
    pthread_setspecific(late, (int*)argument + 1);
    use_openmp(2);
    return NULL;
}

__attribute__((constructor(101))) static void make_first_key(void) { pthread_key_create(&early, at_end); }

int main(void) {
    pthread_key_create(&late, at_end);
    for (int round = 0; round < kRounds; ++round) {
        pthread_t threads[kThreads];
        int left[kThreads][2];
        for (int i = 0; i < kThreads; ++i) {
            left[i][0] = 1;
            left[i][1] = 3;
            pthread_create(&threads[i], NULL, use, left[i]);
        }
        for (int i = 0; i < kThreads; ++i)
            pthread_join(threads[i], NULL);
    }
    CHECK_EQ(calls, kRounds * kThreads * 4);
    wait_for_threads_to_end(3 + omp_get_max_threads());
    use_openmp(4);
    return 0;
}
