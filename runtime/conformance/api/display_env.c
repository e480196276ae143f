// SPDX-License-Identifier: Apache-2.0
// env: OMP_SCHEDULE=dynamic,9 OMP_NUM_THREADS=7
//
// omp_display_env writes the settings to standard error, between a line that begins and a line that
// ends the list.
#include "check.h"

int main(void) {
    char text[16384];
    FILE* log = tmpfile();
    CHECK(log != NULL);
    CHECK(dup2(fileno(log), STDERR_FILENO) >= 0);
    omp_display_env(0);
    fflush(stderr);
    rewind(log);
    size_t length = fread(text, 1, sizeof text - 1, log);
    text[length] = 0;
    dup2(STDOUT_FILENO, STDERR_FILENO);
    CHECK(strstr(text, "OPENMP DISPLAY ENVIRONMENT BEGIN") != NULL);
    CHECK(strstr(text, "OPENMP DISPLAY ENVIRONMENT END") != NULL);
    CHECK(strstr(text, "_OPENMP") != NULL);
    CHECK(strstr(text, "OMP_NUM_THREADS") != NULL && strstr(text, "'7'") != NULL);
    CHECK(strstr(text, "OMP_SCHEDULE") != NULL && strcasestr(text, "dynamic,9") != NULL);
}
