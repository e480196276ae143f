// SPDX-License-Identifier: Apache-2.0
//
// Situation: nested control groups, as for a container, grant the process 0.3, 1, 1.5 or 100 processors
// Catches: a runtime that starts a thread for each processor of the machine, which then wait for each other's time slices
#include "machine/groups.h"

#include <omp.h>

struct Grant {
    long outer, inner; // hundredths of a processor; 0: no limit
    int threads;       // the default team size on a machine with enough processors
};

static int set_limit(const char* group, long hundredths) {
    char text[60];
    if (groups_version == 2) {
        if (hundredths != 0) snprintf(text, sizeof text, "%ld 100000", hundredths * 1000);
        return groups_write(group, "cpu.max", hundredths != 0 ? text : "max 100000");
    }
    snprintf(text, sizeof text, "%ld", hundredths != 0 ? hundredths * 1000 : -1);
    return groups_write(group, "cpu.cfs_quota_us", text);
}

static void try_grant(const struct Grant* grant) {
    set_limit(groups_inner, 0); // version 1 accepts no limit above the outer one's
    if (!set_limit(groups_outer, grant->outer) || !set_limit(groups_inner, grant->inner)) {
        groups_remove();
        SKIP("limits cannot be set here");
    }
    const int processors = groups_machine_processors();
    char expected[40], available[40];
    snprintf(expected, sizeof expected, "EXPECTED_THREADS=%d", grant->threads < processors ? grant->threads : processors);
    snprintf(available, sizeof available, "EXPECTED_PROCESSORS=%d", processors);
    struct Again again = run_again("look", 20, expected, available, NULL);
    if (again.hung || again.status != 0) {
        groups_remove();
        exit(kWrong); // it has said what was wrong
    }
}

int main(int argc, char** argv) {
    if (argc > 1) {
        CHECK_EQ(omp_get_max_threads(), atoi(getenv("EXPECTED_THREADS")));
        CHECK_EQ(omp_get_num_procs(), atoi(getenv("EXPECTED_PROCESSORS")));
        int size = 0;
#pragma omp parallel
#pragma omp single
        size = omp_get_num_threads();
        CHECK_EQ(size, atoi(getenv("EXPECTED_THREADS")));
        return 0;
    }
    static const struct Grant kGrants[] = {
        {30, 0, 1}, {0, 30, 1}, {100, 0, 1}, {0, 100, 1}, {150, 0, 2}, {0, 150, 2}, {200, 50, 1}, {100, 30, 1}, {300, 150, 2}, {10000, 10000, 100}, {0, 0, 10000},
    };
    unsetenv("OMP_NUM_THREADS");
    groups_make("cpu");
    again_prepare = groups_enter;
    for (unsigned i = 0; i < sizeof kGrants / sizeof *kGrants; ++i)
        try_grant(&kGrants[i]);
    groups_remove();
    printf("note: version %d\n", groups_version);
    return 0;
}
