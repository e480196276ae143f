// SPDX-License-Identifier: Apache-2.0
// The twin of workloads/fib.c: two tasks per call, without a cutoff.
#include "arena.h"

#include <oneapi/tbb/task_group.h>

namespace {

long n;

const workload_option options[] = {{"n", "which Fibonacci number", &n, 0, 50, {20, 27, 32}, nullptr}};
const workload self = {"tbb_fib", "Fibonacci numbers by double recursion, two tasks per call", options,
                       WORKLOAD_OPTION_COUNT(options)};

long fib(long k) {
    if (k < 2) return k;
    long a = 0, b = 0;
    tbb::task_group group;
    group.run([&a, k] { a = fib(k - 1); });
    group.run([&b, k] { b = fib(k - 2); });
    group.wait();
    return a + b;
}

long fib_serial(long k) { return k < 2 ? k : fib_serial(k - 1) + fib_serial(k - 2); }

} // namespace

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    long result = 0;
    const double time_s = seconds_in_arena([&result] { result = fib(n); });
    if (workload_check_wanted()) workload_expect(result == fib_serial(n), "fib(%ld) is not %ld", n, result);
    return workload_report(time_s, 2 * (fib_serial(n + 1) - 1), "%ld", result);
}
