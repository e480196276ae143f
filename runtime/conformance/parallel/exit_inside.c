// SPDX-License-Identifier: Apache-2.0
//
// exit() called inside a region by any thread ends the process with its status.
#include "check.h"
#include <sys/wait.h>

static void exit_from(int thread) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == thread) exit(17 + thread);
        // The others wait at the end of the region for a thread that never comes.
    }
    _exit(1);
}

int main(void) {
    omp_set_dynamic(0);
    for (int thread = 0; thread < 3; thread++) {
        pid_t child = fork();
        int status = 0;
        CHECK(child >= 0);
        if (child == 0) exit_from(thread);
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status));
        CHECK_EQ(WEXITSTATUS(status), 17 + thread);
    }
}
