// SPDX-License-Identifier: Apache-2.0
// Starts N child processes one after the other, where N is the argument. The children use OpenMP,
// the parent does not.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const int children = argc > 1 ? atoi(argv[1]) : 5;
    for (int i = 0; i < children; ++i) {
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
