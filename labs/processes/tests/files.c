// SPDX-License-Identifier: Apache-2.0
//
// Cases in which several threads use files of the C library.
#include <stdlib.h>

#include "case.h"

static int writes(void) {
    static char buffer[300];
    FILE* file = fopen("written", "w");
    setvbuf(file, buffer, _IOFBF, sizeof buffer);
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
#pragma omp critical
        {
            fprintf(file, "%d of", i);
            fprintf(file, " the forty\n");
        }
    }
    fclose(file);
    return 1;
}

// Each thread writes its own file, which stays open.
static int writes_own(void) {
#pragma omp parallel
    {
        char name[20];
        snprintf(name, sizeof name, "written%d", omp_get_thread_num());
        FILE* file = fopen(name, "w");
#pragma omp for
        for (int i = 0; i < 40; i++)
            fprintf(file, "%d of the forty\n", i);
    }
    return 1;
}

static int prints(void) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 400; i++) {
#pragma omp critical
        printf("%d\n", i);
    }
    printf("end\n");
    exit(0);
}

static int reads(void) {
    long count = 0, sum = 0, in_order = 1;
#pragma omp parallel
    {
        int number, more = 1;
#pragma omp barrier
        while (more) {
#pragma omp critical
            {
                more = scanf("%d", &number) == 1;
                if (more) {
                    in_order &= number == count;
                    count++;
                    sum += number;
                }
            }
        }
    }
    printf("%ld %ld\n", count, sum);
    exit(in_order ? 0 : 1);
}

static const struct a_case cases[] = {
    {"writes", writes},
    {"writes_own", writes_own},
    {"prints", prints},
    {"reads", reads},
};

int main(int argc, char** argv) { return argc == 2 ? run_case(cases, sizeof cases / sizeof *cases, argv[1]) : 2; }
