// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/names.h"

#include <iterator>

#include "omp-tools.h"

namespace teff::probe::ompt {

namespace {

struct Name {
    int value;
    const char* text;
};

// Only states that a thread can be found in. The first stands for the beginning of the enumeration,
// too.
constexpr Name kStates[] = {
    {ompt_state_undefined, "ompt_state_undefined"},
    {ompt_state_work_serial, "ompt_state_work_serial"},
    {ompt_state_work_parallel, "ompt_state_work_parallel"},
    {ompt_state_wait_barrier_implicit_parallel, "ompt_state_wait_barrier_implicit_parallel"},
    {ompt_state_wait_barrier_implicit_workshare, "ompt_state_wait_barrier_implicit_workshare"},
    {ompt_state_wait_barrier_explicit, "ompt_state_wait_barrier_explicit"},
    {ompt_state_wait_barrier_implementation, "ompt_state_wait_barrier_implementation"},
    {ompt_state_wait_barrier_teams, "ompt_state_wait_barrier_teams"},
    {ompt_state_wait_taskwait, "ompt_state_wait_taskwait"},
    {ompt_state_wait_taskgroup, "ompt_state_wait_taskgroup"},
    {ompt_state_wait_lock, "ompt_state_wait_lock"},
    {ompt_state_wait_critical, "ompt_state_wait_critical"},
    {ompt_state_wait_atomic, "ompt_state_wait_atomic"},
    {ompt_state_wait_ordered, "ompt_state_wait_ordered"},
    {ompt_state_idle, "ompt_state_idle"},
    {ompt_state_overhead, "ompt_state_overhead"},
};

constexpr Name kMutexImpls[] = {
    {ompt_mutex_impl_none, "ompt_mutex_impl_none"},
    {kFutexMutex, "teff_mutex_impl_futex"},
};

template <std::size_t size> int enumerate(const Name (&names)[size], int current, int* next, const char** name) {
    for (std::size_t i = 0; i + 1 < size; ++i) {
        if (names[i].value != current) continue;
        *next = names[i + 1].value;
        *name = names[i + 1].text;
        return 1;
    }
    return 0;
}

} // namespace

int enumerate_states(int current, int* next, const char** name) { return enumerate(kStates, current, next, name); }

int enumerate_mutex_impls(int current, int* next, const char** name) {
    return enumerate(kMutexImpls, current, next, name);
}

} // namespace teff::probe::ompt
