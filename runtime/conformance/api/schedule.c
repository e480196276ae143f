// SPDX-License-Identifier: Apache-2.0
//
// Tests omp_set_schedule and omp_get_schedule: kinds, modifier, chunk sizes.
#include "check.h"

static void check_round_trip(omp_sched_t kind, int chunk, int expected_chunk) {
    omp_sched_t found_kind;
    int found_chunk;
    omp_set_schedule(kind, chunk);
    omp_get_schedule(&found_kind, &found_chunk);
    CHECK_EQ(found_kind & ~omp_sched_monotonic, kind & ~omp_sched_monotonic);
    if (kind != omp_sched_auto) CHECK_EQ(found_chunk, expected_chunk);
}

int main(void) {
    check_round_trip(omp_sched_static, 17, 17);
    check_round_trip(omp_sched_static, 0, 0);
    check_round_trip(omp_sched_dynamic, 1, 1);
    check_round_trip(omp_sched_dynamic, 0, 1);
    check_round_trip(omp_sched_guided, 1 << 30, 1 << 30);
    check_round_trip(omp_sched_guided, -3, 1);
    check_round_trip(omp_sched_auto, 4, 4);
    check_round_trip(omp_sched_dynamic | omp_sched_monotonic, 5, 5);
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK(((unsigned)kind & omp_sched_monotonic) != 0);
}
