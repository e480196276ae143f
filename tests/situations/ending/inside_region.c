// SPDX-License-Identifier: Apache-2.0
// Situation: exit, _exit, quick_exit and abort by a leader, another member, a task and a foreign thread, while other threads work
// Catches: a runtime that waits for its threads at the end, loses the status, or runs handlers of atexit twice or never.
// limit: 60

#include <pthread.h>
#include <signal.h>

#include "../use_openmp.h"

enum { kStatus = 7, kMark = 40 };

static const char* const ends[] = {"exit", "_exit", "quick_exit", "abort"};
static const char* const places[] = {"leader", "member", "task", "foreign"};
enum { kEnds = sizeof ends / sizeof *ends, kPlaces = sizeof places / sizeof *places };

static void mark(void) {
    if (write(kMark, "x", 1) != 1) _exit(99);
}

static void end_by(int how) {
    switch (how) {
    case 0: exit(kStatus);
    case 1: _exit(kStatus);
    case 2: quick_exit(kStatus);
    default: abort();
    }
}

static void work_until_the_end(void) {
    for (volatile long i = 0;; ++i) {
    }
}

static void end_at(int place, int how) {
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        const int me = omp_get_thread_num();
        if (place == 0 && me == 0) end_by(how);
        if (place == 1 && me == 1) end_by(how);
#pragma omp single nowait
        if (place == 2)
            for (int i = 0; i < 100; ++i)
#pragma omp task
            {
                if (i == 50) end_by(how);
                (void)tree_of_tasks(3);
            }
        if (me == 2 && place != 2) work_until_the_end();
#pragma omp barrier
    }
}

static void* end_in_thread(void* how) {
    end_at(0, *(int*)how);
    return NULL;
}

// In a program of its own, which must end.
static int end_myself(int place, int how) {
    atexit(mark);
    at_quick_exit(mark);
    if (place < 3) {
        end_at(place, how);
    } else {
        pthread_t thread;
        pthread_create(&thread, NULL, end_in_thread, &how);
        end_at(-1, how);
    }
    return 98;
}

static void try_end(int place, int how) {
    int ends_of_pipe[2];
    char marks[4], argument[16];
    if (pipe(ends_of_pipe) != 0) SKIP("no pipe");
    snprintf(argument, sizeof argument, "%d %d", place, how);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends_of_pipe[1], kMark);
        close(ends_of_pipe[0]);
        close(ends_of_pipe[1]);
        execl("/proc/self/exe", "inside_region", argument, (char*)NULL);
        _exit(97);
    }
    int status = 0;
    close(ends_of_pipe[1]);
    CHECK_EQ(waitpid(child, &status, 0), child);
    const long count = read(ends_of_pipe[0], marks, sizeof marks);
    close(ends_of_pipe[0]);
    const int right = how == 3 ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT
                               : WIFEXITED(status) && WEXITSTATUS(status) == kStatus;
    if (!right) WRONG("%s by %s ends with %x", ends[how], places[place], (unsigned)status);
    const int wanted = how == 0 || how == 2;
    if (count != wanted) WRONG("%s by %s: %ld exit handlers instead of %d", ends[how], places[place], count, wanted);
}

int main(int argc, char** argv) {
    int place, how;
    if (argc > 1 && sscanf(argv[1], "%d %d", &place, &how) == 2) return end_myself(place, how);
    for (int round = 0; round < 3; ++round)
        for (place = 0; place < kPlaces; ++place)
            for (how = 0; how < kEnds; ++how)
                try_end(place, how);
    return 0;
}
