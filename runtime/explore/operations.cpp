// SPDX-License-Identifier: Apache-2.0
//
// The operations of the explored threads. Each operation waits for its turn, acts on the modelled
// memory, and is recorded in the trace.

#include "explore/execution.h"

namespace teff::explore {

void Execution::create(Location& location) { memory_.create(running_, location, &location, "atomic"); }

void Execution::destroy(Location& location) {
    memory_.forget(location);
    if (outcome_ != Outcome::passed) return; // the threads stopped in the middle, nothing is ordered with them
    const int other = memory_.unordered_end(running_, location);
    if (other >= 0) {
        fail_soon(Outcome::lifetime_error, thread_name(running_) + " destroys " + trace_.object_name(location.number) +
                                               " while " + thread_name(other) + " may still use it");
    }
}

std::uint64_t Execution::load(Location& location, std::memory_order order) {
    await_turn();
    check_birth(location);
    const std::uint64_t value = memory_.load(running_, location, order);
    record({.kind = EventKind::load, .order = order, .object = location.number, .before = value});
    return value;
}

void Execution::store(Location& location, std::uint64_t value, std::memory_order order) {
    await_turn();
    check_birth(location);
    memory_.store(running_, location, value, order);
    const EventKind kind = memory_.has_buffered(running_) ? EventKind::buffer_store : EventKind::store;
    record({.kind = kind, .order = order, .object = location.number, .after = value});
}

std::uint64_t Execution::begin_update(Location& location) {
    await_turn();
    check_birth(location);
    return memory_.begin_update(running_, location);
}

void Execution::end_update(Location& location, const char* verb, std::uint64_t value, std::memory_order order) {
    record({.kind = EventKind::update,
            .order = order,
            .object = location.number,
            .verb = verb,
            .before = location.value,
            .after = value});
    memory_.acquire(running_, location, order);
    memory_.update(running_, location, value, order);
}

void Execution::end_failed_cas(Location& location, std::memory_order order) {
    memory_.acquire(running_, location, order);
    record({.kind = EventKind::failed_cas, .order = order, .object = location.number, .before = location.value});
}

void Execution::fence() {
    await_turn();
    memory_.fence(running_);
    record({.kind = EventKind::fence, .verb = "fence(seq_cst)"});
}

// As if each thread had a full fence at this point of its program.
void Execution::heavy_fence() {
    await_turn();
    for (int slot = 1; slot <= thread_count_; ++slot)
        memory_.fence(slot);
    record({.kind = EventKind::fence, .verb = "heavy_fence()"});
}

// If other threads have changed memory since the last call, the thread goes on at once; else it
// stands back until they do.
void Execution::relax() {
    await_turn();
    record({.kind = EventKind::relax});
    if (running_ == main_slot) return;
    Thread& self = thread(running_);
    const std::uint64_t writes = memory_.writes_by_others(running_);
    self.idle_rounds = writes == self.writes_seen ? self.idle_rounds + 1 : 0;
    self.writes_seen = writes;
    self.at_relax = true;
    if (self.idle_rounds > options_.idle_rounds) self.state = State::spinning;
}

void Execution::wait(Location& word, std::uint64_t expected, bool has_limit) {
    const std::uint64_t seen = begin_update(word); // the kernel's lock on the word is a full fence
    const bool sleeps = seen == expected;
    record({.kind = sleeps ? EventKind::sleep : EventKind::no_sleep,
            .object = word.number,
            .before = seen,
            .after = expected});
    if (!sleeps) return;
    if (running_ == main_slot) {
        fail(Outcome::deadlock, "the set-up or the check at the end sleeps on " + trace_.object_name(word.number));
        return;
    }
    Thread& self = thread(running_);
    self.state = State::asleep;
    self.has_limit = has_limit;
    self.word = &word;
    self.asleep_since = steps_;
    await_turn(); // waking up is a step
}

// Wakes in the order in which the threads fell asleep, as Linux does. The word may be destroyed
// already: only its address counts.
void Execution::wake(const Location& word, int count) {
    await_turn();
    memory_.drain(running_);
    int woken = 0;
    for (; woken < count; ++woken) {
        Thread* first = nullptr;
        for (Thread& each : threads_) {
            const bool sleeps = each.state == State::asleep && each.word == &word;
            if (sleeps && (first == nullptr || each.asleep_since < first->asleep_since)) first = &each;
        }
        if (first == nullptr) break;
        first->state = State::ready;
    }
    record({.kind = EventKind::wake, .object = trace_.find_object(&word), .after = static_cast<std::uint64_t>(woken)});
}

void Execution::create_plain(PlainAccesses& plain) {
    memory_.create(running_, plain, &plain, "var");
    memory_.unordered_write(running_, plain);
}

void Execution::destroy_plain(PlainAccesses& plain) {
    if (outcome_ != Outcome::passed) return;
    const int other = memory_.unordered_write(running_, plain);
    if (other >= 0) fail_soon(Outcome::data_race, race_text("destroys", plain, other));
}

void Execution::read_plain(PlainAccesses& plain) {
    record({.kind = EventKind::read_var, .object = plain.number});
    const int other = memory_.unordered_read(running_, plain);
    if (other >= 0) fail(Outcome::data_race, race_text("reads", plain, other));
}

void Execution::write_plain(PlainAccesses& plain) {
    record({.kind = EventKind::write_var, .object = plain.number});
    const int other = memory_.unordered_write(running_, plain);
    if (other >= 0) fail(Outcome::data_race, race_text("writes", plain, other));
}

void Execution::record(const Event& event) {
    Event stamped = event;
    stamped.thread = static_cast<std::uint8_t>(running_);
    trace_.add(stamped);
}

void Execution::check_birth(const Object& object) {
    const int creator = memory_.unordered_birth(running_, object);
    if (creator < 0) return;
    fail(Outcome::lifetime_error, thread_name(running_) + " uses " + trace_.object_name(object.number) +
                                      ", but nothing orders that after its construction by " + thread_name(creator));
}

std::string Execution::race_text(const char* what, const Object& object, int other) const {
    return thread_name(running_) + " " + what + " " + trace_.object_name(object.number) +
           ", not ordered with an access by " + thread_name(other);
}

} // namespace teff::explore
