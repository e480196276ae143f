// SPDX-License-Identifier: Apache-2.0
// Measures where loops run, on a machine with several NUMA nodes and a processor in each. A static
// loop touches an array first. Then the program counts how many iterations of other loops over the
// array run on the node that holds their part, with work stealing and with TEFF_SCHEDULE=locality.
//
//     loops            runs each program under both policies, and prints a line for each run; then
//                      "ok ..." if more iterations were local with locality in every program, else
//                      "FAILED ..."
//     loops measure    runs each program under the policy of the environment, and prints a line
//                      "PROGRAM LOCAL TOTAL" for each
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCK = 64 << 10, PER_NODE = 24, ROUNDS = 3, PROGRAMS = 5 };
enum { MPOL_F_NODE = 1, MPOL_F_ADDR = 2 }; // <numaif.h> is not everywhere

static const char* const names[PROGRAMS] = {"dynamic", "guided", "runtime", "uneven", "taskloop"};
static int nodes, blocks;
static char* array;
static long local, total;

static int node_of(const char* block) {
    int node = -1;
    if (syscall(SYS_get_mempolicy, &node, NULL, 0, block, MPOL_F_NODE | MPOL_F_ADDR) != 0) exit(2);
    return node;
}

// An iteration. It mostly sleeps, so it takes as long on a processor that the host gives less time.
static void work(int i, int sleeps_us) {
    unsigned node;
    usleep(sleeps_us);
    syscall(SYS_getcpu, NULL, &node, NULL);
    char* const block = array + (size_t)i * BLOCK;
    for (int at = 0; at < BLOCK; at += 64)
        ++block[at];
    const int here = (int)node == node_of(block);
#pragma omp atomic
    local += here;
#pragma omp atomic
    ++total;
}

static void run(int program) {
#pragma omp parallel
    for (int round = 0; round < ROUNDS; ++round) {
        switch (program) {
        case 0:
#pragma omp for schedule(dynamic)
            for (int i = 0; i < blocks; ++i)
                work(i, 2000);
            break;
        case 1:
#pragma omp for schedule(guided)
            for (int i = 0; i < blocks; ++i)
                work(i, 2000);
            break;
        case 2:
#pragma omp for schedule(runtime)
            for (int i = 0; i < blocks; ++i)
                work(i, 2000);
            break;
        case 3: // the first half takes three times as long as the other
#pragma omp for schedule(dynamic)
            for (int i = 0; i < blocks; ++i)
                work(i, i < blocks / 2 ? 3000 : 1000);
            break;
        case 4:
#pragma omp single
#pragma omp taskloop num_tasks(8 * nodes)
            for (int i = 0; i < blocks; ++i)
                work(i, 2000);
            break;
        }
    }
}

static int measure(void) {
    blocks = PER_NODE * nodes;
    for (int program = 0; program < PROGRAMS; ++program) {
        array = (char*)mmap(NULL, (size_t)blocks * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (array == MAP_FAILED) return 1;
        madvise(array, (size_t)blocks * BLOCK, MADV_NOHUGEPAGE);
#pragma omp parallel for schedule(static)
        for (int i = 0; i < blocks; ++i)
            memset(array + (size_t)i * BLOCK, 0, BLOCK);
        local = total = 0;
        run(program);
        if (total != (long)ROUNDS * blocks) return 1;
        for (int i = 0; i < blocks; ++i)
            if (array[(size_t)i * BLOCK] != ROUNDS) return 1;
        printf("%s %ld %ld\n", names[program], local, total);
        munmap(array, (size_t)blocks * BLOCK);
    }
    return 0;
}

static int measure_with(const char* policy, const char* self, double* percent) {
    char command[512], name[16];
    snprintf(command, sizeof command, "TEFF_SCHEDULE=%s %s measure", policy, self);
    FILE* out = popen(command, "r");
    int found = 0;
    for (long here, all; out != NULL && found < PROGRAMS && fscanf(out, "%15s %ld %ld", name, &here, &all) == 3; ++found)
        percent[found] = 100 * (double)here / (double)all;
    return (out != NULL && pclose(out) == 0 && found == PROGRAMS) ? 0 : 1;
}

int main(int argc, char** argv) {
    nodes = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (argc > 1 && strcmp(argv[1], "measure") == 0) return measure();
    char threads[16];
    snprintf(threads, sizeof threads, "%d", nodes);
    setenv("OMP_NUM_THREADS", threads, 1);
    setenv("OMP_PLACES", "threads", 1);
    setenv("OMP_PROC_BIND", "spread", 1);
    setenv("OMP_SCHEDULE", "nonmonotonic:dynamic,2", 1);
    double stealing[PROGRAMS], locality[PROGRAMS];
    if (measure_with("work_stealing", argv[0], stealing) != 0 || measure_with("locality", argv[0], locality) != 0) {
        printf("FAILED loops: a program went wrong\n");
        return 1;
    }
    int better = 0;
    for (int program = 0; program < PROGRAMS; ++program) {
        better += locality[program] > stealing[program];
        printf("%s: %.0f %% of the iterations run beside their data with locality, %.0f %% with work stealing\n",
               names[program], locality[program], stealing[program]);
    }
    printf("%s loops: more beside their data with locality in %d of %d\n", better == PROGRAMS ? "ok" : "FAILED", better,
           PROGRAMS);
    return better == PROGRAMS ? 0 : 1;
}
