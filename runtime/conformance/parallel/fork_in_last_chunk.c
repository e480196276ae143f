// SPDX-License-Identifier: Apache-2.0
//
// A thread forks in the last chunk of a dynamic loop while another thread is still in its first
// chunk. The child runs all iterations that no thread had begun.
#include <sys/wait.h>

#include "check.h"

enum { kIterations = 1000, kMost_ms = 3000 };

static int begun[kIterations], is_held, has_forked;

static int read_it(const int* flag) {
    int value;
#pragma omp atomic read
    value = *flag;
    return value;
}

static void set(int* flag) {
#pragma omp atomic write
    *flag = 1;
}

// Not for ever: who waits may be the only thread, or the child's.
static void wait_for(const int* flag) {
    for (int ms = 0; ms < kMost_ms && !read_it(flag); ms++)
        usleep(1000);
}

int main(void) {
    pid_t child = -1;
#pragma omp parallel num_threads(2)
    {
        const int threads = omp_get_num_threads(), holds = omp_get_thread_num() == 0;
        int first = 1;
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < kIterations; i++) {
            set(&begun[i]);
            if (first && threads == 2) {
                if (holds) set(&is_held);
                wait_for(holds ? &has_forked : &is_held);
            }
            if (i == kIterations - 1) {
                const pid_t forked = fork();
#pragma omp atomic write
                child = forked;
                (void)forked; // GCC 14 takes no notice of its use above
                set(&has_forked);
            }
            first = 0;
        }
        if (read_it(&child) == 0) {
            for (int i = 0; i < kIterations; i++)
                CHECK(read_it(&begun[i]));
            _exit(0);
        }
    }
    int status = -1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
}
