// SPDX-License-Identifier: Apache-2.0
// Makes other processes, or ends, in every way and at every time.
#define _GNU_SOURCE
#include "work.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kRounds = 30 };

extern char** environ;

static void expect_end(pid_t child, int status_expected) {
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (status != status_expected << 8) printf("a child ended with %x\n", (unsigned)status);
}

static void childs_work(void) {
    alarm(20);
    region(3, 100);
    serial_tasks(100);
    _exit(done > 0 ? 3 : 4);
}

// Another thread needs chunks all the time, so that some forks meet one on its way.
static volatile int forks_are_over;

static void* record_all_the_time(void* unused) {
    do
        serial_tasks(kChunkfulOfTasks);
    while (!forks_are_over);
    return unused;
}

static void fork_while_others_record(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, record_all_the_time, NULL) == 0);
    for (int round = 0; round < kRounds; ++round) {
        const pid_t child = fork();
        if (child == 0) childs_work();
        expect_end(child, 3);
    }
    forks_are_over = 1;
    CHECK(pthread_join(thread, NULL) == 0);
    done = 0;
}

// Threads that have gone had streams, too, and what a child starts gets their numbers.
static void* use_openmp(void* unused) {
    region(3, 10);
    return unused;
}

static void fork_after_threads_have_gone(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use_openmp, NULL) == 0 && pthread_join(thread, NULL) == 0);
    const pid_t child = fork();
    if (child == 0) childs_work();
    region(3, 50);
    expect_end(child, 3);
}

// Without the C library, and so without its handlers: such a child can do little, but it harms
// nobody.
static void fork_by_hand(void) {
    serial_tasks(10);
    const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        serial_tasks(2 * kChunkfulOfTasks);
        _exit(3);
    }
    expect_end(child, 3);
    serial_tasks(10);
}

static void start_others(void) {
    char* const words[] = {"sh", "-c", "exit 3", NULL};
    for (int round = 0; round < kRounds; ++round) {
        pid_t child = -1;
        serial_tasks(kChunkfulOfTasks / 10);
        CHECK(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0);
        expect_end(child, 3);
        child = vfork();
        if (child == 0) {
            execv("/bin/sh", words);
            _exit(4);
        }
        expect_end(child, 3);
    }
}

// It goes on as another process; the first one ends.
static void become_a_daemon(void) {
    int ends[2];
    char answer = 'n';
    region(2, 10);
    CHECK(pipe(ends) == 0);
    const pid_t child = fork(); // who waits here for the daemon's answer
    if (child == 0) {
        CHECK(daemon(1, 1) == 0);
        region(2, 100);
        serial_tasks(kChunkfulOfTasks);
        CHECK(write(ends[1], "y", 1) == 1);
        _exit(0);
    }
    expect_end(child, 0);
    CHECK(read(ends[0], &answer, 1) == 1);
    printf("the daemon has done its work: %c\n", answer);
}

static void become_another(void) {
    region(2, 10);
    serial_tasks(kChunkfulOfTasks);
    fflush(stdout);
    execl("/proc/self/exe", "processes", "after-exec", (char*)NULL);
}

static void after_exec(void) { region(2, 10); }

static void exit_in_region(void) {
#pragma omp parallel num_threads(3)
    {
        serial_tasks(kChunkfulOfTasks / 2);
#pragma omp barrier
        if (omp_get_thread_num() == 1) exit(3);
        serial_tasks(10 * kChunkfulOfTasks);
        for (;;)
            sched_yield();
    }
}

int main(int count, char** words) {
    static const struct Mode kModes[] = {
        {"fork-while-others-record", fork_while_others_record},
        {"fork-after-threads-have-gone", fork_after_threads_have_gone},
        {"fork-by-hand", fork_by_hand},
        {"start-others", start_others},
        {"become-a-daemon", become_a_daemon},
        {"become-another", become_another},
        {"after-exec", after_exec},
        {"exit-in-region", exit_in_region},
        {NULL, NULL},
    };
    return run_mode(kModes, count > 1 ? words[1] : "");
}
