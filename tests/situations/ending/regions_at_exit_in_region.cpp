// SPDX-License-Identifier: Apache-2.0
// Situation: exit inside a region, by each of its members in turn; handlers of atexit and static destructors then use OpenMP themselves
// Catches: a runtime in which a region at the end of the process waits for the team in which exit was called.
// env: OMP_MAX_ACTIVE_LEVELS=4

#include <unistd.h>

#include "../use_openmp.h"

namespace {

struct Static {
    ~Static() { use_openmp(2); }
} object;

void at_exit() { use_openmp(3); }

void exit_in_region(int number) {
    std::atexit(at_exit);
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == number) std::exit(0);
#pragma omp barrier
    }
    _exit(3);
}

} // namespace

int main() {
    for (int number = 0; number < 3; ++number) {
        const pid_t child = fork();
        if (child == 0) exit_in_region(number);
        situation_join(child);
    }
    return 0;
}
