// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, untied tasks keep their thread
//
// A task reads its thread's copy of a task reduction, waits for a lock, and then writes the copy.
// Another task of the reduction, which is suspended on the same thread, must not continue between
// the read and the write.
#include "../task/suspended.h"

enum { ROUNDS = 10 };

static omp_lock_t lock;
static struct gate gates[ROUNDS];
static int arrived;

static int slow_one(void) {
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    return 1;
}

int main(void) {
    omp_init_lock(&lock);
    for (int round = 0; round < ROUNDS; ++round) {
        int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
        {
            omp_set_lock(&lock);
#pragma omp task untied in_reduction(+ : sum)
            {
                gate_pass(&gates[round], TASKWAIT);
                sum += 1;
            }
            check_wait_for(&gates[round].begun, 1); // on the other thread
#pragma omp task in_reduction(+ : sum)
            {
                const int before = sum;
                sum = before + slow_one();
            }
            check_wait_for(&arrived, round + 1);
            gate_open(&gates[round]);
            usleep(5000);
            omp_unset_lock(&lock);
        }
        CHECK_EQ(sum, 2);
    }
    return 0;
}
