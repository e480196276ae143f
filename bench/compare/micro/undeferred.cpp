// SPDX-License-Identifier: Apache-2.0
// Tasks that an if-clause makes undeferred: they run at once, on the encountering thread. A
// firstprivate object with a copy constructor makes the compiler pass a copy function; a plain
// number is copied as bytes.
#include "common/workload.h"

namespace {

enum Copy : long { kBytes, kConstructor };
const char* const copy_names[] = {"bytes", "constructor"};

long tasks, copy;

const workload_option options[] = {
    {"tasks", "tasks, shared out over the threads", &tasks, 1, 100000000, {10000, 1000000, 4000000}, nullptr},
    {"copy", "how a task gets its copy of the argument", &copy, 0, 1, {kBytes, kBytes, kBytes}, copy_names},
};
const workload self = {"undeferred",
                       "tasks with if(0), created by all threads: measures the cost of a task that is never deferred",
                       options, WORKLOAD_OPTION_COUNT(options)};

struct Constructed {
    long value;
    explicit Constructed(long initial) : value(initial) {}
    Constructed(const Constructed& other) : value(other.value) {}
};

long value_of(long argument) { return argument; }
long value_of(const Constructed& argument) { return argument.value; }

template <typename Argument> long run() {
    long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 0; i < tasks; ++i) {
        Argument argument{i};
#pragma omp task if (0) firstprivate(argument) shared(sum)
        sum += value_of(argument);
    }
    return sum;
}

} // namespace

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    const double start = workload_seconds();
    const long sum = copy == kConstructor ? run<Constructed>() : run<long>();
    const double time_s = workload_seconds() - start;
    const long expected = tasks * (tasks - 1) / 2;
    workload_expect(sum == expected, "sum is %ld, expected %ld", sum, expected);
    return workload_report(time_s, tasks, "%ld", sum);
}
