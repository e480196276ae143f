// SPDX-License-Identifier: Apache-2.0
#include "machine/simulation.h"

#include <algorithm>
#include <utility>

namespace teff::machine {

namespace {
constexpr fiber::After kNothingMore = {[](void*) {}, nullptr};
}

Simulation::Simulation(const Description& description, const Topology& topology, std::size_t stack_bytes)
    : description_(description), memory_(description, topology), lines_(description, topology),
      cores_(description.cores()) {
    lacks_stacks_ = !pool_.open({.stack_bytes = stack_bytes, .limit = description.cores()});
}

Simulation::~Simulation() {
    for (const Core& core : cores_)
        if (core.context != nullptr) stacks_.give_back(*core.context);
    stacks_.hand_over_all();
    pool_.close();
}

bool Simulation::run(const std::vector<std::function<void()>>& parts) {
    active_ = this;
    if (begin(parts) && left_ != 0) main_.switch_to(next_in_turn(), kNothingMore);
    active_ = nullptr;
    return left_ == 0 && !lacks_stacks_;
}

// Advances each core to the point before its part. Returns false if there is no memory for the
// stacks.
bool Simulation::begin(const std::vector<std::function<void()>>& parts) {
    const auto last = std::find_if(parts.rbegin(), parts.rend(), [](const auto& part) { return bool(part); });
    turns_ = Turns(static_cast<unsigned>(parts.rend() - last));
    for (unsigned i = 0; i < parts.size() && !lacks_stacks_; ++i) {
        if (!parts[i]) continue;
        Core& core = cores_[i];
        core.part = &parts[i];
        core.context = stacks_.take();
        lacks_stacks_ = core.context == nullptr;
        if (lacks_stacks_) break;
        main_.start(*core.context, &Simulation::start, &core, kNothingMore);
        turns_.set(i, 0);
        ++left_;
    }
    return !lacks_stacks_;
}

void Simulation::start(void* core) {
    Core& self = *static_cast<Core*>(core);
    self.context->switch_to(active_->main_, kNothingMore);
    (*self.part)();
    active_->end_part();
}

void Simulation::end_part() {
    Core& self = cores_[running_];
    self.state = State::ended;
    end_ = std::max(end_, now());
    --left_;
    fiber::PooledContext& context = *std::exchange(self.context, nullptr);
    context.leave_for(next_in_turn(), stacks_.returning(context));
}

// Returns the context of the core whose turn it is, which is the running core from now on. If no
// core has a turn, run() continues.
fiber::Context& Simulation::next_in_turn() {
    const Turns::Turn next = turns_.first();
    if (next.at == Turns::kNever) return main_;
    turns_.set(next.core, Turns::kNever);
    Core& core = cores_[next.core];
    core.now = next.at;
    core.state = State::awake;
    running_ = next.core;
    return *core.context;
}

// The running core stops here, and the core whose turn is next continues.
void Simulation::go_to_next() {
    fiber::Context& self = *cores_[running_].context;
    fiber::Context& next = next_in_turn();
    if (&next != &self) self.switch_to(next, kNothingMore);
}

void Simulation::let_others_go_first() {
    turns_.set(running_, now());
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
    if (limit != 0) turns_.set(running_, now() + limit);
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
        turns_.set(static_cast<unsigned>(first - cores_.data()), now() + description_.sleep);
    }
}

void Simulation::rouse(unsigned core, const void* word) {
    if (cores_[core].state != State::asleep || cores_[core].word != word) return;
    cores_[core].state = State::awake;
    turns_.set(core, std::max(now(), cores_[core].now));
}

} // namespace teff::machine
