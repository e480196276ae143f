// SPDX-License-Identifier: Apache-2.0
// The child uses OpenMP, its parent does not.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
        ++threads;
        exit(threads != 2);
    }
    return waitpid(child, &status, 0) != child || status != 0;
}
