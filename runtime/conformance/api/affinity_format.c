// SPDX-License-Identifier: Apache-2.0
// halves: the process prints as one of the runtimes
//
// Tests omp_set_affinity_format, omp_get_affinity_format, omp_capture_affinity and
// omp_display_affinity.
#include "check.h"

int main(void) {
    char buffer[64];
    omp_set_affinity_format("thread %n of %N level %L");
    CHECK_EQ(omp_get_affinity_format(buffer, sizeof buffer), 24);
    CHECK(strcmp(buffer, "thread %n of %N level %L") == 0);
    // A short buffer gets a truncated, terminated text, and the full length is returned.
    CHECK_EQ(omp_get_affinity_format(buffer, 7), 24);
    CHECK(strcmp(buffer, "thread") == 0);
    omp_set_dynamic(0);
#pragma omp parallel num_threads(3)
    {
        char text[64], expected[64];
        snprintf(expected, sizeof expected, "thread %d of 3 level 1", omp_get_thread_num());
        CHECK_EQ(omp_capture_affinity(text, sizeof text, NULL), strlen(expected));
        CHECK(strcmp(text, expected) == 0);
        snprintf(expected, sizeof expected, "%%[%5d|%-4d]", omp_get_thread_num(), 3);
        CHECK_EQ(omp_capture_affinity(text, sizeof text, "%%[%.5n|%4N]"), strlen(expected));
        CHECK(strcmp(text, expected) == 0);
    }
    FILE* log = tmpfile();
    CHECK(log != NULL);
    CHECK(dup2(fileno(log), fileno(AFFINITY_OUTPUT)) >= 0);
    omp_display_affinity("one line %N");
    fflush(AFFINITY_OUTPUT);
    rewind(log);
    CHECK(fgets(buffer, sizeof buffer, log) != NULL);
    CHECK(strcmp(buffer, "one line 1\n") == 0);
}
