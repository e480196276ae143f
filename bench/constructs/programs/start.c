/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures what a process costs from its start to its end: runs the program one_region in the same
 * folder many times, and prints the median of the wall time or of the processor time. Uses no
 * OpenMP itself.
 */
#include <limits.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sampling.h"

#define WORKLOAD_THREADS() 0
#include "common/workload.h"

enum { MAX_SAMPLES = 100000 };
enum { WALL, CPU };

extern char** environ;

static long figure, samples;

static const char* const figures[] = {"wall", "cpu", NULL};
static const workload_option options[] = {
    {"figure", "time on the wall, or of the processors", &figure, 0, 1, {0, 0, 0}, figures},
    {"samples", "processes, of whose times the median is taken", &samples, 1, MAX_SAMPLES, {50, 100, 1000}, NULL},
};
static const workload self = {"start", "starts a program of one region many times: measures what a process costs",
                              options, WORKLOAD_OPTION_COUNT(options)};

static void find_program(char* path, size_t size) {
    const ssize_t length = readlink("/proc/self/exe", path, size - sizeof "one_region");
    workload_expect(length > 0, "/proc/self/exe cannot be read");
    path[length] = 0;
    strcpy(strrchr(path, '/') + 1, "one_region");
}

static double cpu_of(const struct rusage* usage) {
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

/* Returns how many threads its region had. */
static int run_once(char* path, double* time_s) {
    char* arguments[] = {path, NULL};
    struct rusage usage;
    pid_t child;
    int status;
    const double start = seconds_now();
    const int error = posix_spawn(&child, path, NULL, NULL, arguments, environ);
    workload_expect(!error, "cannot run %s: %s", path, strerror(error));
    workload_expect(wait4(child, &status, 0, &usage) == child && WIFEXITED(status), "%s did not end by itself", path);
    *time_s = figure == CPU ? cpu_of(&usage) : seconds_now() - start;
    return WEXITSTATUS(status) + 1;
}

int main(int argc, char** argv) {
    static double times[MAX_SAMPLES];
    char path[PATH_MAX];
    int threads = 0;
    workload_init(&self, argc, argv);
    find_program(path, sizeof path);
    for (long i = 0; i < samples; ++i)
        threads = run_once(path, &times[i]);
    return report_time("start", figures[figure], median_of(times, samples), threads);
}
