// SPDX-License-Identifier: Apache-2.0
// A program that watches itself: it prints everything that it can find out about its process,
// between its uses of OpenMP, in its threads, in a child, after exec, and at its end. Each line is
// "MOMENT WHAT: VALUE". A recorder must not change any of the values.
//
//     watch TASKS [brief]    runs TASKS serial tasks (66,000 tasks fill a chunk of a recording);
//                            brief: prints only the values that it can find out by few system calls

#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kThreads = 2 };

static volatile int sum;
static int brief;

static void watch(const char* moment) {
    watch_process(moment);
    if (!brief) watch_surroundings(moment);
}

// errno is the program's: 77 before, and after.
static void watch_errno(const char* moment, const char* construct) {
    if (errno != 77) printf("%s errno after %s: %d\n", moment, construct, errno);
    errno = 77;
}

static void serial_tasks(int tasks) {
    errno = 77;
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
        ++sum;
        watch_errno("serial", "task");
    }
#pragma omp taskwait
    watch_errno("serial", "taskwait");
}

static void region(void) {
    errno = 77;
    watch_known_threads = kThreads;
#pragma omp parallel num_threads(kThreads)
    {
        errno = 77;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 4; ++i)
#pragma omp atomic
            ++sum;
        watch_errno("region", "for");
#pragma omp single
        {
#pragma omp task
            watch_errno("region", "nothing");
#pragma omp target nowait
            ++sum;
            errno = 77;
        }
        watch_errno("region", "barrier");
        for (int thread = 0; thread < kThreads; ++thread) {
#pragma omp barrier
            char moment[32];
            snprintf(moment, sizeof moment, "member-%d", thread);
            if (omp_get_thread_num() == thread) watch_thread(moment);
        }
    }
    watch_errno("serial", "parallel");
}

// What a child has of its parent, before and after it uses OpenMP itself; and what a program has
// that it becomes.
static void child(const char* self) {
    const pid_t forked = fork();
    if (forked == 0) {
        watch_known_threads = 1;
        watch("child");
        region();
        watch("child-after");
        fflush(stdout);
        execl(self, self, "--after-exec", (char*)NULL);
        _exit(127);
    }
    int status = -1;
    const int ended = waitpid(forked, &status, 0) == forked;
    printf("parent child: %d %x\n", ended, status);
    printf("parent children: %d %d\n", waitpid(-1, &status, WNOHANG | __WALL), errno);
}

static void at_exit(void) {
    watch("exit");
    fflush(stdout);
}

// A file of the program's own, with a lock that goes when any descriptor of it is closed.
static void own_file(void) {
    const int file = open("own.dat", O_RDWR | O_CREAT | O_APPEND, 0644);
    const struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (file < 0 || write(file, "precious user data\n", 19) != 19) exit(3);
    if (fcntl(file, F_SETLK, &lock) != 0) exit(4);
}

int main(int count, char** arguments) {
    if (count > 1 && strcmp(arguments[1], "--after-exec") == 0) {
        watch("after-exec");
        return 0;
    }
    brief = count > 2;
    setvbuf(stdout, NULL, _IOFBF, 1 << 20); // fewer writes, not fewer words
    atexit(at_exit);
    watch("start");
    const long allocations = count_allocations();
    serial_tasks(atoi(arguments[1]));
    printf("serial allocations: %ld\n", count_allocations() - allocations);
    watch("serial");
    region();
    watch("region");
    own_file();
    watch("file");
    fflush(stdout);
    child(arguments[0]);
    printf("sum %d\n", sum);
    return 5;
}
