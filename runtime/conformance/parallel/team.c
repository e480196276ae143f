// SPDX-License-Identifier: Apache-2.0
//
// A team has the requested size, and each thread number occurs once in it.
#include "check.h"

enum { LIMIT = 256 };

static void check_team(int asked) {
    int seen[LIMIT] = {0};
    int size = 0;
#pragma omp parallel num_threads(asked)
    {
        CHECK_EQ(omp_get_num_threads(), asked);
        CHECK(omp_get_thread_num() >= 0 && omp_get_thread_num() < asked);
        CHECK_EQ(omp_in_parallel(), asked > 1);
#pragma omp atomic
        seen[omp_get_thread_num()]++;
#pragma omp atomic
        size++;
    }
    CHECK_EQ(size, asked);
    for (int i = 0; i < asked; i++)
        CHECK_EQ(seen[i], 1);
    CHECK_EQ(seen[asked], 0);
}

static void check_if_clause(int condition) {
    int size = 0;
#pragma omp parallel if (condition)
    {
        CHECK_EQ(omp_get_num_threads(), condition ? omp_get_max_threads() : 1);
        CHECK_EQ(omp_get_level(), 1);
#pragma omp atomic
        size++;
    }
    CHECK_EQ(size, condition ? omp_get_max_threads() : 1);
}

int main(void) {
    omp_set_dynamic(0);
    check_team(omp_get_max_threads());
    for (int asked = 1; asked <= 9; asked++)
        check_team(asked);
    check_if_clause(1);
    check_if_clause(0);
    CHECK_EQ(omp_get_num_threads(), 1);
    CHECK_EQ(omp_get_thread_num(), 0);
}
