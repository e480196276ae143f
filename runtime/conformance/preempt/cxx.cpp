// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=stress:50us
//
// Tasks that are preempted at random moments throw and catch exceptions, allocate memory,
// initialise static variables, use std::call_once, wait on condition variables, print, and use
// errno. Each task behaves as if it were alone.
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "check.h"

namespace {

constexpr int kTasks = 400;

std::once_flag once;
int initialised = 0, called = 0;
std::mutex mutex;
std::map<int, std::string> answers;

void compute(int turns) {
    for (volatile int i = 0; i < turns; ++i) {
    }
}

int make_static() {
    compute(30'000);
    return ++initialised;
}

int get_static() {
    static const int value = make_static();
    return value;
}

void throw_and_catch(int number) {
    try {
        try {
            compute(5'000);
            throw std::runtime_error(std::to_string(number));
        } catch (const std::runtime_error& error) {
            compute(5'000);
            CHECK(error.what() == std::to_string(number));
            throw;
        }
    } catch (const std::exception& error) {
        compute(5'000);
        CHECK(error.what() == std::to_string(number));
        CHECK(std::uncaught_exceptions() == 0);
    }
}

void do_everything(int number, std::FILE* out) {
    errno = number;
    compute(20'000);
    CHECK_EQ(errno, number);
    throw_and_catch(number);
    CHECK_EQ(get_static(), 1);
    std::call_once(once, [] {
        compute(30'000);
        ++called;
    });
    CHECK_EQ(called, 1);
    std::fprintf(out, "%d\n", number);
    std::string text(static_cast<std::size_t>(number), 'x');
    compute(5'000);
    const std::lock_guard guard(mutex);
    answers[number] = text;
    compute(2'000);
}

void wait_for_other_thread() {
    std::mutex own;
    std::condition_variable condition;
    std::unique_lock lock(own);
    CHECK(condition.wait_for(lock, std::chrono::microseconds(200)) == std::cv_status::timeout);
    CHECK(lock.owns_lock());
}

} // namespace

int main() {
    std::FILE* const out = std::tmpfile();
    CHECK(out != nullptr);
#pragma omp parallel
#pragma omp single
    for (int number = 0; number < kTasks; ++number) {
#pragma omp task untied priority(number % 4) firstprivate(number)
        {
            do_everything(number, out);
            if (number % 32 == 0) wait_for_other_thread();
        }
    }
    CHECK_EQ(answers.size(), kTasks);
    for (const auto& [number, text] : answers)
        CHECK_EQ(text.size(), number);
    std::rewind(out);
    long sum = 0;
    for (int value = 0; std::fscanf(out, "%d", &value) == 1;)
        sum += value;
    CHECK_EQ(sum, long{kTasks} * (kTasks - 1) / 2);
    std::fclose(out);
    return 0;
}
