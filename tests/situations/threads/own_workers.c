// SPDX-License-Identifier: Apache-2.0
// Situation: a thread of the program changes what its new threads inherit (timer slack), and uses OpenMP after others have ended
// Catches: a runtime that gives a thread the workers of another thread, with the affinity mask, priority or sandbox of that thread.

#include <pthread.h>
#include <sys/prctl.h>

#include "../use_openmp.h"

enum { kMembers = 4, kChanged_ns = 123456 };

static int members_with(int slack_ns) {
    int count = 0;
#pragma omp parallel num_threads(kMembers) reduction(+ : count)
    count += prctl(PR_GET_TIMERSLACK) == slack_ns;
    return count;
}

static void* usual(void* unused) {
    (void)unused;
    const int own_ns = prctl(PR_GET_TIMERSLACK);
    if (members_with(own_ns) != kMembers) WRONG("an unchanged thread got members of another thread");
    return NULL;
}

static void* changed(void* unused) {
    (void)unused;
    prctl(PR_SET_TIMERSLACK, kChanged_ns);
    if (members_with(kChanged_ns) != kMembers) WRONG("a changed thread got members of another thread");
    return NULL;
}

static void run(void* (*body)(void*)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL) != 0) WRONG("pthread_create failed");
    pthread_join(thread, NULL);
}

int main(void) {
    usual(NULL);
    for (int i = 0; i < 3; ++i) {
        run(usual);
        run(changed);
        run(usual);
        usual(NULL);
    }
    return 0;
}
