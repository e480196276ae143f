// SPDX-License-Identifier: Apache-2.0
// env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
// stock: fails, a running task keeps its thread
// emulated: follows the code of x86-64; on AArch64 such a program is not preempted
//
// As by_function.h, with what C++ has: thread-local objects with constructors, which code reaches
// through functions that initialise them; variables of functions; handlers of exceptions, virtual
// functions and callables that reach them.
#include <functional>
#include <stdexcept>
#include <vector>

#include "check.h"

namespace {

constexpr int kRounds = 20;

int begun, created, served, disturbed;

struct Counter {
    Counter() : values(4, 1) {}
    ~Counter() { values.clear(); }
    std::vector<int> values;
};
thread_local Counter counter;

int& own_count() {
    thread_local Counter inner;
    return inner.values[1];
}

struct Reader {
    virtual ~Reader() = default;
    virtual int read() const { return counter.values[0]; }
};

[[gnu::noinline]] void fail_if(bool wanted) {
    if (wanted) throw std::runtime_error("wanted");
}
[[gnu::noinline]] int read_in_handler(bool wanted) {
    try {
        fail_if(wanted);
        return 0;
    } catch (const std::runtime_error&) {
        return counter.values[0];
    }
}

struct AtEnd {
    int& result;
    ~AtEnd() { result = counter.values[0]; }
};
[[gnu::noinline]] int read_at_unwinding(bool wanted) {
    int result = 0;
    try {
        const AtEnd at_end{result};
        fail_if(wanted);
    } catch (...) {
    }
    return result;
}

void compute_for_a_while() {
    for (volatile int i = 0; i < 300000; i = i + 1) {
    }
}

void create_high(int round) {
    check_wait_for(&begun, round + 1);
#pragma omp task priority(5)
    {
        counter.values[0] += 1000;
        own_count() += 1000;
        __atomic_fetch_add(&served, 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&created, round + 1, __ATOMIC_RELEASE);
    check_wait_for(&served, round + 1);
}

template <class Read> void bound(int round, const Read& read) {
#pragma omp task priority(1) firstprivate(round, read)
    {
        __atomic_store_n(&begun, round + 1, __ATOMIC_RELEASE);
        const int before = read();
        while (__atomic_load_n(&created, __ATOMIC_ACQUIRE) <= round) {
        }
        compute_for_a_while();
        if (before != read() || __atomic_load_n(&served, __ATOMIC_ACQUIRE) > round)
            __atomic_fetch_add(&disturbed, 1, __ATOMIC_RELAXED);
    }
    create_high(round);
}

template <class Work> void is_free(int round, const Work& work) {
#pragma omp task priority(1) firstprivate(round, work)
    {
        __atomic_store_n(&begun, round + 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&served, __ATOMIC_ACQUIRE) <= round)
            work();
    }
    create_high(round);
}

struct Doubler {
    int value;
    [[gnu::noinline]] int twice() const { return value * 2; }
};

} // namespace

int main() {
    static const Reader reader;
    static const std::function<int()> callable = [] { return counter.values[0]; };
    static volatile bool wanted = true;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 8 * kRounds; round += 8) {
        bound(round, [] { return counter.values[0]; });
        bound(round + 1, [] { return own_count(); });
        bound(round + 2, [] { return read_in_handler(wanted); });
        bound(round + 3, [] { return read_at_unwinding(wanted); });
        bound(round + 4, [] { return static_cast<const Reader*>(&reader)->read(); });
        bound(round + 5, [] { return callable(); });
        is_free(round + 6, [] {
            std::vector<int> numbers(100, 3);
            CHECK_EQ((Doubler{numbers[50]}.twice()), 6);
        });
        is_free(round + 7, [] { compute_for_a_while(); });
    }
    CHECK_EQ(served, 8 * kRounds);
    CHECK_EQ(disturbed, 0);
    return 0;
}
