// SPDX-License-Identifier: Apache-2.0
//
// Ends of the run by the name in the first argument, with a destructor of a global object that uses
// the device if there is a second argument.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace {

constexpr int kSoon_us = 200'000;
constexpr int kSeconds = 20; // longer than the limits of all ends

int twice(int number) {
#pragma omp target map(tofrom : number)
    number *= 2;
    return number;
}

struct User {
    bool is_wanted = false;
    ~User() {
        if (!is_wanted) return;
        std::printf("destructor\n");
        std::fflush(stdout);
        std::printf("twice %d\n", twice(21));
    }
} user;

void exit_later(int status) {
    std::thread([status] {
        usleep(kSoon_us);
        std::exit(status);
    }).detach();
}

void exit_by_signal() {
    std::signal(SIGALRM, [](int) { std::exit(5); });
    ualarm(kSoon_us, 0);
}

} // namespace

int main(int count, char** words) {
    const std::string_view how = words[1];
    user.is_wanted = count > 2;
    if (twice(21) != 42) return 2;
    std::printf("output"); // is in the buffer at the end
    if (how == "thread") {
        exit_later(0);
#pragma omp target
        sleep(kSeconds);
    } else if (how == "threads") {
        for (int i = 0; i < 3; ++i)
            std::thread([] {
                for (;;)
                    twice(21);
            }).detach();
        usleep(kSoon_us);
        return 4;
    } else if (how == "handler-in-device") {
        // The device does not end by itself.
#pragma omp target
        std::atexit([] { pause(); });
        return 4;
    } else if (how == "signal") {
        // The thread looks for an answer most of the time: MPI has no wait that sleeps.
        exit_by_signal();
        for (;;) {
#pragma omp target
            usleep(100);
        }
    } else if (how == "signal-in-region") {
        exit_by_signal();
#pragma omp target
        sleep(kSeconds);
    } else if (how == "device") {
#pragma omp target
        std::raise(SIGKILL);
    } else if (how == "overlap") {
        int array[100] = {0};
#pragma omp target enter data map(to : array[0 : 50])
#pragma omp target map(tofrom : array[40 : 20])
        array[41] = 1;
        if (array[41] == 1) std::printf("not reached\n");
    }
    std::printf("not reached\n");
    return 0;
}
