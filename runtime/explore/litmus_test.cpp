// SPDX-License-Identifier: Apache-2.0
//
// Random small programs. The explorer must find exactly the results that a direct simulation of
// x86-TSO without reduction gives.

#include "explore/explore.h"

#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>

namespace teff::explore {
namespace {

using enum std::memory_order;

enum class Do { store, load, fence, add };

struct Instruction {
    Do what;
    std::size_t place; // which of two words
    int value;         // stored or added
};

using Threads = std::vector<std::vector<Instruction>>;
using Values = std::vector<int>; // what each load and add read, in program order, then the two words at the end

Threads random_program(unsigned seed) {
    std::minstd_rand random(seed);
    const std::size_t threads = 2 + seed % 2;
    const std::size_t length = threads == 2 ? 4 : 2;
    Threads program(threads);
    int next_value = 1;
    for (auto& thread : program) {
        for (std::size_t i = 0; i < length; ++i) {
            const unsigned roll = random() % 8; // mostly stores and loads
            const Do what = roll < 3 ? Do::store : roll < 6 ? Do::load : roll < 7 ? Do::fence : Do::add;
            thread.push_back({what, random() % 2, next_value++ * 100});
        }
    }
    return program;
}

struct Machine {
    struct Core {
        std::size_t next = 0;
        std::deque<std::pair<std::size_t, int>> buffer;
        Values read;
    };
    std::array<int, 2> memory{};
    std::vector<Core> cores;
};

void flush(Machine& machine, std::size_t core) {
    auto& buffer = machine.cores[core].buffer;
    machine.memory[buffer.front().first] = buffer.front().second;
    buffer.pop_front();
}

int visible(const Machine& machine, const Machine::Core& core, std::size_t place) {
    int value = machine.memory[place];
    for (const auto& [buffered, stored] : core.buffer) {
        if (buffered == place) value = stored;
    }
    return value;
}

// A fence or an update waits until the buffer is empty.
void simulate(const Threads& program, const Machine& machine, std::set<Values>& results) {
    bool over = true;
    for (std::size_t i = 0; i < machine.cores.size(); ++i) {
        const Machine::Core& core = machine.cores[i];
        if (!core.buffer.empty()) {
            over = false;
            Machine next = machine;
            flush(next, i);
            simulate(program, next, results);
        }
        if (core.next == program[i].size()) continue;
        over = false;
        const Instruction& now = program[i][core.next];
        if ((now.what == Do::fence || now.what == Do::add) && !core.buffer.empty()) continue;
        Machine next = machine;
        Machine::Core& self = next.cores[i];
        ++self.next;
        if (now.what == Do::store) self.buffer.emplace_back(now.place, now.value);
        if (now.what == Do::load || now.what == Do::add) self.read.push_back(visible(machine, core, now.place));
        if (now.what == Do::add) next.memory[now.place] += now.value;
        simulate(program, next, results);
    }
    if (!over) return;
    Values values;
    for (const auto& core : machine.cores)
        values.insert(values.end(), core.read.begin(), core.read.end());
    values.insert(values.end(), machine.memory.begin(), machine.memory.end());
    results.insert(values);
}

struct Explored {
    std::array<atomic<int>, 2> words;
    std::vector<Values> read;
};

void interpret(const std::vector<Instruction>& thread, Explored& state, Values& read) {
    for (const Instruction& now : thread) {
        atomic<int>& word = state.words[now.place];
        if (now.what == Do::store) word.store(now.value, relaxed);
        if (now.what == Do::load) read.push_back(word.load(relaxed));
        if (now.what == Do::fence) Atomics::fence_seq_cst();
        if (now.what == Do::add) read.push_back(word.fetch_add(now.value, relaxed));
    }
}

std::set<Values> explore_results(const Threads& program) {
    std::set<Values> results;
    const Result result = run(
        [&] {
            auto state = std::make_shared<Explored>();
            state->read.resize(program.size());
            std::vector<std::function<void()>> bodies;
            for (std::size_t i = 0; i < program.size(); ++i) {
                bodies.emplace_back([&program, state, i] { interpret(program[i], *state, state->read[i]); });
            }
            return Program(bodies, [&results, state] {
                Values values;
                for (const Values& read : state->read)
                    values.insert(values.end(), read.begin(), read.end());
                for (const auto& word : state->words)
                    values.push_back(word.load());
                results.insert(values);
            });
        },
        {.preemptions = unbounded});
    EXPECT_TRUE(result.exhaustive) << result;
    return results;
}

TEST(Litmus, RandomProgramsHaveExactlyTheResultsOfTso) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const Threads program = random_program(seed);
        Machine machine;
        machine.cores.resize(program.size());
        std::set<Values> expected;
        simulate(program, machine, expected);
        EXPECT_EQ(explore_results(program), expected) << "seed " << seed;
    }
}

} // namespace
} // namespace teff::explore
