// SPDX-License-Identifier: Apache-2.0
//
// Cases of C++ and its library: streams that several threads use, one-time initialisation,
// exceptions, threads.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "case.h"

static int writes() {
    std::ofstream file("written");
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
#pragma omp critical
        file << i << " of the forty\n";
    }
    return 1;
}

static int writes_own() {
#pragma omp parallel
    {
        std::ofstream file("written" + std::to_string(omp_get_thread_num()));
#pragma omp for
        for (int i = 0; i < 40; i++)
            file << i << " of the forty\n";
    }
    return 1;
}

static int prints() {
    std::ios::sync_with_stdio(false);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 400; i++) {
#pragma omp critical
        std::cout << i << "\n";
    }
    std::cout << "end\n";
    std::exit(0);
}

static int reads() {
    long count = 0, sum = 0, in_order = 1;
    std::ios::sync_with_stdio(false);
#pragma omp parallel
    {
        int number, more = 1;
#pragma omp barrier
        while (more) {
#pragma omp critical
            {
                more = static_cast<bool>(std::cin >> number);
                if (more) {
                    in_order &= number == count;
                    count++;
                    sum += number;
                }
            }
        }
    }
    std::cout << count << " " << sum << "\n";
    std::exit(in_order ? 0 : 1);
}

static int made;
struct Once {
    int value[1000];
    Once() {
#pragma omp atomic
        made++;
        for (int& one : value)
            one = 7;
    }
};
static int statics() {
    int right = 1;
#pragma omp parallel reduction(& : right)
    {
#pragma omp barrier
        static Once once;
        right &= once.value[999] == 7;
    }
    return right && made == 1;
}

static std::once_flag flag;
static int calls_once() {
    int right = 1;
#pragma omp parallel reduction(& : right)
    {
        std::call_once(flag, [] { made += 7; });
        right &= made == 7;
    }
    std::call_once(flag, [] { made++; });
    return right && made == 7;
}

// One thread throws an exception, and another thread throws it again.
static int exceptions() {
    std::exception_ptr thrown;
#pragma omp parallel
    if (omp_get_thread_num() == 1) {
        try {
            throw std::runtime_error("a text that is so long that it lies on the heap");
        } catch (...) {
            thrown = std::current_exception();
        }
    }
    try {
        std::rethrow_exception(thrown);
    } catch (const std::runtime_error& error) {
        return std::string(error.what()) == "a text that is so long that it lies on the heap";
    }
}

// libstdc++'s own code counts the references to an exception and to its text.
static int counted_exceptions() {
    const std::runtime_error error("a text that is so long that it lies on the heap");
    const std::string text = error.what();
    std::exception_ptr kept;
    int right = 1;
    for (int round = 0; round < 10; round++) {
        try {
            throw error;
        } catch (...) {
            kept = std::current_exception();
        }
#pragma omp parallel reduction(& : right) firstprivate(error, kept)
        {
            const std::runtime_error own = error;
            right &= own.what() == text;
#pragma omp barrier
            std::exception_ptr another = kept;
            kept = nullptr;
#pragma omp barrier
            try {
                std::rethrow_exception(another);
            } catch (const std::runtime_error& caught) {
                right &= caught.what() == text;
            }
        }
        right &= error.what() == text;
    }
    return right;
}

// C++'s older functions for an atomic std::shared_ptr.
static int shared_pointers() {
    constexpr int kTimes = 50;
    auto sum = std::make_shared<int>(0);
#pragma omp parallel
    for (int i = 0; i < kTimes; i++) {
        std::shared_ptr<int> seen = std::atomic_load(&sum);
        while (!std::atomic_compare_exchange_strong(&sum, &seen, std::make_shared<int>(*seen + 1))) {}
    }
    return *sum == kTimes * threads && sum.use_count() == 1;
}

// Destroyed when main has ended, on whichever thread main runs.
static struct AtTheEnd {
    bool wanted = false;
    std::shared_ptr<int> shared = std::make_shared<int>(0);
    std::atomic<int> count{0};
    ~AtTheEnd() {
        if (!wanted) return;
        int sum = 0, list[3] = {1, 2, 3};
        const std::shared_ptr<int> copy = shared;
#pragma omp parallel reduction(+ : sum)
        {
            count++;
#pragma omp for
            for (int i = 0; i < 3; i++)
                sum += list[i];
        }
        std::printf("%s\n", sum == 6 && count == threads && copy.use_count() == 2 ? "ended well" : "ended badly");
        std::fflush(stdout);
    }
} at_the_end;
static int ends() {
#pragma omp parallel
    at_the_end.count++;
    const int right = at_the_end.count == threads;
    at_the_end.count = 0;
    at_the_end.wanted = true;
    return right;
}

static int thread() {
    std::thread([] { made = 1; }).join();
    return made;
}

static int late_file() {
#pragma omp parallel
    made += omp_get_thread_num() == 0;
    std::ifstream file("/proc/self/maps");
#pragma omp parallel
    {
#pragma omp critical
        {
            file.seekg(0);
            made += file.get() > 0;
        }
    }
    return made > 1;
}

static const a_case cases[] = {
    {"late_file", late_file},   {"statics", statics}, {"calls_once", calls_once},
    {"exceptions", exceptions}, {"counted_exceptions", counted_exceptions}, {"shared_pointers", shared_pointers},
    {"ends", ends},             {"thread", thread},   {"writes", writes},
    {"writes_own", writes_own}, {"prints", prints},   {"reads", reads},
};

int main(int argc, char** argv) { return argc == 2 ? run_case(cases, sizeof cases / sizeof *cases, argv[1]) : 2; }
