// SPDX-License-Identifier: Apache-2.0
// Measures where tasks run, on a machine with several NUMA nodes and a processor in each. In each
// program, every task works on memory of one node. The measure is how many of the tasks run on
// their node, with work stealing and with TEFF_SCHEDULE=locality.
//
//     tasks            runs each program under both policies, and prints a line for each run; then
//                      "ok ..." if more tasks were local with locality in every program, else
//                      "FAILED ..."
//     tasks measure    runs each program under the policy of the environment, and prints a line
//                      "PROGRAM LOCAL TOTAL NODES" for each; NODES is the number of nodes on which
//                      tasks ran
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <teff.h>

enum { BLOCK = 256 << 10, PER_NODE = 16, ROUNDS = 3, MOST = 64, PROGRAMS = 3 };

static const char* const names[PROGRAMS] = {"map", "chains", "told"};
static int nodes;
static long local, total, sum, ran_on;
static int created; // threads that have created all their tasks

static int node_of(const void* block) {
    size_t bytes[MOST];
    const int known = omp_malloc_bytes_per_node(block, BLOCK, bytes, MOST);
    for (int node = 0; node < known; ++node)
        if (bytes[node] == BLOCK) return node;
    fprintf(stderr, "a block is not on one node\n");
    exit(2);
}

// No task goes on before all threads have created theirs: so none is left to a thread that has yet
// to come.
static void wait_for_all(void) {
    while (__atomic_load_n(&created, __ATOMIC_ACQUIRE) < nodes)
        usleep(1000);
}
static void have_created(void) { __atomic_fetch_add(&created, 1, __ATOMIC_RELEASE); }

// What each task does. It mostly sleeps, so it takes as long on a processor that the host gives
// less time: else the other nodes would rightly help that one.
static void work(const char* block) {
    wait_for_all();
    usleep(3000);
    unsigned node;
    syscall(SYS_getcpu, NULL, &node, NULL);
    long found = 0;
    for (int turn = 0; turn < 4; ++turn)
        for (int i = 0; i < BLOCK; i += 16)
            found += block[i];
#pragma omp atomic
    sum += found;
#pragma omp atomic
    ++total;
#pragma omp atomic
    ran_on |= 1L << node;
    if ((int)node != node_of(block)) return;
#pragma omp atomic
    ++local;
}

// All threads create tasks, so all of them are awake, and each does for blocks of all nodes alike.

// Allocations of one node each: one task on each.
static void map(int blocks) {
    char* block[PER_NODE * MOST];
    for (int i = 0; i < blocks; ++i) {
        block[i] = (char*)omp_malloc_specific(BLOCK, OMP_MALLOC_COARSE);
        memset(block[i], 1, BLOCK);
    }
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < blocks; ++i) {
            char* mine = block[i];
#pragma omp task depend(inout : mine[0]) firstprivate(mine)
            work(mine);
        }
        have_created();
    }
    for (int i = 0; i < blocks; ++i)
        omp_malloc_free(block[i]);
}

// The same with several tasks on each, one after the other.
static void chains(int blocks) {
    char* block[PER_NODE * MOST];
    for (int i = 0; i < blocks; ++i) {
        block[i] = (char*)omp_malloc_specific(BLOCK, OMP_MALLOC_COARSE);
        memset(block[i], 1, BLOCK);
    }
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < blocks; ++i) {
            char* mine = block[i];
            for (int round = 0; round < ROUNDS; ++round) {
#pragma omp task depend(inout : mine[0]) firstprivate(mine)
                work(mine);
            }
        }
        have_created();
    }
    for (int i = 0; i < blocks; ++i)
        omp_malloc_free(block[i]);
}

// One array in as many parts as nodes; tasks without dependences.
static void told(int blocks) {
    char* array = (char*)omp_malloc_specific((size_t)blocks * BLOCK, OMP_MALLOC_BLOCKED);
    memset(array, 1, (size_t)blocks * BLOCK);
#pragma omp parallel
    {
#pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < blocks; ++i) {
            char* mine = array + (size_t)i * BLOCK;
            teff_next_task_footprint(mine, BLOCK);
#pragma omp task firstprivate(mine)
            work(mine);
        }
        have_created();
    }
    omp_malloc_free(array);
}

static int measure(void) {
    static void (*const programs[PROGRAMS])(int) = {map, chains, told};
    for (int program = 0; program < PROGRAMS; ++program) {
        local = total = sum = ran_on = created = 0;
        programs[program](PER_NODE * nodes);
        if (sum != total * (BLOCK / 16 * 4)) return 1;
        printf("%s %ld %ld %d\n", names[program], local, total, __builtin_popcountl(ran_on));
    }
    return 0;
}

// Of each program, the percentage of tasks that ran on the node of their data, and on how many
// nodes any did.
struct Figures {
    double percent[PROGRAMS];
    int ran_on[PROGRAMS];
};

static int measure_with(const char* policy, const char* self, struct Figures* figures) {
    char command[512], name[16];
    snprintf(command, sizeof command, "TEFF_SCHEDULE=%s %s measure", policy, self);
    FILE* out = popen(command, "r");
    int found = 0;
    for (long here, all; out != NULL && found < PROGRAMS &&
                         fscanf(out, "%15s %ld %ld %d", name, &here, &all, &figures->ran_on[found]) == 4;
         ++found)
        figures->percent[found] = 100 * (double)here / (double)all;
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
    setenv("TEFF_FOOTPRINT_MIN", "65536", 1);
    struct Figures stealing, locality;
    if (measure_with("work_stealing", argv[0], &stealing) != 0 || measure_with("locality", argv[0], &locality) != 0) {
        printf("FAILED tasks: a program went wrong\n");
        return 1;
    }
    double gain = 0;
    for (int program = 0; program < PROGRAMS; ++program) {
        gain += locality.percent[program] - stealing.percent[program];
        printf("%s: %.0f %% of the tasks run beside their data with locality (on %d nodes), %.0f %% with work stealing "
               "(on %d)\n",
               names[program], locality.percent[program], locality.ran_on[program], stealing.percent[program],
               stealing.ran_on[program]);
    }
    printf("%s tasks: %.0f %% more of them with locality\n", gain > 0 ? "ok" : "FAILED", gain / PROGRAMS);
    return gain > 0 ? 0 : 1;
}
