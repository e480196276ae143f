// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
//
// Tasks of a cancelled taskgroup that did not start: the copies of objects that were made for them
// are destroyed as well.
#include "check.h"
#include <atomic>

static std::atomic<int> alive{0};

struct Counted {
    Counted() { alive++; }
    Counted(const Counted&) { alive++; }
    ~Counted() { alive--; }
};

int main() {
    for (int round = 0; round < 50; round++) {
        {
            Counted object;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
            for (int i = 0; i < 60; i++) {
#pragma omp task firstprivate(object)
                {
#pragma omp cancel taskgroup if (i == 5)
                }
            }
        }
        CHECK_EQ(alive, 0);
    }
}
