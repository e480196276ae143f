// SPDX-License-Identifier: Apache-2.0
// env: OMP_PLACES=threads OMP_PROC_BIND=spread,close
//
// Tests the place partitions of nested teams, and the proc_bind clause. The checks hold for any
// number of threads and places.
#include "check.h"

enum { kMost = 64 };

static int first_of_partition(void) {
    int numbers[8192];
    omp_get_partition_place_nums(numbers);
    return numbers[0];
}

static void check_bound(void) {
    cpu_set_t mask;
    CHECK_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
    CHECK_EQ(CPU_COUNT(&mask), omp_get_place_num_procs(omp_get_place_num()));
    int first = first_of_partition(), size = omp_get_partition_num_places();
    CHECK(first >= 0 && size >= 1 && first + size <= omp_get_num_places());
    CHECK(omp_get_place_num() >= first && omp_get_place_num() < first + size);
}

// A clause's policy is inherited by the regions inside.
static void check_clause_is_inherited(void) {
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(1) proc_bind(spread)
    {
        CHECK_EQ(omp_get_proc_bind(), omp_proc_bind_spread);
#pragma omp parallel num_threads(1)
        CHECK_EQ(omp_get_proc_bind(), omp_proc_bind_spread);
    }
}

int main(void) {
    int places = omp_get_num_places(), threads = 0;
    int place[kMost], size[kMost];
    omp_set_dynamic(0);
    if (omp_get_max_threads() > kMost) omp_set_num_threads(kMost);
    CHECK_EQ(omp_get_place_num(), 0);
    CHECK_EQ(omp_get_partition_num_places(), places);

    // Spread: every member has a part of its own, or a place if there are too few.
#pragma omp parallel
    {
        int me = omp_get_thread_num(), first = first_of_partition();
        int part = omp_get_partition_num_places(), own = omp_get_place_num();
        check_bound();
        size[me] = part;
#pragma omp single
        threads = omp_get_num_threads();
        // Close, by the list: within the part, from the leader's place on.
#pragma omp parallel num_threads(2)
        {
            check_bound();
            CHECK_EQ(first_of_partition(), first);
            CHECK_EQ(omp_get_partition_num_places(), part);
            if (omp_get_thread_num() == 0 || part == 1) CHECK_EQ(omp_get_place_num(), own);
            else CHECK(omp_get_place_num() != own);
        }
        CHECK_EQ(omp_get_place_num(), own);
    }
    int sum = 0;
    for (int i = 0; i < threads; i++)
        sum += size[i];
    CHECK_EQ(sum, threads <= places ? places : threads);

#pragma omp parallel proc_bind(primary)
    {
        check_bound();
        CHECK_EQ(omp_get_place_num(), 0);
        CHECK_EQ(omp_get_partition_num_places(), places);
    }

#pragma omp parallel proc_bind(close)
    {
        check_bound();
        CHECK_EQ(omp_get_partition_num_places(), places);
        place[omp_get_thread_num()] = omp_get_place_num();
    }
    for (int i = 0; i < threads && i < places; i++) {
        if (threads <= places) CHECK_EQ(place[i], i);
        int members = 0;
        for (int j = 0; j < threads; j++)
            members += place[j] == i;
        CHECK(members >= threads / places && members <= (threads + places - 1) / places);
    }
    check_clause_is_inherited();
}
