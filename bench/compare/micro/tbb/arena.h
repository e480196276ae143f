// SPDX-License-Identifier: Apache-2.0
// Runs a benchmark in a oneTBB arena with OMP_NUM_THREADS threads, and measures its time in the
// same way as its OpenMP twin, so that the two can be compared.
#ifndef COMPARE_TBB_ARENA_H
#define COMPARE_TBB_ARENA_H

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdlib>

inline int arena_threads() {
    const char* text = std::getenv("OMP_NUM_THREADS");
    const int threads = text ? std::atoi(text) : 0;
    return threads > 0 ? threads : tbb::this_task_arena::max_concurrency();
}

#define WORKLOAD_THREADS() arena_threads()
#include "common/workload.h"

template <typename Body> double seconds_in_arena(const Body& body) {
    const int threads = arena_threads();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    const double start = workload_seconds();
    arena.execute(body);
    return workload_seconds() - start;
}

#endif
