// SPDX-License-Identifier: Apache-2.0
// Tells what the kernel's own counters say of threads beside a busy process.
//
//     switches work MS          each of two threads burns MS of CPU time in tasks, and prints
//                               between which instants of the monotonic clock it did so, how often
//                               it lost its processor, its wait for a processor, and its CPU time
//     switches sleep            a task sleeps three times for 5 ms
//     switches late MS          sleeps for MS, and then has a region
//     switches thread MS        a thread works for 20 ms, another one does the above, and works for
//                               20 ms between; the first thread has no region
//     switches child MS         has a region, and forks a child that does so
//     switches can              prints whether the kernel would open the recorder's event
//     switches refused PROGRAM  runs a program under a filter that kills whoever opens an event
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void burn(int64_t ns) {
    const int64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

struct Counts {
    int64_t at, cpu, delay, preemptions;
};

static struct Counts counts(void) {
    struct Counts counts = {0};
    struct rusage usage;
    long long cpu, delay;
    FILE* file = fopen("/proc/thread-self/schedstat", "re");
    CHECK(file != NULL && fscanf(file, "%lld %lld", &cpu, &delay) == 2);
    fclose(file);
    CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
    counts.at = now(CLOCK_MONOTONIC);
    counts.cpu = cpu, counts.delay = delay, counts.preemptions = usage.ru_nivcsw;
    return counts;
}

static void work(int ms) {
    struct Counts before[2], after[2];
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        before[thread] = counts();
        for (int i = 0; i < 2 * ms; ++i) {
#pragma omp task if (0)
            burn(500000);
        }
        after[thread] = counts();
    }
    for (int i = 0; i < 2; ++i)
        printf("%lld %lld %lld %lld %lld\n", (long long)before[i].at, (long long)after[i].at,
               (long long)(after[i].preemptions - before[i].preemptions), (long long)(after[i].delay - before[i].delay),
               (long long)(after[i].cpu - before[i].cpu));
}

static void asleep(void) {
    const struct timespec time = {0, 5000000};
#pragma omp parallel num_threads(1)
    {
#pragma omp task
        for (int i = 0; i < 3; ++i)
            nanosleep(&time, NULL);
    }
}

static void late(int ms, int64_t works) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
    burn(works);
#pragma omp parallel num_threads(2)
    burn(2000000);
}

static void* late_thread(void* ms) {
    late(*(int*)ms, 20000000);
    return NULL;
}

static void thread(int ms) {
    pthread_t other;
    burn(20000000);
    CHECK(pthread_create(&other, NULL, late_thread, &ms) == 0);
    CHECK(pthread_join(other, NULL) == 0);
}

static void child(int ms) {
#pragma omp parallel num_threads(2)
    burn(2000000);
    const pid_t made = fork();
    if (made == 0) return late(ms, 20000000);
    int status;
    CHECK(waitpid(made, &status, 0) == made && status == 0);
}

static int can(void) {
    struct perf_event_attr wanted = {.size = sizeof wanted,
                                     .type = PERF_TYPE_SOFTWARE,
                                     .config = PERF_COUNT_SW_DUMMY,
                                     .sample_type = PERF_SAMPLE_TIME,
                                     .sample_id_all = 1,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1,
                                     .context_switch = 1,
                                     .use_clockid = 1,
                                     .clockid = CLOCK_MONOTONIC};
    const int file = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0);
    if (file < 0) return 0;
    const size_t bytes = 3 * (size_t)sysconf(_SC_PAGESIZE);
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) != MAP_FAILED;
}

static void refuse(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int main(int count, char** words) {
    CHECK(count > 1);
    if (strcmp(words[1], "can") == 0) printf("%d\n", can());
    if (strcmp(words[1], "sleep") == 0) asleep();
    if (strcmp(words[1], "late") == 0) late(atoi(words[2]), 0);
    if (strcmp(words[1], "thread") == 0) thread(atoi(words[2]));
    if (strcmp(words[1], "child") == 0) child(atoi(words[2]));
    if (strcmp(words[1], "work") == 0) work(atoi(words[2]));
    if (strcmp(words[1], "refused") == 0) {
        refuse();
        execv(words[2], words + 2);
        return 9;
    }
    return 0;
}
