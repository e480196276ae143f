// SPDX-License-Identifier: Apache-2.0

#include "explore/execution.h"

#include <cstdio>
#include <cstdlib>

namespace teff::explore {

namespace {

// How many times in a row all threads may call cpu_relax() without a change of memory; a bounded
// spin loop has ended by then.
constexpr std::uint64_t max_standstills = 200;

} // namespace

void Execution::run(const std::function<Program()>& make) {
    active_ = this;
    reset();
    {
        Program program = make();
        start_threads(program);
        if (outcome_ == Outcome::passed) switch_to(choose_thread());
        if (!search_.has_repeated()) fail_to_repeat();
        if (outcome_ == Outcome::passed) {
            join_threads();
            if (program.at_end) program.at_end();
        }
        for (Thread& each : threads_)
            each.body = nullptr;
    }
    active_ = nullptr;
}

void Execution::reset() {
    search_.start_execution();
    trace_.clear();
    memory_.reset();
    running_ = current_ = main_slot;
    flushed_last_ = -1;
    steps_ = 0;
    preemptions_ = early_wakes_ = 0;
    standstills_ = standstill_writes_ = 0;
    standstill_trace_ = 0;
}

// Lets each thread run up to its first operation, so that starting is no step.
void Execution::start_threads(Program& program) {
    thread_count_ = static_cast<int>(program.threads.size());
    if (thread_count_ >= max_slots) {
        std::fprintf(stderr, "teff explore: a test has %d threads; at most %d are supported\n", thread_count_,
                     max_slots - 1);
        std::abort();
    }
    starting_ = true;
    for (int slot = 1; slot <= thread_count_; ++slot) {
        Thread& starter = thread(slot);
        if (!starter.fiber) {
            starter.fiber =
                std::make_unique<Fiber>(&thread_entry, reinterpret_cast<void*>(static_cast<std::intptr_t>(slot)));
            if (!starter.fiber->has_stack()) {
                std::perror("teff explore: cannot map the stack of a fiber");
                std::abort();
            }
        }
        starter.body = std::move(program.threads[static_cast<std::size_t>(slot) - 1]);
        starter.state = State::ready;
        starter.at_relax = false;
        starter.idle_rounds = 0;
        starter.writes_seen = 0;
        memory_.start_thread(slot);
        switch_to(slot);
        if (outcome_ != Outcome::passed) return;
    }
    starting_ = false;
}

void Execution::join_threads() {
    for (int slot = 1; slot <= thread_count_; ++slot)
        memory_.join_thread(slot);
}

void Execution::thread_entry(void* thread_number) {
    const auto slot = static_cast<int>(reinterpret_cast<std::intptr_t>(thread_number));
    for (;;) {
        active_->run_thread(slot); // once in each execution
    }
}

void Execution::run_thread(int slot) {
    thread(slot).body();
    thread(slot).state = State::ended;
    switch_to(starting_ ? main_slot : choose_thread());
}

void Execution::await_turn() {
    if (running_ == main_slot) return;
    const int self = running_;
    if (starting_) {
        switch_to(main_slot);
    } else {
        const int next = choose_thread();
        if (next != self) switch_to(next);
    }
}

void Execution::switch_to(int slot) {
    Fiber& from = running_ == main_slot ? main_fiber_ : *thread(running_).fiber;
    running_ = slot;
    if (slot == main_slot) {
        from.switch_to(main_fiber_);
    } else {
        from.switch_to(*thread(slot).fiber);
    }
}

// Performs the flushes that the search chooses, up to the next operation of a thread. main_slot:
// the execution is over.
int Execution::choose_thread() {
    while (outcome_ == Outcome::passed) {
        const Steps steps = possible_steps();
        if (steps.size() == 0) return resolve_standstill();
        const std::size_t choice = search_.choose(steps);
        if (choice == Search::no_choice) {
            fail_to_repeat();
            break;
        }
        if (++steps_ > options_.max_steps) {
            fail(Outcome::too_long, "the execution has more than " + std::to_string(options_.max_steps) +
                                        " steps; does a loop lack cpu_relax()?");
            break;
        }
        const Step step = steps[choice];
        if (!step.is_flush) {
            begin_step(step.thread);
            return step.thread;
        }
        memory_.flush_oldest(step.thread);
        flushed_last_ = step.thread;
    }
    return main_slot;
}

Steps Execution::possible_steps() {
    Steps steps;
    const bool leaving_is_free = !leaving_preempts(current_);
    if (current_ != main_slot && may_run(current_)) steps.add({current_, false});
    for (int slot = 1; slot <= thread_count_; ++slot) {
        if (slot == current_ || !may_run(slot)) continue;
        if (leaving_is_free || search_.replays() || preemptions_ < options_.preemptions) {
            steps.add({slot, false});
        } else {
            bound_was_met_ = true;
        }
    }
    const Steps operations = steps;
    for (int slot = 1; slot <= thread_count_; ++slot) {
        if (memory_.has_buffered(slot) && is_flush_visible(slot, operations)) steps.add({slot, true});
    }
    drop_unneeded_operation(steps);
    return has_only_early_wakes(steps) ? Steps() : steps;
}

// A program must not rely on early wakes, so they must not hide a state in which all threads sleep.
bool Execution::has_only_early_wakes(const Steps& steps) const {
    for (const Step& step : steps) {
        if (step.is_flush || thread(step.thread).state != State::asleep) return false;
    }
    return true;
}

bool Execution::leaving_preempts(int slot) const {
    if (slot == main_slot || !may_run(slot)) return false;
    return thread(slot).state != State::asleep && !thread(slot).at_relax;
}

bool Execution::may_run(int slot) const {
    const Thread& candidate = thread(slot);
    switch (candidate.state) {
    case State::ready:
        return true;
    case State::spinning:
        return memory_.writes_by_others(slot) != candidate.writes_seen;
    case State::asleep:
        return early_wakes_ < options_.early_wakes;
    case State::absent:
    case State::ended:
        break;
    }
    return false;
}

// A flush directly before an operation of the same thread has the same effect as one directly after
// it. So a flush is left out if only that operation could follow it.
bool Execution::is_flush_visible(int slot, const Steps& operations) const {
    bool own_operation = false;
    for (const Step& operation : operations) {
        if (operation.thread != slot) return true;
        own_operation = true;
    }
    for (int other = 1; other <= thread_count_; ++other) {
        if (other != slot && memory_.has_buffered(other)) return true;
    }
    return !own_operation;
}

void Execution::drop_unneeded_operation(Steps& steps) const {
    if (flushed_last_ < 0 || steps.size() < 2) return;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].thread == flushed_last_ && !steps[i].is_flush) {
            Steps others = steps;
            others.remove(i);
            if (!has_only_early_wakes(others)) steps = others; // else its own operation is all that can go on
            return;
        }
    }
}

