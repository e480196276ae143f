// SPDX-License-Identifier: Apache-2.0
//
// final: the task's descendants are included tasks, and omp_in_final returns true in them.
// mergeable changes no result.
#include "check.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        int result = 0;
        CHECK(!omp_in_final());
        for (int final = 0; final < 2; final++) {
            int ran = 0;
#pragma omp task final(final) shared(ran) firstprivate(final)
            {
                int me = omp_get_thread_num(), child_ran = 0;
                CHECK_EQ(omp_in_final(), final);
#pragma omp task shared(child_ran)
                {
                    CHECK_EQ(omp_in_final(), final);
                    if (final) CHECK_EQ(omp_get_thread_num(), me);
                    child_ran = 1;
                }
                if (final) CHECK_EQ(child_ran, 1);
#pragma omp taskwait
                CHECK_EQ(child_ran, 1);
                ran = 1;
            }
#pragma omp taskwait
            CHECK_EQ(ran, 1);
        }
#pragma omp task mergeable final(1) shared(result)
        {
            result = 1;
#pragma omp task mergeable if (0) shared(result)
            result += 10;
        }
#pragma omp taskwait
#pragma omp task untied mergeable shared(result)
        {
#pragma omp atomic
            result += 100;
        }
#pragma omp taskwait
        CHECK_EQ(result, 111);
        CHECK(!omp_in_final());
    }
}
