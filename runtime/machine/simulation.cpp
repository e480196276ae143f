// SPDX-License-Identifier: Apache-2.0
#include "machine/simulation.h"

#include <algorithm>

namespace teff::machine {

Simulation::Simulation(const Description& description, const Topology& topology, std::size_t stack_bytes)
    : description_(description), memory_(description, topology), lines_(description, topology),
      stack_bytes_(stack_bytes), cores_(description.cores()) {}

bool Simulation::run(const std::vector<std::function<void()>>& parts) {
    active_ = this;
    for (unsigned i = 0; i < parts.size(); ++i) {
        if (!parts[i]) continue;
        cores_[i].part = &parts[i];
        cores_[i].fiber = std::make_unique<explore::Fiber>(&Simulation::start, &cores_[i], stack_bytes_);
        if (!cores_[i].fiber->has_stack()) {
            lacks_stacks_ = true;
            active_ = nullptr;
            return false;
        }
        queue_turn(i, 0);
        ++left_;
    }
    if (left_ != 0) {
        running_ = turns_.top().core;
        turns_.pop();
        main_.switch_to(*cores_[running_].fiber);
    }
    active_ = nullptr;
    return left_ == 0;
}

void Simulation::start(void* core) {
    (*static_cast<Core*>(core)->part)();
    active_->end_part();
}

void Simulation::end_part() {
    cores_[running_].state = State::ended;
    end_ = std::max(end_, now());
    --left_;
    go_to_next();
}

void Simulation::queue_turn(unsigned core, Time at) { turns_.push({at, core, ++cores_[core].turn}); }

// False: nobody has a turn.
bool Simulation::drop_old_turns() {
    while (!turns_.empty() && turns_.top().number != cores_[turns_.top().core].turn)
        turns_.pop();
    return !turns_.empty();
}

// The running core stops here; whoever is next goes on.
void Simulation::go_to_next() {
    explore::Fiber& self = *cores_[running_].fiber;
    if (!drop_old_turns()) return self.switch_to(main_);
    const Turn next = turns_.top();
    turns_.pop();
    Core& core = cores_[next.core];
    core.now = next.at;
    core.state = State::awake;
    if (next.core == running_) return;
    running_ = next.core;
    self.switch_to(*core.fiber);
}

void Simulation::await_turn() {
    if (!drop_old_turns() || turns_.top() > Turn{now(), running_, 0}) return;
    queue_turn(running_, now());
    go_to_next();
}

void Simulation::touch(const void* word, Touch kind) {
    await_turn();
    cores_[running_].now = lines_.touch(running_, word, kind, now());
}

void Simulation::fetch(const Chunk& chunk, Access access) {
    await_turn();
    cores_[running_].now = memory_.fetch(node(), chunk, access, now());
}

void Simulation::sleep(const void* word, Time limit) {
    Core& self = cores_[running_];
    self.state = State::asleep;
    self.word = word;
    self.asleep_since = ++falls_asleep_;
    if (limit != 0) queue_turn(running_, now() + limit);
    go_to_next();
}

void Simulation::wake(const void* word, int count) {
    await_turn();
    pass(description_.wake);
    for (; count > 0; --count) {
        Core* first = nullptr;
        for (Core& each : cores_)
            if (each.state == State::asleep && each.word == word &&
                (first == nullptr || each.asleep_since < first->asleep_since))
                first = &each;
        if (first == nullptr) return;
        first->state = State::awake;
        queue_turn(static_cast<unsigned>(first - cores_.data()), now() + description_.sleep);
    }
}

void Simulation::rouse(unsigned core, const void* word) {
    if (cores_[core].state != State::asleep || cores_[core].word != word) return;
    cores_[core].state = State::awake;
    queue_turn(core, std::max(now(), cores_[core].now));
}

} // namespace teff::machine
