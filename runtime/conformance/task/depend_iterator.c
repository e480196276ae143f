// SPDX-License-Identifier: Apache-2.0
//
// Tests iterators in depend clauses: a task depends on a set of addresses that is known only at run
// time.
#include "check.h"

enum { N = 50 };

int main(void) {
    int parts[N] = {0}, total = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 1; round <= 10; round++) {
        int count = N - round;
        for (int i = 0; i < count; i++) {
#pragma omp task depend(out : parts[i]) shared(parts)
            parts[i] = round;
        }
#pragma omp task depend(iterator(int i = 0 : count), in : parts[i]) shared(parts, total)
        {
            for (int i = 0; i < count; i++)
                CHECK_EQ(parts[i], round);
            total += count;
        }
        // Every second one, downward, two dimensions.
#pragma omp task depend(iterator(int i = count - 1 : -1 : -2, int j = 0 : 1), inout : parts[i + j]) shared(parts)
        for (int i = count - 1; i > -1; i -= 2)
            parts[i] += 100;
#pragma omp taskwait
        CHECK_EQ(parts[count - 1], round + 100);
        CHECK_EQ(parts[count - 2], round);
    }
    CHECK_EQ(total, 10 * N - 55);
}
