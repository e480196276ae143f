// SPDX-License-Identifier: Apache-2.0
//
// For tests only: a process with preemption on, in which only a library is preemptible. The test
// program itself is never preemptible, because the runtime is linked into it.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <thread>

#include "fiber/test_stack.h"
#include "icv/icv.h"
#include "preempt/hold.h"
#include "preempt/preempt.h"
#include "preempt/preempted_library.h"

namespace teff::preempt {

// Returns the path of a test library, which lies beside the test program.
inline std::string test_object(const char* kind) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    return program.substr(0, program.rfind('/')) + "/test_objects/libpreempted_" + kind + ".so";
}

inline void* load(const char* kind) {
    void* const handle = dlopen(test_object(kind).c_str(), RTLD_NOW);
    if (handle == nullptr) std::abort();
    return handle;
}

inline const Preempted& functions_of(void* handle) {
    return *reinterpret_cast<PreemptedFunction>(dlsym(handle, "preempted"))();
}

// What the hooks do: set by one test at a time, used on one thread.
struct Play {
    std::function<bool(std::uint32_t priority)> may_switch = [](std::uint32_t) { return true; };
    std::function<void()> switch_away = [] {};
    volatile int impatient = 0; // how often cannot_soon was called
    volatile int watched = 0;   // how often watched was called
    std::uint32_t dropped = 0;  // the priority in the last call of the hook `dropped`
    Stack stack{};
};
inline Play play;

// The task that runs in place of a preempted task, on a stack of its own. It computes until it is
// told to stop, and then goes back to `own`.
struct OtherTask {
    fiber::Context own;
    fiber::TestStack stack;
    const Preempted* program = nullptr;
    volatile int stop = 0;
    volatile std::uint64_t count = 0;

    static void run(void* argument) {
        auto& self = *static_cast<OtherTask*>(argument);
        self.program->spin(&self.stop, &self.count);
        self.stack.context.leave_for(self.own, fiber::do_nothing());
    }
};

inline Stack own_stack() {
    pthread_attr_t attributes;
    void* low;
    std::size_t bytes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    return {low, static_cast<char*>(low) + bytes};
}

inline bool start_preemption() {
    const char* const environment[] = {"TEFF_PREEMPT=on", "OMP_MAX_TASK_PRIORITY=9",
                                       "TEFF_PREEMPT_OBJECTS=libpreempted_lazy.so,libpreempted_now.so,"
                                       "libpreempted_no_plt.so",
                                       nullptr};
    icv::initialise(environment, 2);
    for (const char* kind : {"lazy", "now", "no_plt"})
        load(kind);
    prepare();
    set_hooks({.stack = [](Target&) { return play.stack; },
               .may_switch = [](Target&, std::uint32_t priority) { return play.may_switch(priority); },
               .switch_away = [](Target&) { play.switch_away(); },
               .cannot_soon = [](Target&) { play.impatient = play.impatient + 1; },
               .watched = [](Target&) { play.watched = play.watched + 1; },
               .dropped = [](Target&, std::uint32_t priority) { play.dropped = priority; }});
    return is_on();
}

class PreemptedProgram : public testing::Test {
  protected:
    void SetUp() override {
        static const bool started = start_preemption();
        if (!started) GTEST_SKIP() << "there is no preemption under this tool";
        play = {};
        play.stack = own_stack();
        register_thread(target);
    }
    void TearDown() override {
        unregister_thread(target);
        play = {};
    }

    static std::uint32_t held() { return detail::own.held.load(std::memory_order_relaxed); }
    std::uint64_t served() const { return target.served.load(std::memory_order_relaxed); }
    std::uint64_t refused(Refusal why) const {
        return target.refused[static_cast<int>(why)].load(std::memory_order_relaxed);
    }

    const Preempted& program = functions_of(load("now"));
    Target target;
};

// Asks the target again and again, from a thread of its own.
class Asker {
  public:
    explicit Asker(Target& target)
        : thread_([this, &target] {
              while (!stop_.load(std::memory_order_relaxed))
                  (void)request(target, 1);
          }) {}
    ~Asker() {
        stop_.store(true, std::memory_order_relaxed);
        thread_.join();
    }

  private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

} // namespace teff::preempt
