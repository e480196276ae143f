// SPDX-License-Identifier: Apache-2.0
//
// Cases in which several processes use the C library and the system at the same time: mutexes,
// system calls, mappings, results that the library allocates, output, fork.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "case.h"

enum { MANY = 20000 };

static int numbers[MANY];
static long counter;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int mutexes(void) {
#pragma omp parallel
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return counter == 50l * threads;
}

// System calls in which the kernel writes to shared memory.
static int system_calls(void) {
    int ends[2], right = 1;
    static char text[3 * 4096];
    if (pipe(ends) != 0) return 0;
#pragma omp parallel
    {
#pragma omp single
        right &= write(ends[1], "from a pipe", 12) == 12 && read(ends[0], text + 4090, 12) == 12;
        if (strcmp(text + 4090, "from a pipe") != 0) {
#pragma omp critical
            right = 0;
        }
    }
    return right;
}

static int output(void) {
    printf("before\n");
#pragma omp parallel
    {
#pragma omp critical
        printf("in\n");
#pragma omp barrier
#pragma omp single
        printf("between\n");
    }
    printf("after\n");
    return 1;
}

static int forks(void) {
#pragma omp parallel
    {
#pragma omp atomic
        counter++;
    }
    const pid_t child = fork();
    if (child == 0) {
#pragma omp parallel for
        for (int i = 0; i < MANY; i++)
            numbers[i] = 1;
        _exit(numbers[MANY - 1] == 1 && counter == threads ? 0 : 1);
    }
    for (int round = 0; round < 10; round++) {
#pragma omp parallel for
        for (int i = 0; i < MANY; i++)
            numbers[i] = 2;
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 && numbers[0] == 2;
}

// Memory that the program maps after the first region, which each thread writes to.
static int maps(void) {
    const size_t bytes = 5 * 4096;
    int right = 1;
#pragma omp parallel
    counter += omp_get_thread_num() == 0;
    for (int round = 0; round < 3; round++) {
        unsigned char* map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED) return 0;
        for (size_t i = 0; i < bytes; i++)
            right &= map[i] == 0;
#pragma omp parallel for
        for (size_t i = 0; i < bytes; i++)
            map[i] = (unsigned char)(i % 251 + 1);
        map = mremap(map, bytes, 2 * bytes, MREMAP_MAYMOVE);
        for (size_t i = 0; i < bytes; i++)
            right &= map[i] == i % 251 + 1 && map[bytes + i] == 0;
        right &= madvise(map, 4096, MADV_DONTNEED) == 0 && map[0] == 0 && map[4096] != 0;
        right &= munmap(map, 2 * bytes) == 0;
    }
    return right;
}

// Checks the contents of a file by a mapping of each kind.
static int maps_of_files(void) {
    FILE* file = tmpfile();
    int right = 1;
    for (int i = 0; i < MANY; i++)
        fwrite(&i, sizeof i, 1, file);
    fflush(file);
#pragma omp parallel
    counter += omp_get_thread_num() == 0;
    const int protections[] = {PROT_READ, PROT_READ | PROT_WRITE};
    for (int kind = 0; kind < 2; kind++) {
        const int* map = mmap(NULL, MANY * sizeof *map, protections[kind], MAP_PRIVATE, fileno(file), 0);
        if (map == MAP_FAILED) return 0;
#pragma omp parallel for reduction(& : right)
        for (int i = 0; i < MANY; i++)
            right &= map[i] == i;
        right &= munmap((void*)map, MANY * sizeof *map) == 0;
    }
    fclose(file);
    return right;
}

// What the C library allocates for the program: each thread makes some, another one reads and frees
// it.
static int results_of_libc(void) {
    char* lines[64];
    char* texts[64];
    char* paths[64];
    int right = 1;
#pragma omp parallel
    {
        const int me = omp_get_thread_num(), all = omp_get_num_threads();
        FILE* file = tmpfile();
        size_t room = 0;
        for (int i = 0; i < 1000; i++)
            fprintf(file, "%d ", me);
        rewind(file);
        lines[me] = NULL;
        if (getline(&lines[me], &room, file) < 2000) lines[me] = strdup("short");
        if (asprintf(&texts[me], "text of %d", me) < 0) texts[me] = NULL;
        paths[me] = realpath("/", NULL);
        fclose(file);
#pragma omp barrier
        const int other = (me + 1) % all;
        char expected[30];
        snprintf(expected, sizeof expected, "text of %d", other);
        const int same = texts[other] != NULL && strcmp(texts[other], expected) == 0 && atoi(lines[other]) == other &&
                         strlen(lines[other]) >= 2000 && strcmp(paths[other], "/") == 0;
#pragma omp critical
        right &= same;
        free(lines[other]);
        free(texts[other]);
        free(paths[other]);
    }
    return right;
}

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_spinlock_t spin_lock;
static mtx_t plain;

