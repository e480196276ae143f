// SPDX-License-Identifier: Apache-2.0
// Regions on two devices use the pointer of one structure, which each of them gets and gives back
// whole. Prints how many results are right. With the argument "placed", a region without a device
// clause, whose other data are on the default device, meets an unfinished region on device 1.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 64, REGIONS = 200 };

struct List {
    long count;
    int* items;
    char more[1 << 18]; // so that it takes a while to be given back
};

static int* items; // elsewhere on a device, unlike a variable

static int run_regions(void) {
    struct List list = {SIZE, items};
    int right = 0;
#pragma omp parallel num_threads(2) reduction(+ : right)
    for (int region = 0; region < REGIONS; region++) {
        int sum = 0;
#pragma omp target device(omp_get_thread_num()) map(tofrom : sum) map(to : list.items[0 : SIZE])
        for (int i = 0; i < SIZE; i++)
            sum += list.items[i];
        right += sum == SIZE;
    }
    return list.items == items ? right : 0;
}

static int meet_on_default_device(void) {
    struct List list = {SIZE, items};
    int there[1] = {5}, result = 0;
#pragma omp target enter data map(to : there)
    there[0] = 0; // the region sees what is on the default device
#pragma omp target device(1) nowait map(tofrom : list)
    {
        usleep(300000);
        list.count = SIZE;
    }
#pragma omp target map(tofrom : list, result) map(to : there)
    result = there[0] * (list.count == SIZE);
#pragma omp taskwait
#pragma omp target exit data map(release : there)
    return result;
}

int main(int argc, char** argv) {
    items = malloc(SIZE * sizeof(int));
    for (int i = 0; i < SIZE; i++)
        items[i] = 1;
    const int is_placed = argc > 1 && strcmp(argv[1], "placed") == 0;
    printf("%d\n", is_placed ? meet_on_default_device() : run_regions());
    return 0;
}
