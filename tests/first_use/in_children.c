// SPDX-License-Identifier: Apache-2.0
// Children use OpenMP, one after the other, their parent does not.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    for (int i = 0; i < 5; ++i) {
        int status = 1;
        const pid_t child = fork();
        if (child == 0) {
            int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
            ++threads;
            exit(threads != 2);
        }
        if (waitpid(child, &status, 0) != child || status != 0) return 1;
    }
    return 0;
}
