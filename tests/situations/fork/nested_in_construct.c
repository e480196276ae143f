// SPDX-License-Identifier: Apache-2.0
// Situation: the leader forks in a nested region inside an ordered loop, a loop with dependences
// and a target region; the child continues through all enclosing constructs to its end
// Catches: a child that is alone in the innermost region only, and in the outer regions waits for
// members that it does not have.
// env: OMP_MAX_ACTIVE_LEVELS=8

#include "../use_openmp.h"

enum { kRounds = 10, kThreads = 3, kIterations = 12 };

static int parents_pid, children;
static pid_t child;

static void fork_in_nested_region(void) {
    use_openmp(2);
#pragma omp parallel num_threads(2)
    {
        use_openmp(3); // the thread leads a team on each of the levels below
#pragma omp master
        child = fork();
    }
    use_openmp(2);
}

// To be called by all members; the leader forks the first time.
static void leader_forks(void) {
    if (omp_get_thread_num() == 0 && children++ == 0) fork_in_nested_region();
}

static int ordered_loop(void) {
    int done = 0;
#pragma omp for schedule(static, 2) ordered
    for (int i = 0; i < kIterations; ++i) {
        leader_forks();
#pragma omp ordered
        ++done;
    }
    return done;
}

static int loop_with_dependences(void) {
    int done = 0;
#pragma omp for schedule(static, 1) ordered(1)
    for (int i = 0; i < kIterations; ++i) {
        leader_forks();
#pragma omp ordered depend(sink : i - 1)
        ++done;
#pragma omp ordered depend(source)
    }
    return done;
}

static int target_region(void) {
    const int forks = omp_get_thread_num() == 0;
    int done = 0;
    use_openmp(2);
#pragma omp target map(tofrom : done)
    {
        if (forks) fork_in_nested_region();
        ++done;
    }
    use_openmp(2);
    return done;
}

static int (*const constructs[])(void) = {ordered_loop, loop_with_dependences, target_region};
enum { kConstructs = sizeof constructs / sizeof *constructs };
static const int kDone[kConstructs] = {kIterations, kIterations, kThreads};

static int run(int kind) {
    int done = 0;
    children = 0;
#pragma omp parallel num_threads(kThreads) reduction(+ : done)
    {
        done += constructs[kind]();
#pragma omp barrier
        CHECK_EQ(omp_get_num_threads(), getpid() == parents_pid ? kThreads : 1);
    }
    return done;
}

int main(void) {
    parents_pid = getpid();
    for (int round = 0; round < kRounds; ++round)
        for (int kind = 0; kind < kConstructs; ++kind) {
            const int done = run(kind);
            if (child == 0) {
                use_nested_openmp(2, 3);
                return 0;
            }
            situation_join(child);
            CHECK_EQ(done, kDone[kind]);
        }
    return 0;
}
