// SPDX-License-Identifier: Apache-2.0
// Critical sections, locks of both kinds, atomics that need a lock, ordered.
//
// count: acquired.critical 20*T
// count: released.critical 20*T
// count: acquire.lock 10*T
// count: acquired.lock 10*T
// count: released.lock 10*T+1
// count: acquire.test_lock 2
// count: acquired.test_lock 1
// count: acquire.nest_lock 20*T
// count: acquired.nest_lock 10*T
// count: nest_lock.begin 10*T+1
// count: nest_lock.end 10*T+1
// count: released.nest_lock 10*T+1
// count: acquired.test_nest_lock 1
// count: lock_init.lock 1
// count: lock_destroy.lock 1
// count: lock_init.nest_lock 1
// count: lock_destroy.nest_lock 1
// count: acquired.ordered 12
// count: released.ordered 12
// count: acquired.atomic 10*T
// count: released.atomic 10*T

#include <omp.h>

int main(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest_lock;
    int sum = 0, threads = 0, last = -1;
    long double wide = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < 10; ++i) {
#pragma omp critical
            ++sum;
#pragma omp critical(named)
            ++last;
            omp_set_lock(&lock);
            ++sum;
            omp_unset_lock(&lock);
            omp_set_nest_lock(&nest_lock);
            omp_set_nest_lock(&nest_lock);
            ++sum;
            omp_unset_nest_lock(&nest_lock);
            omp_unset_nest_lock(&nest_lock);
#pragma omp atomic
            wide += 1;
        }
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 12; ++i) {
#pragma omp ordered
            ++sum;
        }
    }
    int got = omp_test_lock(&lock) + omp_test_lock(&lock);
    omp_unset_lock(&lock);
    got += omp_test_nest_lock(&nest_lock) + omp_test_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest_lock);
    return wide != 10 * threads || sum < 30 || got != 1 + 0 + 1 + 2;
}
