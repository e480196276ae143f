// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/tool.h"

#include <dlfcn.h>

#include "base/report.h"
#include "icv/icv.h"
#include "omp-tools.h"
#include "probe/ompt/callbacks.h"
#include "probe/ompt/inquiry.h"
#include "probe/ompt/search.h"
#include "probe/probes.h"
#include "sync/mutex.h"

namespace teff::probe::ompt {

using detail::Phase;

constinit std::atomic<Phase> detail::phase{Phase::kUnasked};

namespace {

constexpr int kInitialDevice = 0; // as omp_get_initial_device answers

struct Tool {
    sync::Mutex lock;
    ompt_start_tool_result_t* result TEFF_GUARDED_BY(lock) = nullptr;
    std::atomic<void*> starter{nullptr}; // the thread that starts the tool
};

constinit Tool tool;
void (*prepare_first_use)() = nullptr; // set by the constructor

void enter(Phase after) {
    detail::phase.store(after, std::memory_order_release); // [tool-1]
    if (after == Phase::kOver) tell_no_more_of_locks(kOmpt);
}

// The tool's own code may come back to us while it starts, on the thread that holds the lock.
bool starts_here() { return tool.starter.load(std::memory_order_relaxed) == __builtin_thread_pointer(); }

Phase start_locked() TEFF_REQUIRES(tool.lock) {
    tool.result = icv::global().tool ? find_tool() : nullptr;
    if (tool.result == nullptr) return Phase::kOver;
    if (tool.result->initialize(look_up, kInitialDevice, &tool.result->tool_data) != 0) return Phase::kOn;
    tool.result = nullptr;
    clear_callbacks();
    return Phase::kOver;
}

} // namespace

bool detail::start_tool() {
    if (starts_here()) return false;
    const sync::MutexGuard guard(tool.lock);
    if (phase.load(std::memory_order_relaxed) == Phase::kUnasked) {
        tool.starter.store(__builtin_thread_pointer(), std::memory_order_relaxed);
        if (prepare_first_use != nullptr) prepare_first_use();
        phase.store(Phase::kStarting, std::memory_order_release); // [tool-2]
        base::say_held_words();
        const Phase after = start_locked();
        tool.starter.store(nullptr, std::memory_order_relaxed);
        enter(after);
    }
    return phase.load(std::memory_order_relaxed) == Phase::kOn;
}

void begin_first_use_with(void (*prepare)()) { prepare_first_use = prepare; }

void finalize_tool() {
    ompt_start_tool_result_t* ended;
    {
        if (starts_here()) return; // a tool that ends itself in its initialiser says so by its result
        const sync::MutexGuard guard(tool.lock);
        ended = tool.result;
        tool.result = nullptr;
        enter(Phase::kOver);
        clear_callbacks();
    }
    if (ended != nullptr && ended->finalize != nullptr) ended->finalize(&ended->tool_data);
}

void abandon_tool() {
    ::new (&tool) Tool; // whoever held its lock is not in this process
    if (!in_use()) return;
    enter(Phase::kOver);
    clear_callbacks();
}

} // namespace teff::probe::ompt