void Execution::begin_step(int slot) {
    if (slot != current_ && leaving_preempts(current_)) ++preemptions_;
    Thread& runner = thread(slot);
    if (runner.state == State::asleep) ++early_wakes_;
    if (runner.state == State::spinning) runner.writes_seen = memory_.writes_by_others(slot);
    runner.state = State::ready;
    runner.at_relax = false;
    current_ = slot;
    flushed_last_ = -1;
}

// No thread can take a step by itself: all have ended, spin or sleep. Then a thread that spins, or
// that sleeps with a time limit, goes on. This is no choice of the search, because the order of
// threads that only read makes no difference.
int Execution::resolve_standstill() {
    const int idle = next_idle_thread();
    if (memory_.writes() != standstill_writes_ || standstills_ == 0) {
        standstill_writes_ = memory_.writes();
        standstills_ = 0;
        standstill_trace_ = trace_.size();
    }
    if (idle != main_slot && ++standstills_ <= max_standstills) {
        Steps only;
        only.add({idle, false});
        if (search_.choose(only) == Search::no_choice) {
            fail_to_repeat();
            return main_slot;
        }
        thread(idle).state = State::ready;
        begin_step(idle);
        return idle;
    }
    const std::string standstill = describe_standstill();
    if (idle != main_slot) {
        trace_.truncate(standstill_trace_);
        fail(Outcome::livelock, "nobody changes memory any more:" + standstill);
    } else if (!standstill.empty()) {
        fail(Outcome::deadlock, "all threads sleep:" + standstill);
    }
    return main_slot;
}

void Execution::fail_to_repeat() {
    fail(Outcome::not_repeatable,
         search_.replays() ? "the schedule to replay is not one of this test"
                           : "the same choices led to other steps than before: the test must depend on nothing else");
}

// The next such thread after the one that ran last, or main_slot if there is none.
int Execution::next_idle_thread() const {
    for (int i = 1; i <= thread_count_; ++i) {
        const int slot = (current_ + i - 1) % thread_count_ + 1;
        const Thread& candidate = thread(slot);
        const bool may_time_out = candidate.state == State::asleep && candidate.has_limit;
        if (candidate.state == State::spinning || may_time_out) return slot;
    }
    return main_slot;
}

std::string Execution::describe_standstill() const {
    std::string text;
    for (int slot = 1; slot <= thread_count_; ++slot) {
        const Thread& each = thread(slot);
        if (each.state == State::ended) continue;
        text += " " + thread_name(slot);
        text += each.state == State::asleep ? " sleeps on " + trace_.object_name(trace_.find_object(each.word)) + ";"
                                            : " spins;";
    }
    return text;
}

void Execution::fail_soon(Outcome outcome, const std::string& message) {
    if (outcome_ != Outcome::passed) return; // the first failure counts
    outcome_ = outcome;
    message_ = message;
}

void Execution::fail(Outcome outcome, const std::string& message) {
    fail_soon(outcome, message);
    if (running_ != main_slot) switch_to(main_slot); // never to come back
}

} // namespace teff::explore
