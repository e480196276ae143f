// SPDX-License-Identifier: Apache-2.0
//
// Target constructs with nowait hold no thread: regions on all devices wait for a file that only
// the host makes, after their constructs. They need no thread either: the host waits, outside of
// OpenMP, for a file that the last region of a chain makes. The first argument is the file's name.
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kRegions = 8, kMany = 2000, kCells = 16 };

static char path[4096];
static int failures = 0;

static void check(int holds, const char* what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++failures;
}

static void make_file(void) { close(open(path, O_CREAT | O_WRONLY, 0600)); }

// Each region waits for the file, and one that depends on it follows.
static void create(int* x) {
    for (int i = 0; i < kRegions; ++i) {
        x[i] = 0;
#pragma omp target nowait device(i % omp_get_num_devices()) map(tofrom : x[i : 1]) map(to : path) depend(inout : x[i])
        {
            while (access(path, F_OK) != 0)
                usleep(1000);
            x[i] += i + 1;
        }
#pragma omp target nowait device(i % omp_get_num_devices()) map(tofrom : x[i : 1]) depend(inout : x[i])
        x[i] *= 10;
    }
}

static void check_all(const int* x, const char* what) {
    for (int i = 0; i < kRegions; ++i)
        check(x[i] == 10 * (i + 1), what);
    unlink(path);
}

static void outside_regions(void) {
    int x[kRegions], after = 0;
    create(x);
    make_file();
#pragma omp task depend(inout : x[0]) shared(x, after)
    after = x[0];
#pragma omp taskwait
    check_all(x, "outside of parallel regions");
    check(after == 10, "a task of the host that depends on a region");
}

enum { kChain = 5 };

// Waits outside of OpenMP, without a limit: the test has one.
static void await_file(void) {
    while (access(path, F_OK) != 0)
        usleep(1000);
}

// A chain of constructs ends while the thread that has created them does something else.
static void while_the_creator_works(const char* what) {
    int x = 0, y = 0;
    for (int i = 0; i < kChain; ++i) {
#pragma omp target nowait device(i % omp_get_num_devices()) map(tofrom : x) depend(inout : x)
        {
            usleep(10000);
            ++x;
        }
    }
#pragma omp target update nowait to(y) depend(inout : x)
#pragma omp target nowait map(to : path, x) map(tofrom : y) depend(inout : x)
    {
        y = x;
        close(open(path, O_CREAT | O_WRONLY, 0600));
    }
    await_file();
#pragma omp taskwait
    check(x == kChain && y == kChain, what);
    unlink(path);
}

static void in_a_team_of_one(void) {
#pragma omp parallel num_threads(1)
    while_the_creator_works("while a team of one works");
}

static void in_a_team(void) {
    int x[kRegions];
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        create(x);
#pragma omp task
        make_file();
    }
    check_all(x, "in a team of two");
}

static void in_a_taskgroup(void) {
    int x[kRegions];
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup
        {
            create(x);
            make_file();
        }
        check_all(x, "in a taskgroup");
    }
}

// A final task waits for its constructs.
static void in_a_final_task(void) {
    int x = 0, seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task final(1) shared(x, seen)
    {
#pragma omp target nowait map(tofrom : x)
        x = 1;
        seen = x;
    }
    check(seen == 1, "in a final task");
}

static void many(void) {
    long cells[kCells] = {0};
#pragma omp parallel
#pragma omp for
    for (int i = 0; i < kMany; ++i) {
        long* const cell = &cells[i % kCells];
#pragma omp critical
        {
#pragma omp target nowait device(i % omp_get_num_devices()) map(tofrom : cell[0 : 1]) if (i % 5 != 0)
#pragma omp atomic
            cell[0] += 1;
#pragma omp taskwait
        }
    }
    long sum = 0;
    for (int i = 0; i < kCells; ++i)
        sum += cells[i];
    check(sum == kMany, "many regions");
}

int main(int count, char** words) {
    if (count != 2 || strlen(words[1]) >= sizeof path) return 2;
    strcpy(path, words[1]);
    outside_regions();
    while_the_creator_works("while main works");
    in_a_team_of_one();
    in_a_team();
    in_a_taskgroup();
    in_a_final_task();
    many();
    printf("%d devices, %s\n", omp_get_num_devices(), failures == 0 ? "ok" : "failed");
    // The run ends when this region has ended.
#pragma omp target nowait map(to : path)
    {
        usleep(100000);
        close(open(path, O_CREAT | O_WRONLY, 0600));
    }
    return failures != 0;
}
