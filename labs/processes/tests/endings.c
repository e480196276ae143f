// SPDX-License-Identifier: Apache-2.0
//
// Cases that do not end normally: they exit, crash, are killed, have a data race, or use a feature
// that cannot work on processes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"

static int numbers[10];
static int flag;
static long counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int exits(void) {
    printf("buffered\n");
#pragma omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1) exit(17);
    return 0;
}

static int crashes(void) {
#pragma omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1) abort();
    return 0;
}

// Prints which processes exist, and does not end.
static int stays(void) {
#pragma omp parallel
    {
#pragma omp critical
        {
            printf("pid %d\n", (int)getpid());
            fflush(stdout);
        }
#pragma omp barrier
#pragma omp master
        {
            printf("ready\n");
            fflush(stdout);
        }
        while (omp_get_thread_num() % 2 == 0)
            sleep(1); // the others wait at the barrier
    }
    return 0;
}

static int races(void) {
#pragma omp parallel
    {
#pragma omp barrier
        numbers[7] = 1 + omp_get_thread_num();
    }
    return 1;
}

static void* do_nothing(void* argument) { return argument; }
static int thread(void) {
    pthread_t made;
    return pthread_create(&made, NULL, do_nothing, NULL) == 0;
}

static int doacross(void) {
#pragma omp parallel for ordered(1)
    for (int i = 1; i < 10; i++) {
#pragma omp ordered depend(sink : i - 1)
        numbers[i] = numbers[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    return 1;
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int conditions(void) {
#pragma omp parallel num_threads(2)
    {
        pthread_mutex_lock(&mutex);
        if (omp_get_thread_num() == 0) {
            while (!flag)
                pthread_cond_wait(&condition, &mutex);
        } else {
            flag = 1;
            pthread_cond_broadcast(&condition);
        }
        pthread_mutex_unlock(&mutex);
#pragma omp barrier
        // The second process to arrive found the flag set.
        if (omp_get_thread_num() == 0) {
            pthread_mutex_lock(&mutex);
            pthread_cond_wait(&condition, &mutex);
        }
    }
    return 1;
}

static int semaphores(void) {
    static sem_t semaphore;
    sem_init(&semaphore, 0, 0);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) sem_wait(&semaphore);
    else sem_post(&semaphore);
    return 1;
}

static int posix_barriers(void) {
    static pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
#pragma omp parallel
    pthread_barrier_wait(&barrier);
    return 1;
}

static int read_write_locks(void) {
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#pragma omp parallel
    {
        pthread_rwlock_wrlock(&lock);
        counter++;
        pthread_rwlock_unlock(&lock);
    }
    return 1;
}

static int late_shared_map(void) {
#pragma omp parallel
    counter += omp_get_thread_num() == 0;
    int* map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return map != MAP_FAILED;
}

static int late_fixed_map(void) {
#pragma omp parallel
    counter += omp_get_thread_num() == 0;
    return mmap((void*)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
           MAP_FAILED;
}

static int late_code(void) {
#pragma omp parallel
    counter += omp_get_thread_num() == 0;
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static int late_library(void) {
#pragma omp parallel
    counter += omp_get_thread_num() == 0;
    return dlopen("libresolv.so.2", RTLD_NOW) != NULL;
}

// A task holds a lock while it waits. Another task, which runs in that wait, wants the lock, too.
static int lock_below(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
#pragma omp task
    {
        omp_set_lock(&lock);
#pragma omp task
        {
            omp_set_lock(&lock);
            counter++;
            omp_unset_lock(&lock);
        }
#pragma omp taskwait
        omp_unset_lock(&lock);
    }
    return 1;
}

// Each of two threads waits for the lock that the other holds.
static int locks_crossed(void) {
    omp_lock_t of[2];
    omp_init_lock(&of[0]);
    omp_init_lock(&of[1]);
#pragma omp parallel num_threads(2)
    {
        const int me = omp_get_thread_num();
        omp_set_lock(&of[me]);
#pragma omp barrier
        omp_set_lock(&of[1 - me]);
    }
    return 1;
}

static int lock_twice(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    counter += omp_get_thread_num() == 0;
    omp_set_lock(&lock);
    omp_set_lock(&lock);
    return 1;
}

static int event_of_nobody(void) {
#pragma omp parallel
#pragma omp single
    {
        omp_event_handle_t event; // it is never fulfilled
#pragma omp task detach(event)
        counter++;
        (void)event;
    }
    return 1;
}

// The task waits for something that its creator does, which is below it on the stack.
static int needs_creator(void) {
    int done = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task if (0)
        while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
            sched_yield();
        }
        __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    }
    return 1;
}

static int descend(int depth) {
    volatile char room[4096];
    room[0] = (char)depth;
    return depth == 0 ? room[0] : descend(depth - 1) + room[0];
}
// Runs before main, if this case was selected.
__attribute__((constructor)) static void begin_early(int argc, char** argv) {
    if (argc != 2 || strcmp(argv[1], "before_main") != 0) return;
#pragma omp parallel
    printf("%d\n", omp_get_thread_num());
}
static int before_main(void) { return 1; }

static int deep(void) {
#pragma omp parallel
    if (omp_get_thread_num() == 1) numbers[0] = descend(1 << 20);
    return 1;
}

// All threads write, read and wait without end, so that messages of many sizes are in transit.
static int flows(void) {
    const size_t bytes = 8 << 20;
    unsigned char* data = calloc(bytes, 1);
#pragma omp parallel
    for (int round = 1;; round++) {
        if (round == 1) {
#pragma omp critical
            {
                printf("pid %d\n", (int)getpid());
                fflush(stdout);
            }
        }
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 16; i++)
            memset(data + (bytes >> 4) * (size_t)i, round + i, bytes >> 4);
    }
    return 1;
}

static int raises(void) {
    raise(SIGSEGV);
    return 1;
}

static volatile sig_atomic_t signals[65];
static void note(int number) { signals[number]++; }

// Ends when a handler has received all signals of a list; also prints all other signals.
static int handles(void) {
    const int list[] = {SIGTERM, SIGUSR1, SIGWINCH, SIGPIPE, SIGCONT, SIGRTMIN, SIGRTMAX};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        signal(list[i], note);
    signal(SIGCHLD, note);
#pragma omp parallel
    numbers[omp_get_thread_num()] = 1;
    printf("ready %d\n", (int)signals[SIGCHLD]);
    fflush(stdout);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        while (signals[list[i]] == 0)
            usleep(1000);
    printf("all %d\n", (int)signals[SIGCHLD]);
    return 1;
}

static const struct a_case cases[] = {
    {"handles", handles},
    {"raises", raises},
    {"conditions", conditions},
    {"semaphores", semaphores},
    {"posix_barriers", posix_barriers},
    {"read_write_locks", read_write_locks},
    {"late_shared_map", late_shared_map},
    {"late_fixed_map", late_fixed_map},
    {"late_code", late_code},
    {"late_library", late_library},
    {"lock_below", lock_below},
    {"locks_crossed", locks_crossed},
    {"lock_twice", lock_twice},
    {"event_of_nobody", event_of_nobody},
    {"needs_creator", needs_creator},
    {"before_main", before_main},
    {"deep", deep},
    {"flows", flows},
    {"exits", exits},
    {"crashes", crashes},
    {"stays", stays},
    {"races", races},
    {"thread", thread},
    {"doacross", doacross},
};

int main(int argc, char** argv) { return argc == 2 ? run_case(cases, sizeof cases / sizeof *cases, argv[1]) : 2; }