static int other_mutexes(void) {
    long spins = 0, plains = 0;
    pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE);
    mtx_init(&plain, mtx_plain);
#pragma omp parallel
    for (int i = 0; i < 30; i++) {
        pthread_mutex_lock(&recursive);
        pthread_mutex_lock(&recursive);
        counter++;
        pthread_mutex_unlock(&recursive);
        pthread_mutex_unlock(&recursive);
        pthread_spin_lock(&spin_lock);
        spins++;
        pthread_spin_unlock(&spin_lock);
        mtx_lock(&plain);
        plains++;
        mtx_unlock(&plain);
    }
    return counter == 30l * threads && spins == counter && plains == counter;
}

// Libraries that are already loaded may be opened again.
static int opens_itself(void) {
#pragma omp parallel
    counter += omp_get_thread_num() == 0;
    return dlopen(NULL, RTLD_NOW) != NULL && dlopen("libc.so.6", RTLD_NOW) != NULL;
}

static int block_sizes(void) {
    char* const block = malloc(100);
    const size_t size = malloc_usable_size(block);
    const int right = size >= 100 && size < 1000;
#pragma omp parallel
    if (omp_get_thread_num() == threads - 1) memset(block, 1, right ? size : 0);
    const int sum = block[0] + block[99];
    free(block);
    return right && sum == 2;
}

// A handler that may interrupt any code, and contains an atomic instruction.
static long ticks, added;
static void tick(int signal) {
    (void)signal;
    __atomic_fetch_add(&ticks, 1, __ATOMIC_SEQ_CST);
}
static int handlers(void) {
    enum { kTimes = 100 };
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    long counted = 0;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
#pragma omp parallel
    for (int i = 0; i < kTimes; i++) {
        if (omp_get_thread_num() != 0) usleep(1500);
#pragma omp barrier
#pragma omp atomic
        added++;
#pragma omp critical
        counted++;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    return ticks > 0 && added == kTimes * threads && counted == kTimes * threads;
}

// Whether each wait takes at least as long as it should.
static int waits_last(void) {
    const struct timespec short_time = {0, 120000000};
    struct timeval time = {0, 120000};
    struct epoll_event event;
    const int epoll = epoll_create1(0);
    const double start = omp_get_wtime();
    int right = usleep(120000) == 0 && nanosleep(&short_time, NULL) == 0 && poll(NULL, 0, 120) == 0 &&
                clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL) == 0 &&
                select(0, NULL, NULL, NULL, &time) == 0 && epoll_wait(epoll, &event, 1, 120) == 0 && sleep(1) == 0;
    close(epoll);
    return right && omp_get_wtime() - start > 1.7;
}
static int waits(void) {
    int right = waits_last();
#pragma omp parallel reduction(& : right)
    right &= waits_last();
    return right & waits_last();
}

// A program that closes all descriptors that it does not know, and then uses their numbers for
// other files.
static int closes_all(void) {
    int right = 1;
    for (int round = 0; round < 2; round++) {
        closefrom(3);
        for (int i = 3; i < (int)sysconf(_SC_OPEN_MAX) && i < 2000; i++)
            close(i);
        const int file = open("/dev/null", O_RDWR);
        for (int i = 4; i < 100; i++)
            right &= dup2(file, i) == i;
        counter = 0;
#pragma omp parallel
        {
#pragma omp critical
            counter++;
        }
        right &= file == 3 && counter == threads;
    }
    const pid_t child = fork();
    int status = 1;
    if (child == 0) _exit(0);
    return waitpid(child, &status, 0) == child && status == 0 && right;
}

static const struct a_case cases[] = {
    {"closes_all", closes_all},
    {"waits", waits},
    {"block_sizes", block_sizes},
    {"handlers", handlers},
    {"mutexes", mutexes},
    {"system_calls", system_calls},
    {"maps", maps},
    {"maps_of_files", maps_of_files},
    {"results_of_libc", results_of_libc},
    {"other_mutexes", other_mutexes},
    {"opens_itself", opens_itself},
    {"output", output},
    {"forks", forks},
};

int main(int argc, char** argv) { return argc == 2 ? run_case(cases, sizeof cases / sizeof *cases, argv[1]) : 2; }
