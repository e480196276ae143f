// SPDX-License-Identifier: Apache-2.0
//
// Regions: parallel regions on a chip without coherent caches, as in sections 3.1 to 3.3 of
// Al-Khalissi et al. Like the barriers, they are a template over the atomics.
//
// Core 0 is the master and runs the program. All other cores are slaves from the program's start to
// its end, and never sleep. The cores share only the following words. Regions are fast because of
// where these words lie:
//
//     dock        of each slave, in its own buffer: how often it was recruited. It polls nothing
//                 else while it waits, so no core's polling delays another core
//     metadata    a line for each thread, in the master's buffer: which function, which frame, the
//                 team's size, and the barrier's round. The master writes it, the thread reads it once
//     joins       a flag of each slave, in the master's buffer, where only the master looks
//     barrier     of the region, one of the family
//
// States of a core; the paper's text names most of the seven:
//
//     initialization -> sequential (master), join_waiting (slave)
//     sequential -> fork_waiting      the master, at a parallel construct: it recruits slaves
//     fork_waiting -> ready           it points them to function and frame
//     ready -> executing              all that were recruited, the master as thread 0
//     executing -> join_waiting       a thread whose part is done
//     join_waiting -> sequential      the master, when all have joined
//     join_waiting -> ready           a slave that was recruited
//     sequential, join_waiting -> termination
//
// A slave joins before the next region begins, so no word has two writers at a time. Functions and
// frames are identified by numbers, because a word has only 32 bits. The numbers suffice, because
// every core has the same program.
//
// [dock-1] The raised dock (release) pairs with its slave's look (acquire): metadata, and what the
//          master did before the region, are seen. The joins follow [flag-1], like the gathering of
//          a barrier.
#pragma once

#include <array>
#include <functional>
#include <span>

#include "barriers/double_flags.h"

