// SPDX-License-Identifier: Apache-2.0
// env: OMP_PLACES=threads OMP_PROC_BIND=close
//
// Places have only processors that the process may use, and the numbers of places and processors
// are consistent.
#include "check.h"

int main(void) {
    int places = omp_get_num_places();
    cpu_set_t allowed;
    CHECK_EQ(sched_getaffinity(0, sizeof allowed, &allowed) == 0 || places > 0, 1);
    CHECK(places >= 1);
    CHECK_EQ(omp_get_proc_bind(), omp_proc_bind_close);
    for (int place = 0; place < places; place++) {
        int processors = omp_get_place_num_procs(place);
        CHECK(processors >= 1 && processors <= 4096);
        int* ids = malloc(processors * sizeof *ids);
        omp_get_place_proc_ids(place, ids);
        for (int i = 0; i < processors; i++)
            CHECK(ids[i] >= 0);
        free(ids);
    }
    CHECK_EQ(omp_get_place_num_procs(-1), 0);
    CHECK_EQ(omp_get_place_num_procs(places), 0);
#pragma omp parallel
    {
        CHECK(omp_get_place_num() >= 0 && omp_get_place_num() < places);
        int partition = omp_get_partition_num_places();
        CHECK(partition >= 1 && partition <= places);
        int numbers[4096];
        omp_get_partition_place_nums(numbers);
        for (int i = 0; i < partition; i++)
            CHECK(numbers[i] >= 0 && numbers[i] < places);
        // Bound: the thread may run only on its place's processors.
        cpu_set_t mine;
        CHECK_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
        CHECK_EQ(CPU_COUNT(&mine), omp_get_place_num_procs(omp_get_place_num()));
    }
}
