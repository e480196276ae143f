// SPDX-License-Identifier: Apache-2.0
//
// Simulation: the cores of a modelled machine in virtual time, each a context of the runtime's own
// (fiber/context.h).
//
// A core accesses shared state only in its turn: when no other core that is awake has an earlier
// time. Of cores with equal times, the core with the lower number comes first. So queues are first
// come, first served, and every run is the same. A core that does not access shared state only adds
// to its time.
//
// A sleeping core has no turn until another core wakes it, or its sleep times out. All cores run on
// one kernel thread, and one simulation runs at a time. Objects that a failed simulation leaves on
// its cores' stacks are not destroyed.
#pragma once

#include <functional>
#include <vector>

#include "fiber/stack_pool.h"
#include "machine/lines.h"
#include "machine/memory.h"
#include "machine/turns.h"

namespace teff::machine {

class Simulation {
  public:
    static constexpr std::size_t kSmallStack = 256 << 10; // has room for a failing assertion of a test

    // Each core has a stack of `stack_bytes` bytes.
    Simulation(const Description& description, const Topology& topology, std::size_t stack_bytes = kSmallStack);
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    // The simulation that runs; null outside of run().
    static Simulation* active() { return active_; }

    // Each core executes its part, from time 0 on. Returns false if the cores that have not ended
    // sleep and no core can wake them, or if there was no memory for the stacks and nothing has
    // run.
    [[nodiscard]] bool run(const std::vector<std::function<void()>>& parts);

    bool lacks_stacks() const { return lacks_stacks_; }

    const Description& description() const { return description_; }
    Memory& memory() { return memory_; }
    Lines& lines() { return lines_; }
    // Returns the time at which the last core has ended.
    Time end() const { return end_; }

    // ---- The running core.
    unsigned core() const { return running_; }
    unsigned node() const { return running_ / description_.cores_per_node; }
    Time now() const { return cores_[running_].now; }
    void pass(Time time) { cores_[running_].now += time; }
    // Sets the time of the running core. The time may also be earlier: after an activity that runs
    // in parallel to the core and was simulated to its end.
    void go_to(Time time) { cores_[running_].now = time; }
    // Returns when it is this core's turn.
    void await_turn() {
        if (turns_.first().before({now(), running_})) let_others_go_first();
    }
    void touch(const void* word, Touch kind);
    void fetch(const Chunk& chunk, Access access);
    // Sleeps on the word until it is woken or, if `limit` is not 0, for at most this time.
    void sleep(const void* word, Time limit = 0);
    // Wakes at most `count` of the sleepers on the word, in the order in which they fell asleep.
    void wake(const void* word, int count);
    // Wakes one core immediately and without cost: the core did not really sleep, but only skipped
    // polling.
    void rouse(unsigned core, const void* word);

  private:
    enum class State : std::uint8_t { awake, asleep, ended };

    struct Core {
        fiber::PooledContext* context = nullptr;
        const std::function<void()>* part = nullptr;
        State state = State::awake;
        Time now = 0;
        const void* word = nullptr; // asleep on it
        std::uint64_t asleep_since = 0;
    };

    bool begin(const std::vector<std::function<void()>>& parts);
    static void start(void* core);
    fiber::Context& next_in_turn();
    void go_to_next();
    void let_others_go_first();
    [[noreturn]] void end_part();

    static inline constinit Simulation* active_ = nullptr;

    const Description& description_;
    Memory memory_;
    Lines lines_;
    std::vector<Core> cores_;
    Turns turns_{0}; // of all that have a part, but the running one
    fiber::StackPool pool_;
    fiber::StackCache stacks_{pool_};
    fiber::Context main_;
    unsigned running_ = 0;
    unsigned left_ = 0; // cores that have not ended
    std::uint64_t falls_asleep_ = 0;
    Time end_ = 0;
    bool lacks_stacks_ = false;
};

} // namespace teff::machine
