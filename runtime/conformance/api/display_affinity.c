// SPDX-License-Identifier: Apache-2.0
// env: OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT=%n/%N
// halves: the process prints as one of the runtimes
//
// Every member prints its place when a team first starts and when the team's size changes, but not
// at each region.
#include "check.h"

// A line per member of a team of `size`, in any order.
static void check_team(FILE* log, int size) {
    char line[64];
    unsigned seen = 0;
    for (int i = 0; i < size; i++) {
        int number, of;
        CHECK(fgets(line, sizeof line, log) != NULL);
        CHECK_EQ(sscanf(line, "%d/%d", &number, &of), 2);
        CHECK_EQ(of, size);
        CHECK(number >= 0 && number < size);
        seen |= 1u << number;
    }
    CHECK_EQ(seen, (1u << size) - 1);
}

int main(void) {
    FILE* log = tmpfile();
    CHECK(log != NULL);
    int before = dup(fileno(AFFINITY_OUTPUT));
    CHECK(dup2(fileno(log), fileno(AFFINITY_OUTPUT)) >= 0);
    omp_set_dynamic(0);
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(3)
        CHECK_EQ(omp_get_num_threads(), 3);
    }
#pragma omp parallel num_threads(5)
    CHECK_EQ(omp_get_num_threads(), 5);
    fflush(AFFINITY_OUTPUT);
    CHECK(dup2(before, fileno(AFFINITY_OUTPUT)) >= 0);
    rewind(log);
    check_team(log, 3);
    check_team(log, 5);
    char rest[8];
    CHECK(fgets(rest, sizeof rest, log) == NULL);
}
