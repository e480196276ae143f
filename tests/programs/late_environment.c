// SPDX-License-Identifier: Apache-2.0
//
// Sets variables before its first use of OpenMP, and prints what has become of them: threads, the
// schedule, the stack size of libomp, the limits. With the argument "used", it uses OpenMP first;
// with "defaults", it calls kmp_set_defaults between the variables and the first use; with
// "early", before the variables; with "whole", it unsets KMP_HW_SUBSET and OMP_NUM_THREADS.
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kmp_set_defaults(const char*);
size_t kmp_get_stacksize_s(void);

int main(int count, char** words) {
    const char* const how = count > 1 ? words[1] : "";
    int threads = 0, chunk;
    omp_sched_t kind;
    if (strcmp(how, "used") == 0) (void)omp_get_wtime(), (void)omp_get_max_threads();
    if (strcmp(how, "early") == 0) kmp_set_defaults("OMP_SCHEDULE=dynamic,9");
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv("OMP_SCHEDULE", "guided,7", 1);
    setenv("KMP_STACKSIZE", "512k", 1);
    setenv("OMP_NUM_TEAMS", "5", 1);
    unsetenv("OMP_MAX_ACTIVE_LEVELS");
    setenv("OMP_CANCELLATION", "true", 1);
    if (strcmp(how, "whole") == 0) (void)unsetenv("KMP_HW_SUBSET"), (void)unsetenv("OMP_NUM_THREADS");
    if (strcmp(how, "defaults") == 0) kmp_set_defaults("OMP_SCHEDULE=dynamic,9");
    if (strcmp(how, "teams") == 0) printf("first %d ", omp_get_max_teams());
    if (strcmp(how, "stack") == 0) printf("first %d ", (int)(kmp_get_stacksize_s() / 1024));
    if (strcmp(how, "region") != 0) threads = omp_get_max_threads();
#pragma omp parallel
#pragma omp single
    if (threads == 0) threads = omp_get_num_threads();
    omp_get_schedule(&kind, &chunk);
    printf("threads %d schedule %d chunk %d stack %d teams %d levels %d cancellation %d\n", threads, (int)kind, chunk,
           (int)(kmp_get_stacksize_s() / 1024), omp_get_max_teams(), omp_get_max_active_levels(), omp_get_cancellation());
    return 0;
}
