/* SPDX-License-Identifier: Apache-2.0
 *
 * teff.h: the routines that Teff offers in addition to OpenMP. The header is for C (C89 and later)
 * and C++, with GCC or Clang.
 *
 * A program that includes this header can be built and run without Teff: each routine looks for the
 * runtime in the process. If the runtime is not there, the routine calls malloc or free instead, or
 * does nothing.
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
    OMP_MALLOC_STANDARD = 0, /* left to the kernel: mostly the node of the thread that first touches a page */
    OMP_MALLOC_FINE = 1,     /* pages round robin over all nodes */
    OMP_MALLOC_COARSE = 2,   /* each allocation on one node, allocations round robin over the nodes */
    OMP_MALLOC_BLOCKED = 3,  /* each allocation in one contiguous part per node */
    OMP_MALLOC_NEAREST = 4   /* on the node of the calling thread */
} omp_malloc_distribution_t;

/* For the routines below: returns a function of the runtime, or null. `cache` keeps the answer. If
 * the process has no OpenMP runtime, nothing is cached, as a runtime may be loaded later. */
static __inline void* teff_detail_find(const char* name, void** cache) {
    void* found = __atomic_load_n(cache, __ATOMIC_RELAXED);
    if (found == NULL) {
        void* runtime = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (runtime == NULL) return NULL;
        found = dlsym(runtime, name);
        dlclose(runtime); /* the runtime stays: it is never unloaded */
        __atomic_store_n(cache, found != NULL ? found : (void*)cache, __ATOMIC_RELAXED);
    }
    return found == (void*)cache ? NULL : found;
}

static __inline void* teff_detail_malloc(size_t size, int distribution) {
    static void* cache;
    void* found = teff_detail_find("teff_malloc", &cache);
    return found != NULL ? (__extension__(void* (*)(size_t, int)) found)(size, distribution) : malloc(size);
}

/* Allocates `size` bytes, distributed as the environment variable OMP_DATA_DISTRIBUTION says:
 * standard (the default), fine, coarse, blocked or nearest. Allocations smaller than a page (4096
 * bytes) are never distributed. Distributed memory begins at a page boundary; other memory has
 * malloc's alignment. The memory is not initialised. Returns null if there is no memory. Any thread
 * may free the memory with omp_malloc_free; free and realloc must not be used. */
static __inline void* omp_malloc(size_t size) { return teff_detail_malloc(size, -1); }

/* Like omp_malloc, but with the given distribution. */
static __inline void* omp_malloc_specific(size_t size, omp_malloc_distribution_t distribution) {
    return teff_detail_malloc(size, (int)distribution);
}

/* Frees memory from omp_malloc or omp_malloc_specific. Null is ignored. */
static __inline void omp_malloc_free(void* memory) {
    static void* cache;
    void* found = teff_detail_find("teff_free", &cache);
    if (found != NULL) (__extension__(void (*)(void*)) found)(memory);
    else free(memory);
}

/* Tells how many of the `size` bytes from `address` on lie on each node. The bytes must lie in one
 * allocation of omp_malloc. Fills `bytes[0]` to `bytes[nodes - 1]`. Nodes are counted from 0,
 * without the gaps in the kernel's numbers. Returns the number of nodes that memory is spread over,
 * or 0 if the location of these bytes is not known (memory that is not distributed, or not from
 * omp_malloc). Costs tens of nanoseconds and takes no lock. The answer is the placement that was
 * requested from the kernel; if a node is full, the kernel places pages on other nodes. */
static __inline int omp_malloc_bytes_per_node(const void* address, size_t size, size_t* bytes, int nodes) {
    static void* cache;
    void* found = teff_detail_find("teff_bytes_per_node", &cache);
    return found != NULL
               ? (__extension__(int (*)(const void*, size_t, size_t*, int)) found)(address, size, bytes, nodes)
               : 0;
}

/* Tells the runtime that the next task of the calling thread works on the `size` bytes from
 * `address` on. Call it just before the task construct. Several calls add up; the next task that
 * this thread creates takes them all. This is a hint: with TEFF_SCHEDULE=locality, on a machine
 * with several NUMA nodes, the task runs on the node nearest to its data if the team has threads
 * there. Without this call, the runtime uses the task's depend clauses: each of their addresses
 * stands for its whole allocation, or, if the task has a further address in that allocation, for
 * the bytes up to that address. Only distributed memory of omp_malloc counts. Before a taskloop the
 * hint applies to the first of its tasks; the other tasks run where a static loop would run their
 * iterations. */
static __inline void teff_next_task_footprint(const void* address, size_t size) {
    static void* cache;
    void* found = teff_detail_find("teff_next_task_footprint", &cache);
    if (found != NULL) (__extension__(void (*)(const void*, size_t)) found)(address, size);
}

