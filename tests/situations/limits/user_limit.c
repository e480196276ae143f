// SPDX-License-Identifier: Apache-2.0
//
// Situation: the user may have at most 4 threads (ulimit -u), and the program requests 16
// Catches: a runtime that ends the program, or waits for the threads that it did not get
// env: OMP_NUM_THREADS=16
#include "again.h"
#include "work.h"

int main(int argc, char** argv) {
    if (argc > 1) {
        const struct rlimit limit = {4, 4};
        if (setrlimit(RLIMIT_NPROC, &limit) != 0) SKIP("setrlimit says no");
        if (geteuid() == 0 && setuid(64123) != 0) SKIP("cannot become another user");
        if (geteuid() != 64123) SKIP("only for root: other users have processes already");
        work();
        int size = 0;
#pragma omp parallel
#pragma omp single
        size = omp_get_num_threads();
        CHECK(size >= 1 && size <= 4);
        return 0;
    }
    struct Again again = run_again("work", 10, NULL);
    judge_again(&again, "at the limit of the user");
    if (WEXITSTATUS(again.status) != 0) WRONG("ends at the limit of the user: %s", again.errors);
    CHECK_EQ(again.lines, 1);
    return 0;
}
