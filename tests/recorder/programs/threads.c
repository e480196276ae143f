// SPDX-License-Identifier: Apache-2.0
// Cancels threads, and uses OpenMP in signal handlers and in callbacks of the dynamic linker.
#define _GNU_SOURCE
#include "work.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile int reached;

// Cancelled before it meets OpenMP, which has no cancellation point: the cancellation waits until
// its end.
static void* cancelled_thread(void* type) {
    pthread_setcanceltype(*(int*)type, NULL);
    region(2, 10);
    serial_tasks(kChunkfulOfTasks);
    reached = 1;
    pthread_testcancel();
    return NULL;
}

static void* cancel_itself(void* type) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); // the asynchronous kind would act at once
    pthread_cancel(pthread_self());
    if (*(int*)type == PTHREAD_CANCEL_DEFERRED) pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    cancelled_thread(type);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    return NULL;
}

static void cancel(int type) {
    pthread_t thread;
    void* result = NULL;
    alarm(30);
    CHECK(pthread_create(&thread, NULL, cancel_itself, &type) == 0 &&
          pthread_join(thread, &result) == 0);
    printf("cancelled: %d, reached the end: %d\n", result == PTHREAD_CANCELED, reached);
    region(2, 100);
}

static void cancel_deferred(void) { cancel(PTHREAD_CANCEL_DEFERRED); }
static void cancel_asynchronous(void) { cancel(PTHREAD_CANCEL_ASYNCHRONOUS); }

static void use_openmp(int signal) {
    (void)signal;
    serial_tasks(10);
    region(2, 10);
}

// A handler that comes while the program's own code runs.
static void handlers_use_openmp(void) {
    signal(SIGUSR1, use_openmp);
    for (int round = 0; round < 6000; ++round) {
        raise(SIGUSR1);
        serial_tasks(20);
    }
}

// The dynamic linker is locked meanwhile.
static int use_openmp_for(struct dl_phdr_info* object, size_t bytes, void* unused) {
    (void)object, (void)bytes, (void)unused;
    region(3, 100);
    return 1;
}

static void callbacks_use_openmp(void) {
    dl_iterate_phdr(use_openmp_for, NULL);
    region(3, 100);
}

static int use_teams_for(struct dl_phdr_info* object, size_t bytes, void* unused) {
    (void)object, (void)bytes, (void)unused;
#pragma omp parallel num_threads(2)
    {
        region(2, 10);
        region(3, 10);
    }
    return 1;
}

static void callbacks_use_teams_of_teams(void) {
    omp_set_max_active_levels(2);
    dl_iterate_phdr(use_teams_for, NULL);
    dl_iterate_phdr(use_teams_for, NULL);
}

static void* use_all_of_openmp(void* unused) {
    use_openmp(0);
    serial_tasks(kChunkfulOfTasks);
    use_teams_for(NULL, 0, NULL);
    return unused;
}

// The dynamic linker is locked for all of the other thread's life. So it is to whoever runs while
// the thread that has locked it is stopped, and to the children of whoever forks then.
static int wait_for_thread(struct dl_phdr_info* object, size_t bytes, void* unused) {
    (void)object, (void)bytes;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use_all_of_openmp, unused) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return 1;
}

static void callbacks_wait_for_threads(void) {
    omp_set_max_active_levels(2);
    dl_iterate_phdr(wait_for_thread, NULL);
    use_all_of_openmp(NULL);
    dl_iterate_phdr(wait_for_thread, NULL);
}

static pthread_barrier_t all_are_there, all_may_go;

static void* use_and_stay(void* unused) {
    region(1, 1);
    pthread_barrier_wait(&all_are_there);
    pthread_barrier_wait(&all_may_go);
    return unused;
}

static int count_mappings(void) {
    int lines = 0;
    FILE* maps = fopen("/proc/self/maps", "re");
    CHECK(maps != NULL);
    for (int c; (c = getc(maps)) != EOF;)
        lines += c == '\n';
    fclose(maps);
    return lines;
}

// The threads are alive at once.
static void mappings_of_many(void) {
    enum { kMany = 320 };
    pthread_t threads[kMany];
    CHECK(pthread_barrier_init(&all_are_there, NULL, kMany + 1) == 0);
    CHECK(pthread_barrier_init(&all_may_go, NULL, kMany + 1) == 0);
    const int before = count_mappings();
    for (int i = 0; i < kMany; ++i)
        CHECK(pthread_create(&threads[i], NULL, use_and_stay, NULL) == 0);
    pthread_barrier_wait(&all_are_there);
    printf("%d threads: %d mappings\n", kMany, count_mappings() - before);
    pthread_barrier_wait(&all_may_go);
    for (int i = 0; i < kMany; ++i)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void count_signal(int signal) {
    (void)signal;
    ++reached;
}

// Interrupted all the time; each signal that the program sends itself arrives.
static void interrupted(void) {
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGRTMIN, &action, NULL) == 0);
    for (int round = 0; round < 2000; ++round) {
        CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){0}) == 0);
        serial_tasks(kChunkfulOfTasks / 500);
    }
    printf("%d signals arrived\n", reached);
}

int main(int count, char** words) {
    static const struct Mode kModes[] = {
        {"cancel-deferred", cancel_deferred},
        {"cancel-asynchronous", cancel_asynchronous},
        {"handlers-use-openmp", handlers_use_openmp},
        {"callbacks-use-openmp", callbacks_use_openmp},
        {"callbacks-use-teams-of-teams", callbacks_use_teams_of_teams},
        {"callbacks-wait-for-threads", callbacks_wait_for_threads},
        {"interrupted", interrupted},
        {"mappings-of-many", mappings_of_many},
        {NULL, NULL},
    };
    return run_mode(kModes, count > 1 ? words[1] : "");
}