/* Preemption (these routines have an effect only with TEFF_PREEMPT=on).
 *
 * Switches preemption off (0) or on (1) for the whole process while the program runs, for example
 * for a phase in which no task may be interrupted. Other threads see the change within
 * microseconds. When preemption is switched on, tasks of high priority that have become ready in
 * the meantime are served: those of the calling thread's team at once, those of another team when
 * the next task becomes ready there. Returns the previous setting, 1 or 0; returns -1 without Teff,
 * or if TEFF_PREEMPT is off or has no effect in this process. Any thread may call it, also outside
 * of parallel regions. */
static __inline int teff_set_preemption(int on) {
    static void* cache;
    void* found = teff_detail_find("teff_set_preemption", &cache);
    return found != NULL ? (__extension__(int (*)(int)) found)(on) : -1;
}

/* Between teff_hold_preemption and teff_release_preemption the calling task is not preempted. Use
 * them around code whose intermediate state must not be visible to the next task on the same
 * thread: for example, a lock that the program implements itself, or a thread-local variable
 * between two uses. Holds nest. Both calls must be made by the same task, or both outside of tasks.
 * A task that waits between the calls (taskwait, taskyield) leaves its thread as usual. Each call
 * costs a few nanoseconds. */
static __inline void teff_hold_preemption(void) {
    static void* cache;
    void* found = teff_detail_find("teff_hold_preemption", &cache);
    if (found != NULL) (__extension__(void (*)(void)) found)();
}

/* Ends the hold of the last teff_hold_preemption. If no hold is left and a task of higher priority
 * is ready, that task runs before this routine returns. Without a hold, it does nothing. */
static __inline void teff_release_preemption(void) {
    static void* cache;
    void* found = teff_detail_find("teff_release_preemption", &cache);
    if (found != NULL) (__extension__(void (*)(void)) found)();
}

/* From now on, for the rest of the process, no thread is preempted while it executes instructions
 * of this function. These include functions that the compiler has inlined there, but neither
 * functions that it calls nor code that the compiler has moved to a separate part (name.cold).
 * Returns 0, or -1 if the function is not exempt: without Teff, without preemption, or if the
 * program's tables (.eh_frame) do not give the function's end. Takes the dynamic linker's lock. */
static __inline int teff_exempt_from_preemption(void (*function)(void)) {
    static void* cache;
    void* found = teff_detail_find("teff_exempt_from_preemption", &cache);
    return found != NULL ? (__extension__(int (*)(void (*)(void))) found)(function) : -1;
}

/* Recording (these routines have an effect only while `teff record`, or TEFF_TRACE, records the
 * program).
 *
 * teff_record_stop stops recording: the whole process runs at full speed from then on, and makes no
 * records. teff_record_start starts it again. Recording is on when the program begins, unless it
 * begins with a delay (teff record --delay); a program that records only a part of itself calls
 * teff_record_stop first. Any thread may call them. teff_record_stop has an effect at once, also in
 * the middle of a parallel region. teff_record_start has an effect at once if the calling thread is
 * outside of parallel regions; each other thread is recorded from its next outermost parallel
 * region on. omp_control_tool(omp_control_tool_start) and its other commands do the same. They
 * return 0, or -1 if the program is not recorded at all. */
static __inline int teff_record_start(void) {
    static void* cache;
    void* found = teff_detail_find("teff_record_start", &cache);
    return found != NULL ? (__extension__(int (*)(void)) found)() : -1;
}

static __inline int teff_record_stop(void) {
    static void* cache;
    void* found = teff_detail_find("teff_record_stop", &cache);
    return found != NULL ? (__extension__(int (*)(void)) found)() : -1;
}

/* Names what the calling thread does until the matching teff_span_end. `teff report` lists the
 * spans by name, and `teff report --span NAME` reports on one alone. Spans nest, up to 64 deep. If
 * the thread is outside of parallel regions, the regions that it begins belong to the span;
 * otherwise the span is only what this thread does. A name has at most 64 bytes, the rest is cut; a
 * thread distinguishes 256 names. The text is copied. Each call costs some tens of nanoseconds while
 * recording is on. */
static __inline void teff_span_begin(const char* name) {
    static void* cache;
    void* found = teff_detail_find("teff_span_begin", &cache);
    if (found != NULL) (__extension__(void (*)(const char*)) found)(name);
}

/* Ends the span that the calling thread began last. Without such a span, it does nothing. */
static __inline void teff_span_end(void) {
    static void* cache;
    void* found = teff_detail_find("teff_span_end", &cache);
    if (found != NULL) (__extension__(void (*)(void)) found)();
}

#ifdef __cplusplus
}
#endif

#endif
