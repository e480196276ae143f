// SPDX-License-Identifier: Apache-2.0
//
// Runs the executions of a test one after another. The threads of the test are fibers; the search
// chooses which of them takes the next step.
//
// A thread stops before each operation and asks for the next step (await_turn). The thread that
// asks also chooses the step. If the step is a flush, this thread performs it. If the step is
// another thread's operation, this thread switches to the other thread. There is no scheduler in
// between. The main fiber sets the test up, starts the threads, and gets control back when all
// threads have ended or the execution has failed. A failed execution leaves its fibers where they
// stopped: objects on their stacks are not destroyed.

#pragma once

#include "explore/fiber.h"
#include "explore/memory.h"
#include "explore/options.h"
#include "explore/search.h"
#include "explore/trace.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace teff::explore {

class Execution {
  public:
    Execution(const Options& options, Search& search) : options_(options), search_(search) {}

    // The one that runs on this kernel thread; nullptr outside run().
    static Execution* active() { return active_; }

    void run(const std::function<Program()>& make);

    Outcome outcome() const { return outcome_; }
    const std::string& message() const { return message_; }
    std::string trace() const { return trace_.text(); }
    int preemptions() const { return preemptions_; }
    std::uint64_t steps() const { return steps_; }
    // The bound on preemptions has forbidden a step in some execution so far.
    bool bound_was_met() const { return bound_was_met_; }

    // The operations of the running thread.
    void create(Location& location);
    void destroy(Location& location);
    std::uint64_t load(Location& location, std::memory_order order);
    void store(Location& location, std::uint64_t value, std::memory_order order);
    std::uint64_t begin_update(Location& location);
    void end_update(Location& location, const char* verb, std::uint64_t value, std::memory_order order);
    void end_failed_cas(Location& location, std::memory_order order);
    void fence();
    void heavy_fence();
    void relax();
    void wait(Location& word, std::uint64_t expected, bool has_limit);
    void wake(const Location& word, int count);
    void create_plain(PlainAccesses& plain);
    void destroy_plain(PlainAccesses& plain);
    void read_plain(PlainAccesses& plain);
    void write_plain(PlainAccesses& plain);
    void set_name(const Object& object, const char* name) { trace_.set_name(object.number, name); }

    // Ends the execution; does not return when called by a thread.
    void fail(Outcome outcome, const std::string& message);
    // Ends it at the thread's next operation: for destructors, whose memory would leak if they did
    // not return.
    void fail_soon(Outcome outcome, const std::string& message);

  private:
    enum class State : std::uint8_t { absent, ready, spinning, asleep, ended };

    struct Thread {
        std::unique_ptr<Fiber> fiber;
        std::function<void()> body;
        State state = State::absent;
        bool at_relax = false;          // leaving it now is no preemption
        bool has_limit = false;         // asleep with a time limit
        int idle_rounds = 0;            // calls of cpu_relax() since others last changed memory
        std::uint64_t writes_seen = 0;  // writes by others at the last cpu_relax()
        const Location* word = nullptr; // asleep on it
        std::uint64_t asleep_since = 0; // orders the sleepers of a word
    };

    static void thread_entry(void* thread_number);

    Thread& thread(int slot) { return threads_[static_cast<std::size_t>(slot)]; }
    const Thread& thread(int slot) const { return threads_[static_cast<std::size_t>(slot)]; }
    void reset();
    void start_threads(Program& program);
    void join_threads();
    void run_thread(int slot);

    void await_turn();
    void switch_to(int slot);
    int choose_thread();
    Steps possible_steps();
    bool may_run(int slot) const;
    bool is_flush_visible(int slot, const Steps& operations) const;
    void drop_unneeded_operation(Steps& steps) const;
    bool has_only_early_wakes(const Steps& steps) const;
    bool leaving_preempts(int slot) const;
    void begin_step(int slot);
    int resolve_standstill();
    int next_idle_thread() const;
    std::string describe_standstill() const;
    void fail_to_repeat();

    void record(const Event& event);
    void check_birth(const Object& object);
    std::string race_text(const char* what, const Object& object, int other) const;

    static inline constinit thread_local Execution* active_ = nullptr;

    const Options& options_;
    Search& search_;
    Trace trace_;
    Memory memory_{trace_};
    std::array<Thread, max_slots> threads_;
    Fiber main_fiber_;

    int thread_count_ = 0;
    int running_ = main_slot; // whose code runs
    int current_ = main_slot; // the last thread that took a step: leaving it while it may run is a preemption
    int flushed_last_ = -1;   // the last step was a flush of this thread
    bool starting_ = false;
    std::uint64_t steps_ = 0;
    int preemptions_ = 0;
    int early_wakes_ = 0;
    std::uint64_t standstills_ = 0; // since memory last changed
    std::uint64_t standstill_writes_ = 0;
    std::size_t standstill_trace_ = 0; // length of the trace at the first of them
    bool bound_was_met_ = false;
    Outcome outcome_ = Outcome::passed;
    std::string message_;
};

} // namespace teff::explore
