// SPDX-License-Identifier: Apache-2.0

#include "explore/search.h"

namespace teff::explore {

void Steps::remove(std::size_t index) {
    for (std::size_t i = index + 1; i < size_; ++i) {
        steps_[i - 1] = steps_[i];
    }
    --size_;
}

void Search::start_execution() {
    depth_ = 0;
    schedule_.clear();
}

std::size_t Search::choose(const Steps& steps) {
    const std::size_t index = replays_ ? choose_replayed(steps) : choose_searched(steps);
    if (index != no_choice) {
        schedule_.push_back(steps[index].letter());
    }
    return index;
}

std::size_t Search::choose_replayed(const Steps& steps) const {
    if (schedule_.size() >= replay_.size()) {
        return 0;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].letter() == replay_[schedule_.size()]) {
            return i;
        }
    }
    return no_choice;
}

std::size_t Search::choose_searched(const Steps& steps) {
    if (steps.size() == 1) {
        return 0;
    }
    if (depth_ == choices_.size()) {
        choices_.push_back({0, static_cast<std::uint8_t>(steps.size())});
    }
    const Choice& choice = choices_[depth_++];
    return choice.count == steps.size() ? choice.taken : no_choice;
}

bool Search::advance() {
    while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().count) {
        choices_.pop_back();
    }
    if (choices_.empty()) {
        return false;
    }
    ++choices_.back().taken;
    return true;
}

} // namespace teff::explore
