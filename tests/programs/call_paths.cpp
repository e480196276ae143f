// SPDX-License-Identifier: Apache-2.0
//
// Calls constructs through wrappers. The argument names the case. A unit is 5 ms of processor time.
//
//     wrapper     first() and second() call the same region, for 1 and 3 units
//     deep        a region under 200 calls of one function
//     tasks       a task creates one task by first_way() and three by second_way(), on any stack
//     exceptions  the same as wrapper, in a catch block and in destructors during unwinding
//     jump        the same as wrapper, but the region ends its function, so the call is a jump
//     inlined     the same as wrapper, by a function that is inlined
//     fork        a forked child calls the wrapper by in_child()
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace {

double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void work(int units) {
    const double end = now() + units * 5e-3;
    while (now() < end) {
    }
}

#define APART [[gnu::noinline, gnu::noipa]]
#define END asm volatile("") // so that a call before it is no jump

APART void wrapper(int units) {
#pragma omp parallel num_threads(1)
    work(units);
    END;
}

APART void first() {
    wrapper(1);
    END;
}
APART void second() {
    wrapper(3);
    END;
}

int units_of_jump;

APART void jumping_wrapper() {
#pragma omp parallel num_threads(1)
    work(units_of_jump);
}
APART void first_jump() {
    units_of_jump = 1;
    jumping_wrapper();
    END;
}
APART void second_jump() {
    units_of_jump = 3;
    jumping_wrapper();
    END;
}

[[gnu::always_inline]] inline void inlined_wrapper(int units) {
#pragma omp parallel num_threads(1)
    work(units);
    END;
}
APART void first_inlined() { inlined_wrapper(1); }
APART void second_inlined() { inlined_wrapper(3); }

APART void deep(int depth) {
    if (depth == 0) wrapper(1);
    else deep(depth - 1);
    END;
}

APART void spawn(int units) {
#pragma omp task
    work(units);
    END;
}
APART void first_way() {
    spawn(1);
    END;
}
APART void second_way() {
    for (int i = 0; i < 3; ++i)
        spawn(1);
    END;
}
APART void tasks() {
#pragma omp parallel
#pragma omp single
#pragma omp task untied
    {
        first_way();
#pragma omp taskwait
        second_way();
#pragma omp taskyield
    }
    END;
}

struct Guard {
    APART ~Guard() {
        second();
        END;
    }
};
APART void thrower() {
    const Guard guard;
    throw 1;
}
APART void exceptions() {
    try {
        thrower();
    } catch (int) {
        first();
    }
    END;
}

APART void in_child() {
    wrapper(1);
    END;
}
APART void forks() {
    wrapper(1);
    const pid_t child = fork();
    if (child == 0) {
        in_child();
        std::exit(0);
    }
    waitpid(child, nullptr, 0);
}

} // namespace

int main(int count, char** words) {
    if (count < 2) return 2;
    if (std::strcmp(words[1], "wrapper") == 0) first(), second();
    if (std::strcmp(words[1], "deep") == 0) deep(200);
    if (std::strcmp(words[1], "tasks") == 0) tasks();
    if (std::strcmp(words[1], "exceptions") == 0) exceptions();
    if (std::strcmp(words[1], "jump") == 0) first_jump(), second_jump();
    if (std::strcmp(words[1], "inlined") == 0) first_inlined(), second_inlined();
    if (std::strcmp(words[1], "fork") == 0) forks();
    return 0;
}
