// SPDX-License-Identifier: Apache-2.0
//
// The search: depth first over the choices of which step comes next. A step is the next operation
// of a thread or the flush of the oldest entry of its store buffer. A schedule is written with one
// character for each step: '1' is an operation of thread 1, 'a' is a flush of thread 1, '2' and 'b'
// are the same for thread 2, and so on.

#pragma once

#include "explore/clock.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace teff::explore {

struct Step {
    int thread = 0;
    bool is_flush = false;

    char letter() const { return static_cast<char>((is_flush ? 'a' - 1 : '0') + thread); }
};

// The steps that are possible at one point, in the order in which the search tries them.
class Steps {
  public:
    void add(Step step) { steps_[size_++] = step; }
    void remove(std::size_t index);
    std::size_t size() const { return size_; }
    const Step& operator[](std::size_t index) const { return steps_[index]; }
    const Step* begin() const { return steps_.data(); }
    const Step* end() const { return steps_.data() + size_; }

  private:
    std::array<Step, 2 * max_slots> steps_;
    std::size_t size_ = 0;
};

class Search {
  public:
    static constexpr std::size_t no_choice = SIZE_MAX;

    // Searches all schedules.
    Search() = default;
    // Follows one schedule; after its end takes the first step each time.
    explicit Search(std::string replay) : replay_(std::move(replay)), replays_(true) {}

    void start_execution();
    // The index of the step to take, or no_choice if these steps do not match what was recorded.
    std::size_t choose(const Steps& steps);
    // Turns to the next schedule; false if there is none.
    bool advance();

    // Whether the execution that has just ended passed all the choices that it had to repeat.
    bool has_repeated() const { return depth_ == choices_.size(); }
    bool replays() const { return replays_; }
    // The steps taken so far in this execution.
    const std::string& schedule() const { return schedule_; }

  private:
    struct Choice {
        std::uint8_t taken;
        std::uint8_t count;
    };

    std::size_t choose_replayed(const Steps& steps) const;
    std::size_t choose_searched(const Steps& steps);

    std::vector<Choice> choices_; // only of points with more than one possible step
    std::size_t depth_ = 0;
    std::string schedule_;
    std::string replay_;
    bool replays_ = false;
};

} // namespace teff::explore
