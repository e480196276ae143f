// SPDX-License-Identifier: Apache-2.0
// Situation: 30 threads, each of which had a team of 8, end while their teams' threads sleep; these must end, too
// Catches: a runtime that keeps each thread's pool for ever: 210 sleeping threads and their stacks.

#include <pthread.h>

#include "../process_state.h"
#include "../use_openmp.h"

enum { kThreads = 30, kTeam = 8 };

static pthread_barrier_t all_have_teams;

static void* use(void* argument) {
    use_openmp(kTeam);
    pthread_barrier_wait(&all_have_teams); // so that no team is used twice
    return argument;
}

int main(void) {
    pthread_t threads[kThreads];
    use_openmp(2);
    pthread_barrier_init(&all_have_teams, NULL, kThreads);
    for (int i = 0; i < kThreads; ++i)
        if (pthread_create(&threads[i], NULL, use, NULL) != 0) WRONG("pthread_create failed");
    for (int i = 0; i < kThreads; ++i)
        pthread_join(threads[i], NULL);
    // This thread, its team's other one, and a few that wait for their next use.
    wait_for_threads_to_end(2 + (omp_get_max_threads() > omp_get_num_procs() ? omp_get_max_threads() : omp_get_num_procs()));
    use_openmp(kTeam);
    return 0;
}
