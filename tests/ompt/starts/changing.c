// SPDX-License-Identifier: Apache-2.0
//
// One thread sets and clears the tool's callbacks while the other threads cause events of all
// kinds. At the end it finalises the tool in the middle of a region.

#include <omp.h>

void ompt_test_attach(void);
void ompt_test_detach(void);
void ompt_test_finalize(void);

static int counted, in_tasks, going = 1;

static void make_events(void) {
    for (int i = 0; i < 4; ++i) {
#pragma omp task
        {
#pragma omp critical
            ++in_tasks;
        }
    }
#pragma omp taskwait
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 4; ++i) {
#pragma omp atomic
            ++counted;
        }
    }
}

static int is_going(void) {
    int now;
#pragma omp atomic read
    now = going;
    return now;
}

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
            for (int i = 0; i < 100; ++i) {
                ompt_test_attach();
                make_events();
                ompt_test_detach();
                make_events();
            }
            ompt_test_attach();
            ompt_test_finalize();
#pragma omp atomic write
            going = 0;
        } else {
            while (is_going())
                make_events();
        }
        make_events();
    }
    return counted != in_tasks || counted % 4;
}
