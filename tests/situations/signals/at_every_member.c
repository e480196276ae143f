// SPDX-License-Identifier: Apache-2.0
// Situation: each thread of the process, including sleeping threads of the pool, gets signals all the time while regions run
// Catches: a sleeping thread of the pool that behaves wrongly when it is interrupted.

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "../use_openmp.h"

enum { kRounds = 200 };

static volatile sig_atomic_t interrupts;
static int over;

static void count(int number) {
    (void)number;
    interrupts = interrupts + 1;
}

static void* signal_everybody(void* argument) {
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        DIR* tasks = opendir("/proc/self/task");
        for (const struct dirent* entry; tasks != NULL && (entry = readdir(tasks)) != NULL;)
            if (entry->d_name[0] != '.') syscall(SYS_tgkill, getpid(), atoi(entry->d_name), SIGUSR1);
        if (tasks != NULL) closedir(tasks);
        usleep(100);
    }
    return argument;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = count};
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, signal_everybody, NULL);
    for (int round = 0; round < kRounds || interrupts < 100; ++round) {
        use_openmp(2 + round % 3);
        if (round % 20 == 0) usleep(1000); // the pool goes to sleep
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    return 0;
}
