// SPDX-License-Identifier: Apache-2.0
// OpenACC's constructs and routines, with results that are known. Prints what is wrong, and "ok" at
// the end.
//
//     openacc all        constructs and routines
//     openacc with-omp   compute constructs in the threads of a parallel region
//     openacc names-host | default-type    what ACC_DEVICE_TYPE matters to
//     openacc init-twice | no-device | bad-range | map | unknown | shutdown    what ends a program
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { N = 1000 };

static int global[N];
#pragma acc declare copyin(global)

#pragma acc routine seq
static int twice(int x) { return 2 * x; }

static void constructs(void) {
    int a[N], b[N];
    long sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma acc data copyin(a) copyout(b)
    {
#pragma acc parallel loop gang vector present(a, b)
        for (int i = 0; i < N; i++)
            b[i] = twice(a[i]);
#pragma acc parallel loop reduction(+ : sum) async(1)
        for (int i = 0; i < N; i++)
            sum += a[i];
#pragma acc wait(1)
    }
    CHECK(sum == (long)N * (N - 1) / 2);
    for (int i = 0; i < N; i++)
        CHECK(b[i] == 2 * i);
#pragma acc kernels copy(b)
    for (int i = 0; i < N; i++)
        b[i] += 1;
    CHECK(b[7] == 15);
    int first = 5;
#pragma acc parallel firstprivate(first) copy(b)
    {
        first += 1;
        b[0] = first;
    }
    CHECK(first == 5 && b[0] == 6);
#pragma acc serial copy(b) if (b[0] == 0)
    b[0] = 10;
    CHECK(b[0] == 10);
#pragma acc enter data copyin(a) async
#pragma acc update device(a) async
#pragma acc parallel loop present(a) async
    for (int i = 0; i < N; i++)
        a[i] = -i;
#pragma acc update self(a) wait
#pragma acc exit data delete(a)
    CHECK(a[N - 1] == 1 - N);
    int* p = a;
#pragma acc host_data use_device(p)
    CHECK(p == a);
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
        global[i] = i;
    CHECK(global[3] == 3);
}

static void routines(void) {
    int data[N], copy[N];
    memset(data, 7, sizeof data);
    CHECK(acc_get_num_devices(acc_device_host) == 1 && acc_get_num_devices(acc_device_default) == 1);
    CHECK(acc_get_num_devices(acc_device_not_host) == 0 && acc_get_num_devices(acc_device_nvidia) == 0);
    acc_set_device_type(acc_device_host);
    acc_set_device_num(0, acc_device_host);
    CHECK(acc_get_device_type() == acc_device_host && acc_get_device_num(acc_device_host) == 0);
    CHECK(acc_on_device(acc_device_host) && !acc_on_device(acc_device_not_host));
    CHECK(strlen(acc_get_property_string(0, acc_device_host, acc_property_vendor)) > 0);
    CHECK(acc_get_property(0, acc_device_host, acc_property_memory) == 0);
    CHECK(acc_copyin(data, sizeof data) == data && acc_create(data, sizeof data) == data);
    CHECK(acc_is_present(data, sizeof data) && !acc_is_present(data, 0) && !acc_is_present(NULL, 8));
    CHECK(acc_deviceptr(data) == data && acc_hostptr(data) == data);
    acc_update_self(data, sizeof data);
    acc_copyout(data, sizeof data);
    int* const memory = acc_malloc(sizeof data);
    CHECK(memory != NULL && acc_malloc(0) == NULL);
    acc_memcpy_to_device(memory, data, sizeof data);
    acc_memcpy_from_device_async(copy, memory, sizeof data, 3);
    acc_wait(3);
    CHECK(acc_async_test(3) && acc_async_test_all() && memcmp(copy, data, sizeof data) == 0);
    acc_free(memory);
    acc_map_data(data, data, sizeof data);
    acc_unmap_data(data);
    acc_shutdown(acc_device_host);
    acc_init(acc_device_default);
}

static long sum_of(int t) {
    long sum = 0;
#pragma acc parallel loop reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += i + t;
    return sum;
}

static void with_omp(void) {
    long sums[8] = {0};
#pragma omp parallel num_threads(8)
    {} // the threads have started, and begin to use OpenACC at the same time
#pragma omp parallel for num_threads(8) schedule(static, 1)
    for (int t = 0; t < 8; t++)
        sums[t] = sum_of(t);
    for (int t = 0; t < 8; t++)
        CHECK(sums[t] == (long)N * (N - 1) / 2 + (long)N * t);
}

static void names_host(void) {
    CHECK(acc_get_num_devices(acc_device_host) == 1 && acc_get_num_devices(acc_device_default) == 0);
    acc_set_device_type(acc_device_host);
    CHECK(acc_get_device_type() == acc_device_host && sum_of(0) == (long)N * (N - 1) / 2);
    acc_shutdown(acc_device_host);
    acc_init(acc_device_host);
    CHECK(sum_of(1) == (long)N * (N - 1) / 2 + N);
}

static void end(const char* how) {
    int data[2] = {0, 0};
    if (strcmp(how, "init-twice") == 0) acc_init(acc_device_host), acc_init(acc_device_host);
    if (strcmp(how, "no-device") == 0) acc_set_device_type(acc_device_nvidia);
    if (strcmp(how, "bad-range") == 0) acc_copyin(data, 0);
    if (strcmp(how, "map") == 0) acc_map_data(data, data + 1, sizeof *data);
    if (strcmp(how, "unknown") == 0) acc_get_num_devices((acc_device_t)77);
    if (strcmp(how, "shutdown") == 0) acc_shutdown(acc_device_host);
}

int main(int count, char** words) {
    CHECK(count == 2);
    if (strcmp(words[1], "all") == 0) constructs(), routines();
    else if (strcmp(words[1], "with-omp") == 0) with_omp();
    else if (strcmp(words[1], "names-host") == 0) names_host();
    else if (strcmp(words[1], "default-type") == 0) acc_get_device_type();
    else end(words[1]);
    puts("ok");
    return 0;
}
