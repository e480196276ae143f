/* SPDX-License-Identifier: Apache-2.0
 *
 * teff.h: what Teff offers beyond OpenMP. C, from C89 on, and C++, by GCC or Clang.
 *
 * A program that uses it can be built and run without Teff: each routine looks for the runtime in
 * the process, and without it calls malloc and free, or does nothing.
 *
 *     double *a = omp_malloc(n * sizeof *a);
 *     ...
 *     omp_malloc_free(a);
 */
#ifndef TEFF_H
#define TEFF_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an allocation spreads over the NUMA nodes (Muddukrishna, "Improving OpenMP productivity with
 * data locality optimizations and high-resolution performance analysis", 2016, chapter 3; blocked
 * and nearest are OpenMP's, table 6.2 of version 5.2). */
typedef enum omp_malloc_distribution {
    OMP_MALLOC_STANDARD = 0, /* the kernel's way: mostly the node of the thread that touches a page first */
    OMP_MALLOC_FINE = 1,     /* page by page round robin over all nodes */
    OMP_MALLOC_COARSE = 2,   /* each allocation on one node, the next one on the next */
    OMP_MALLOC_BLOCKED = 3,  /* each allocation in as many parts as there are nodes */
    OMP_MALLOC_NEAREST = 4   /* on the node of the calling thread */
} omp_malloc_distribution_t;

/* For the routines below: a function of the runtime, or null. `cache` keeps the answer, but that of
 * a process without any runtime: one may be loaded later. */
static __inline void* teff_detail_find(const char* name, void** cache) {
    void* found = __atomic_load_n(cache, __ATOMIC_RELAXED);
    if (found == NULL) {
        void* runtime = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (runtime == NULL) return NULL;
        found = dlsym(runtime, name);
        dlclose(runtime); /* which stays: the runtime is never unloaded */
        __atomic_store_n(cache, found != NULL ? found : (void*)cache, __ATOMIC_RELAXED);
    }
    return found == (void*)cache ? NULL : found;
}

static __inline void* teff_detail_malloc(size_t size, int distribution) {
    static void* cache;
    void* found = teff_detail_find("teff_malloc", &cache);
    return found != NULL ? (__extension__(void* (*)(size_t, int)) found)(size, distribution) : malloc(size);
}

/* `size` bytes, distributed as the environment variable OMP_DATA_DISTRIBUTION says: standard, fine,
 * coarse, blocked or nearest; standard if it is not set. Less than a page (4096 bytes) is never
 * distributed. Distributed memory begins at a page; other memory has malloc's alignment. Its
 * content is not defined. Null if there is no memory. Any thread may free it, by omp_malloc_free;
 * never by free or realloc. */
static __inline void* omp_malloc(size_t size) { return teff_detail_malloc(size, -1); }

/* The same, with a distribution of its own. */
static __inline void* omp_malloc_specific(size_t size, omp_malloc_distribution_t distribution) {
    return teff_detail_malloc(size, (int)distribution);
}

/* Frees what omp_malloc and omp_malloc_specific have given. Null is ignored. */
static __inline void omp_malloc_free(void* memory) {
    static void* cache;
    void* found = teff_detail_find("teff_free", &cache);
    if (found != NULL) (__extension__(void (*)(void*)) found)(memory);
    else free(memory);
}

/* Of the `size` bytes from `address` on, which lie in one allocation of omp_malloc: how many lie on
 * each node. Fills `bytes[0]` to `bytes[nodes - 1]`; nodes are counted from 0, without the gaps of
 * the kernel's numbers. Returns how many nodes memory is spread over, or 0 if it is not known where
 * these bytes lie: memory that is not distributed, or not of omp_malloc. Costs tens of nanoseconds
 * and takes no lock. It tells what was asked of the kernel; a full node sends pages elsewhere. */
static __inline int omp_malloc_bytes_per_node(const void* address, size_t size, size_t* bytes, int nodes) {
    static void* cache;
    void* found = teff_detail_find("teff_bytes_per_node", &cache);
    return found != NULL
               ? (__extension__(int (*)(const void*, size_t, size_t*, int)) found)(address, size, bytes, nodes)
               : 0;
}

/* Before a task construct: the task works on these `size` bytes from `address` on. Called several
 * times, it adds up; the next task that this thread creates uses it up. A hint: with
 * TEFF_SCHEDULE=locality, on a machine with several NUMA nodes, the task is run on the node that is
 * nearest to its data, if threads are there to run it. Without this call, depend clauses tell: each
 * of their addresses stands for its whole allocation, or for what lies between it and the next
 * address of the same task in there. Only memory of omp_malloc counts that is distributed. Before a
 * taskloop it is for the first of its tasks; the others run where a static loop runs their
 * iterations. */
static __inline void teff_next_task_footprint(const void* address, size_t size) {
    static void* cache;
    void* found = teff_detail_find("teff_next_task_footprint", &cache);
    if (found != NULL) (__extension__(void (*)(const void*, size_t)) found)(address, size);
}

/* Preemption (TEFF_PREEMPT=on; without it, these do nothing).
 *
 * Switches preemption off (0) and on (1) while the program runs, for the whole process: a phase in
 * which no task shall be interrupted needs no other start of the program. Other threads learn of it
 * within microseconds. On: tasks of high priority that have become ready meanwhile in the calling
 * thread's team are served at once, those of other teams when the next one becomes ready there.
 * Returns what was set before, 1 or 0; -1 without Teff, and if TEFF_PREEMPT is off or has no effect
 * in this process. Any thread may call it, also outside of parallel regions. */
static __inline int teff_set_preemption(int on) {
    static void* cache;
    void* found = teff_detail_find("teff_set_preemption", &cache);
    return found != NULL ? (__extension__(int (*)(int)) found)(on) : -1;
}

/* From teff_hold_preemption to teff_release_preemption the calling task is not preempted. For code
 * that the next task on the same thread must not find half done: a lock of the program's own
 * making, a thread-local variable between two of its uses. Holds nest. Both calls must be made by
 * the same task, or both outside of tasks. A task that waits meanwhile (taskwait, taskyield) leaves
 * its thread as always. A few nanoseconds each. */
static __inline void teff_hold_preemption(void) {
    static void* cache;
    void* found = teff_detail_find("teff_hold_preemption", &cache);
    if (found != NULL) (__extension__(void (*)(void)) found)();
}

/* Ends what the last teff_hold_preemption began. If a task of higher priority waits and no hold is
 * left, it runs before this returns. Without a hold, it does nothing. */
static __inline void teff_release_preemption(void) {
    static void* cache;
    void* found = teff_detail_find("teff_release_preemption", &cache);
    if (found != NULL) (__extension__(void (*)(void)) found)();
}

/* From now on no thread is preempted while it runs the instructions of this function: its own and
 * those that the compiler has inlined there, but neither those of the functions that it calls nor
 * those that the compiler has moved to a part of its own (name.cold). For good. Returns 0, or -1 if
 * nothing is exempt: without Teff or without preemption, or if the program's tables (.eh_frame) do
 * not tell where the function ends. Takes the dynamic linker's lock. */
static __inline int teff_exempt_from_preemption(void (*function)(void)) {
    static void* cache;
    void* found = teff_detail_find("teff_exempt_from_preemption", &cache);
    return found != NULL ? (__extension__(int (*)(void (*)(void))) found)(function) : -1;
}

#ifdef __cplusplus
}
#endif

#endif
