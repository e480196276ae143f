// SPDX-License-Identifier: Apache-2.0
//
// Situation: a control group's cpuset leaves the process one of the machine's processors
// Catches: a runtime that counts all processors that are online
#include "machine/groups.h"

#include <omp.h>

static int set_processors(const char* group, const char* processors) {
    groups_write(group, "cpuset.mems", "0"); // version 1 wants it before the first process
    return groups_write(group, "cpuset.cpus", processors);
}

int main(int argc, char** argv) {
    if (argc > 1) {
        CHECK_EQ(omp_get_num_procs(), 1);
        CHECK_EQ(omp_get_max_threads(), 1);
        return 0;
    }
    unsetenv("OMP_NUM_THREADS");
    groups_make("cpuset");
    if (!set_processors(groups_outer, "0") || !set_processors(groups_inner, "0")) {
        groups_remove();
        SKIP("cpuset.cpus cannot be set here");
    }
    again_prepare = groups_enter;
    struct Again again = run_again("look", 20, NULL);
    groups_remove();
    if (again.hung || again.status != 0) exit(kWrong);
    printf("note: version %d\n", groups_version);
    return 0;
}
