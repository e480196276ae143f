// SPDX-License-Identifier: Apache-2.0
//
// On which devices regions without a device clause run. Ends with the line "N devices, ok" if the
// results are right. The other lines say where the regions ran that the policy may place; their
// words are for test_devices.py.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 1000, kRounds = 50 };

int variable = 1;
#pragma omp declare target(variable)

static void expect(int holds, const char* what) {
    if (holds) return;
    printf("%s: failed\n", what);
    exit(1);
}

static void in_turn(void) {
    int place[4] = {-1, -1, -1, -1};
    for (int i = 0; i < 4; ++i) {
        int* const own = &place[i];
#pragma omp target nowait map(from : own[ : 1])
        *own = omp_get_device_num();
#pragma omp taskwait
    }
    printf("free: %d %d %d %d\n", place[0], place[1], place[2], place[3]);
}

// Data constructs without a clause use the default device, and so do the regions that use these
// data.
static void on_the_default_device(int* data) {
    int place = -1, second = -1;
    data[10] = 10;
#pragma omp target enter data map(to : data[ : kCount])
    for (int i = 0; i < 3; ++i) {
#pragma omp target map(from : place) map(to : data[10 : 10])
        place = omp_get_device_num(), data[10] += 1;
        expect(place == omp_get_default_device(), "data on the default device");
    }
#pragma omp target map(from : second)
    second = data[10] == 13 ? omp_get_device_num() : -1; // a pointer that no clause names
    expect(second == omp_get_default_device(), "a pointer to data on the default device");
#pragma omp target exit data map(from : data[ : kCount])
    expect(data[10] == 13, "the data from the default device");
}

static void elsewhere(int* data) {
    int place = -1;
    data[0] = 5;
#pragma omp target enter data device(1) map(to : data[ : kCount])
    data[0] = 6;
#pragma omp target map(from : place) map(tofrom : data[ : kCount])
    place = omp_get_device_num(), data[0] += 1;
    printf("data on device 1: region on %d, %d\n", place, data[0]);
#pragma omp target exit data device(1) map(release : data[ : kCount])
}

static void addresses_of_a_device(void) {
    int* const memory = omp_target_alloc(sizeof *memory, omp_get_default_device());
    for (int i = 0; i < 3; ++i) {
        int place = -1;
#pragma omp target is_device_ptr(memory) map(from : place)
        *memory = i, place = omp_get_device_num();
        expect(place == omp_get_default_device(), "an address of the default device");
    }
    omp_target_free(memory, omp_get_default_device());
}

// Each region changes its part of memory that all of them write back.
static void parts_of_one_array(int* data) {
    for (int i = 0; i < kCount; ++i)
        data[i] = 0;
    for (int round = 0; round < kRounds; ++round) {
        for (int part = 0; part < 4; ++part) {
#pragma omp target nowait map(tofrom : data[ : kCount])
            for (int i = part; i < kCount; i += 4)
                ++data[i];
        }
#pragma omp taskwait
    }
    for (int i = 0; i < kCount; ++i)
        expect(data[i] == kRounds, "parts of one array");
}

static void chains(int* data) {
    for (int i = 0; i < kCount; ++i)
        data[i] = i;
    for (int round = 0; round < 5; ++round)
        for (int part = 0; part < 10; ++part) {
            int* const own = data + 100 * part;
#pragma omp target nowait map(tofrom : own[ : 100]) depend(inout : own[0])
            for (int i = 0; i < 100; ++i)
                own[i] += 2;
        }
#pragma omp taskwait
    for (int i = 0; i < kCount; ++i)
        expect(data[i] == i + 10, "chains");
}

static void variables_of_the_program(void) {
    variable = 7;
#pragma omp target update to(variable)
    for (int i = 0; i < 3; ++i) {
        int seen = 0;
#pragma omp target map(from : seen)
        seen = variable;
        expect(seen == 7, "a variable that has been updated");
    }
}

int main(void) {
    int* const data = calloc(kCount, sizeof *data);
    if (omp_get_num_devices() > 1) in_turn();
    on_the_default_device(data);
    if (omp_get_num_devices() > 1) elsewhere(data);
    addresses_of_a_device();
    parts_of_one_array(data);
    chains(data);
    variables_of_the_program();
    free(data);
    printf("%d devices, ok\n", omp_get_num_devices());
    return 0;
}
