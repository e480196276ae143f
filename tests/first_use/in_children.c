// SPDX-License-Identifier: Apache-2.0
// As many child processes as the argument says use OpenMP, one after the other. The parent does not
// use OpenMP.
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