namespace teff::machine::scc {

enum class State : std::uint8_t {
    initialization,
    sequential,
    fork_waiting,
    ready,
    executing,
    join_waiting,
    termination,
};
inline constexpr const char* kStateNames[] = {"initialization", "sequential",   "fork waiting", "ready",
                                              "executing",      "join waiting", "termination"};

// Called when a core changes its state.
using OnState = std::function<void(unsigned core, State)>;

template <class Atomics, class Barrier> class Regions {
  public:
    using Line = sync::barriers::Line<Atomics>;
    using Round = sync::barriers::Round;
    static_assert(std::is_same_v<Line, typename Barrier::Line>);

    // A thread of a region. Exists while the core executes its part of the region.
    class Thread {
      public:
        unsigned number() const { return number_; }
        unsigned team() const { return team_; }
        std::uint32_t frame() const { return frame_; }
        // Called by all threads of the team, equally often.
        void barrier() {
            ++round_;
            if (number_ != 0) return barrier_.slave_enter(number_, round_);
            barrier_.wait(round_);
            barrier_.release(round_);
        }

      private:
        friend class Regions;
        Thread(Line* barrier, unsigned number, unsigned team, std::uint32_t frame, Round round)
            : barrier_(barrier, {team, kFanIn}), number_(number), team_(team), frame_(frame), round_(round) {}

        Barrier barrier_;
        unsigned number_, team_;
        std::uint32_t frame_;
        Round round_;
    };
    using Function = std::function<void(Thread&)>;

    // Lines that the caller owns; the number of each depends on the number of cores.
    struct Memory {
        std::span<Line> docks;    // of each core
        std::span<Line> metadata; // of each core
        std::span<Line> joins;
        std::span<Line> barrier;
    };
    static unsigned join_lines(unsigned cores) { return Joins::lines({cores, kFanIn}); }
    static unsigned barrier_lines(unsigned cores) { return Barrier::lines({cores, kFanIn}); }

    Regions(const Memory& memory, unsigned cores, std::span<const Function> functions, OnState on_state)
        : memory_(memory), cores_(cores), functions_(functions), on_state_(std::move(on_state)) {}

    // ---- The master.
    void begin() {
        enter(0, State::initialization);
        enter(0, State::sequential);
    }
    void parallel(std::uint32_t function, std::uint32_t frame, unsigned team) {
        enter(0, State::fork_waiting);
        team = std::min(team, cores_);
        if (team != team_) renew_barrier(team);
        enter(0, State::ready);
        for (unsigned slave = 1; slave < team; ++slave)
            recruit(slave, function, frame);
        Thread thread(memory_.barrier.data(), 0, team, frame, round_);
        enter(0, State::executing);
        functions_[function](thread);
        round_ = thread.round_;
        enter(0, State::join_waiting);
        Joins(memory_.joins.data(), {team, kFanIn}).collect(0, 0);
        enter(0, State::sequential);
    }
    void end() {
        for (unsigned slave = 1; slave < cores_; ++slave)
            recruit(slave, kEnd, 0);
        enter(0, State::termination);
    }

    // ---- A slave. Returns when the program ends.
    void serve(unsigned number) {
        enter(number, State::initialization);
        for (Round recruited = 1;; ++recruited) {
            enter(number, State::join_waiting);
            sync::barriers::await_round<Atomics>(dock(number), recruited); // [dock-1]
            const auto data = [&](Datum which) { return metadata(number, which).load(std::memory_order_relaxed); };
            const std::uint32_t function = data(Datum::function);
            if (function == kEnd) return enter(number, State::termination);
            enter(number, State::ready);
            Thread thread(memory_.barrier.data(), number, data(Datum::team), data(Datum::frame), data(Datum::round));
            enter(number, State::executing);
            functions_[function](thread);
            Joins(memory_.joins.data(), {cores_, kFanIn}).report(number, 0);
        }
    }

  private:
    // These flags are reset after use, because the next region may have another size and not use
    // some of them.
    using Joins = sync::barriers::DoubleFlagsGather<Atomics>;
    using Word = typename Line::Word;
    enum class Datum : std::uint8_t { function, frame, team, round };

    static constexpr std::uint32_t kEnd = ~0u;
    static constexpr unsigned kFanIn = 8;

    Word& dock(unsigned number) { return memory_.docks[number].words[0]; }
    Word& metadata(unsigned number, Datum which) {
        return memory_.metadata[number].words[static_cast<unsigned>(which)];
    }
    void enter(unsigned number, State state) {
        if (on_state_) on_state_(number, state);
    }

    void recruit(unsigned slave, std::uint32_t function, std::uint32_t frame) {
        const auto write = [&](Datum which, std::uint32_t value) {
            metadata(slave, which).store(value, std::memory_order_relaxed);
        };
        write(Datum::function, function);
        write(Datum::frame, frame);
        write(Datum::team, team_);
        write(Datum::round, round_);
        sync::barriers::raise(dock(slave), ++recruited_[slave]); // [dock-1]
    }

    // After a team of another size, alternating flags may have either value, so all of them are
    // cleared. Called while no core is in a region.
    void renew_barrier(unsigned team) {
        for (Line& line : memory_.barrier.first(Barrier::lines({std::max(team, team_), kFanIn})))
            for (Word& word : line.words)
                word.store(0, std::memory_order_relaxed);
        team_ = team;
        round_ = 0;
    }

    static constexpr unsigned kMostCores = 128;

    Memory memory_;
    unsigned cores_;
    std::span<const Function> functions_;
    OnState on_state_;

    // Used only by the master.
    std::array<Round, kMostCores> recruited_ = {};
    unsigned team_ = 0;
    Round round_ = 0; // of the barrier
};

// A lock: a word, and a test-and-set register that is held only while the word is read and set. So
// several locks may share a register.
template <class Atomics> class Lock {
  public:
    using Word = typename Atomics::template atomic<std::uint32_t>;
    using Register = typename Atomics::TestAndSet;

    Lock(Word& word, Register of) : word_(word), register_(of) {}

    [[nodiscard]] bool test() {
        register_.take();
        const bool free = word_.load(std::memory_order_relaxed) == 0; // [lock-1] the register orders it
        if (free) word_.store(1, std::memory_order_relaxed);
        register_.give_back();
        return free;
    }
    void set() {
        while (!test())
            Atomics::cpu_relax();
    }
    // Does not take the register, for which the holder would have to wait behind all polling cores.
    // This is safe, because no other core writes the word while it is 1.
    void unset() { word_.store(0, std::memory_order_release); } // [lock-1] pairs with the look in test()

  private:
    Word& word_;
    Register register_;
};

// A critical construct has a register to itself.
template <class Atomics> class Critical {
  public:
    explicit Critical(typename Atomics::TestAndSet of) : register_(of) {}
    void enter() { register_.take(); }
    void leave() { register_.give_back(); }

  private:
    typename Atomics::TestAndSet register_;
};

} // namespace teff::machine::scc
