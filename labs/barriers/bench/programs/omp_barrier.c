/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the barrier of an OpenMP runtime from outside; overhead.h says what is measured. */
#include <omp.h>

#include "overhead.h"

static account times;

static void meet(void* barrier, long thread) {
    (void)barrier, (void)thread;
#pragma omp barrier
}

int main(int argc, char** argv) {
    times.asked = read_settings(argc, argv);
#pragma omp parallel num_threads((int)times.asked.threads)
    {
        if (omp_get_num_threads() != (int)times.asked.threads) {
            fprintf(stderr, "the team has %d threads instead of %ld\n", omp_get_num_threads(), times.asked.threads);
            exit(1);
        }
        take_part(&times, omp_get_thread_num(), meet, NULL);
    }
    print_account(&times);
    return 0;
}
