// SPDX-License-Identifier: Apache-2.0
//
// Tests threadprivate objects with constructors, C++ thread_local, copyin and copyprivate of
// classes.
#include "check.h"
#include <string>

struct Named {
    std::string name = "fresh";
    int uses = 0;
};

// Declared before it is defined: GCC counts the constructor call as a use.
extern Named per_thread;
#pragma omp threadprivate(per_thread)
Named per_thread;
static thread_local Named local;

int main() {
    omp_set_dynamic(0);
    for (int region = 1; region <= 20; region++) {
#pragma omp parallel
        {
            CHECK_EQ(per_thread.uses, region - 1);
            CHECK_EQ(local.uses, region - 1);
            CHECK(per_thread.name == "fresh");
            per_thread.uses++;
            local.uses++;
        }
    }
    per_thread.name = "the master's, long enough to be on the heap";
#pragma omp parallel copyin(per_thread)
    CHECK(per_thread.name == "the master's, long enough to be on the heap");
#pragma omp parallel
    {
        std::string text;
#pragma omp single copyprivate(text)
        text = "handed to every thread of the team, with its own copy";
        CHECK(text == "handed to every thread of the team, with its own copy");
    }
}
