// SPDX-License-Identifier: Apache-2.0
//
// Tests firstprivate objects of tasks and regions: as many copies are destroyed as were
// constructed, and each copy has the right value. Copy constructors make GCC pass a copy function
// to the task entry point.
#include "check.h"
#include <atomic>
#include <string>
#include <vector>

static std::atomic<int> alive{0}, copies{0};

struct Counted {
    std::string text;
    const Counted* self = this; // a byte-wise copy would show
    explicit Counted(const char* t) : text(t) { alive++; }
    Counted(const Counted& other) : text(other.text) {
        CHECK(other.self == &other);
        alive++;
        copies++;
    }
    ~Counted() {
        CHECK(self == this);
        alive--;
    }
};

static void tasks(bool deferred) {
    std::atomic<int> ran{0};
#pragma omp parallel
#pragma omp single
    {
        Counted object("a text that is too long for the small buffer");
        std::vector<int> numbers(100, 7);
        for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(object, numbers) shared(ran) if (deferred)
            {
                CHECK(object.self == &object);
                CHECK(object.text.size() == 44 && numbers.size() == 100 && numbers[i] == 7);
                numbers.clear();
                ran++;
            }
        }
    }
    CHECK_EQ(ran, 100);
    CHECK_EQ(alive, 0);
    CHECK(copies >= 100);
}

static void taskloops() {
    std::atomic<int> ran{0};
    Counted object("another text, also on the heap, not in place");
#pragma omp parallel
#pragma omp single
#pragma omp taskloop firstprivate(object) num_tasks(9) shared(ran)
    for (unsigned long long i = 0; i < 50; i++) {
        CHECK(object.self == &object);
        ran++;
    }
    CHECK_EQ(ran, 50);
    CHECK_EQ(alive, 1);
}

int main() {
    tasks(true);
    tasks(false);
    taskloops();
    CHECK_EQ(alive, 0);
    {
        Counted object("for a region");
#pragma omp parallel firstprivate(object)
        CHECK(object.text == "for a region" && object.self == &object);
        CHECK_EQ(alive, 1);
    }
    CHECK_EQ(alive, 0);
}
