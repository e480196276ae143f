// SPDX-License-Identifier: Apache-2.0
//
// Simulation: the cores of a modelled machine in virtual time, each a fiber.
//
// What a core does to shared state it does in its turn: when no other core that is awake has an
// earlier time; of equals, the one of the lower number comes first. So queues are first come, first
// served, and a run is the same each time. A core that works alone only adds to its time.
//
// A sleeping core has no turn until another wakes it, or its time is over. All cores are one kernel
// thread; one simulation runs at a time. What a simulation that has failed leaves on its fibers'
// stacks is not destroyed.
#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "explore/fiber.h"
#include "machine/lines.h"
#include "machine/memory.h"

namespace teff::machine {

class Simulation {
  public:
    // Each core has a stack of so many bytes; 0: a small one.
    Simulation(const Description& description, const Topology& topology, std::size_t stack_bytes = 0);

    // The one that runs; null outside of run().
    static Simulation* active() { return active_; }

    // Each core does its part, from time 0 on. False: the cores that have not ended sleep, and
    // nobody is left to wake them; or there was no memory for their stacks, and nothing has run.
    [[nodiscard]] bool run(const std::vector<std::function<void()>>& parts);

    bool lacks_stacks() const { return lacks_stacks_; }

    const Description& description() const { return description_; }
    Memory& memory() { return memory_; }
    Lines& lines() { return lines_; }
    // When the last core has ended.
    Time end() const { return end_; }

    // ---- The running core.
    unsigned core() const { return running_; }
    unsigned node() const { return running_ / description_.cores_per_node; }
    Time now() const { return cores_[running_].now; }
    void pass(Time time) { cores_[running_].now += time; }
    // Returns in its turn.
    void await_turn();
    void touch(const void* word, Touch kind);
    void fetch(const Chunk& chunk, Access access);
    // Sleeps on the word until it is woken; with a limit, for so long at most.
    void sleep(const void* word, Time limit = 0);
    // Wakes so many of those that sleep on the word, in the order in which they fell asleep.
    void wake(const void* word, int count);
    // The same for one core, at once and for nothing: it has only stood back from looking.
    void rouse(unsigned core, const void* word);

  private:
    enum class State : std::uint8_t { awake, asleep, ended };

    struct Core {
        std::unique_ptr<explore::Fiber> fiber;
        const std::function<void()>* part = nullptr;
        State state = State::awake;
        Time now = 0;
        const void* word = nullptr; // asleep on it
        std::uint64_t asleep_since = 0;
        std::uint64_t turn = 0; // of its turns that are queued, the one of this number counts
    };
    struct Turn {
        Time at;
        unsigned core;
        std::uint64_t number;
        bool operator>(const Turn& other) const { return at != other.at ? at > other.at : core > other.core; }
    };

    static void start(void* core);
    void queue_turn(unsigned core, Time at);
    bool drop_old_turns();
    void go_to_next();
    void end_part();

    static inline constinit Simulation* active_ = nullptr;

    const Description& description_;
    Memory memory_;
    Lines lines_;
    const std::size_t stack_bytes_;
    std::vector<Core> cores_;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
    explore::Fiber main_;
    unsigned running_ = 0;
    unsigned left_ = 0; // cores that have not ended
    std::uint64_t falls_asleep_ = 0;
    Time end_ = 0;
    bool lacks_stacks_ = false;
};

} // namespace teff::machine
