// SPDX-License-Identifier: Apache-2.0
//
// Data that are sent ahead of their construct. A region waits until the data of the next one have
// come to its process, which it sees from the size of its memory: nothing else gives it memory.
// Where data are not sent ahead, it waits for ever. With "kill" or "stop" as its first argument the
// program prints the process of device 0, in which a region then sends itself this signal, in the
// middle of the next construct's data.
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kLarge = 32 << 20, kRounds = 4, kParts = 4, kWords = 1 << 18 };

static int failures = 0;

static void check(int holds, const char* what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++failures;
}

#pragma omp declare target
// Of this process, without the C library's buffers.
static long resident_bytes(void) {
    char text[128];
    const int file = open("/proc/self/statm", O_RDONLY);
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return strtol(strchr(text, ' '), NULL, 10) * sysconf(_SC_PAGESIZE);
}

static void await_growth(long before) {
    while (resident_bytes() < before + kLarge / 2)
        usleep(1000);
}
#pragma omp end declare target

static char* filled(int value) {
    char* const data = malloc(kLarge);
    if (data == NULL) exit(2);
    memset(data, value, kLarge);
    return data;
}

// The first construct with large data makes the connection for what follows.
static void open_connection(int device) {
    char* const data = filled(1);
#pragma omp target nowait device(device) map(to : data[ : kLarge])
    {
    }
#pragma omp taskwait
    free(data);
}

static void comes_while_a_region_runs(int device) {
    char* const data = filled(2);
    long before = 0; // also discards what has been released
    int sum = 0;
#pragma omp target device(device) map(from : before)
    before = resident_bytes();
#pragma omp target nowait device(device)
    await_growth(before);
#pragma omp target nowait device(device) map(to : data[ : kLarge]) map(tofrom : sum)
    sum += data[0] + data[kLarge - 1];
#pragma omp taskwait
    check(sum == 4, "data that came while a region ran");
    free(data);
}

// The memory of one construct is that of a later one.
static void one_after_the_other(int device) {
    char* data[kRounds];
    int sums[kRounds] = {0};
    for (int i = 0; i < kRounds; ++i)
        data[i] = filled(i + 1);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < kRounds; ++i) {
            char* const mine = data[i];
            int* const sum = &sums[i];
#pragma omp target nowait device(device) map(tofrom : mine[ : kLarge], sum[ : 1])
            {
                for (long k = 0; k < kLarge; k += 4096) {
                    sum[0] += mine[k] == i + 1 + round;
                    ++mine[k];
                }
                usleep(2000);
            }
        }
#pragma omp taskwait
    }
    for (int i = 0; i < kRounds; ++i) {
        check(sums[i] == 2 * (kLarge / 4096), "data of each construct");
        check(data[i][0] == i + 3 && data[i][1] == i + 1, "data that came back");
        free(data[i]);
    }
}

// Each region writes a part of the array, and nothing orders them: what a former one writes back
// is what a later one gets.
static void parts_of_one_array(int device) {
    unsigned* const words = calloc(kWords, sizeof *words);
    for (int round = 0; round < kRounds; ++round)
        for (int part = 0; part < kParts; ++part) {
#pragma omp target nowait device(device) map(tofrom : words[ : kWords])
            for (int i = part; i < kWords; i += kParts)
                words[i] += i;
        }
#pragma omp taskwait
    int right = 1;
    for (int i = 0; i < kWords; ++i)
        right = right && words[i] == (unsigned)i * kRounds;
    check(right, "parts of one array");
    free(words);
}

// Data that enter the device while others of the same construct are sent ahead are not replaced.
static void present_data(int device) {
    char *const data = filled(1), *const other = filled(5);
    int sum = 0;
#pragma omp target enter data nowait device(device) map(to : data[ : kLarge]) depend(out : data[0])
#pragma omp target nowait device(device) map(to : other[ : kLarge]) map(to : data[ : kLarge]) depend(inout : data[0])
    data[7] = other[7];
#pragma omp target nowait device(device) map(tofrom : data[ : kLarge]) map(tofrom : sum) depend(inout : data[0])
    sum = data[7] + data[8];
#pragma omp target exit data nowait device(device) map(from : data[ : kLarge]) depend(inout : data[0])
#pragma omp taskwait
    check(sum == 6 && data[7] == 5 && data[8] == 1, "present data");
    free(data);
    free(other);
}

// Variables of the program have their place on the device, where a region may use them.
static unsigned variable[kWords];

static void variables(int device) {
    for (int round = 0; round < kRounds; ++round) {
#pragma omp target nowait device(device) map(to : variable)
        for (int i = 0; i < kWords; ++i)
            variable[i] += 1;
#pragma omp target nowait device(device) map(tofrom : variable)
        variable[round] += 1;
    }
#pragma omp taskwait
    int right = 1;
    for (int i = 0; i < kWords; ++i)
        right = right && variable[i] == (i < kRounds);
    check(right, "variables of the program");
}

// `target enter data` is the construct whose data are on their way when the region ends.
static void end_ahead(int signal) {
    char* const data = filled(1);
    long before = 0;
    int process = 0;
    (void)data; // if the compiler knows no devices
    open_connection(0);
#pragma omp target map(from : process, before)
    {
        process = getpid();
        before = resident_bytes();
    }
    printf("%d\n", process);
    fflush(stdout);
#pragma omp target nowait
    {
        await_growth(before);
        raise(signal);
    }
#pragma omp target enter data nowait map(to : data[ : kLarge])
#pragma omp taskwait
}

int main(int count, char** words) {
    if (count > 1) end_ahead(strcmp(words[1], "kill") == 0 ? SIGKILL : SIGSTOP);
    const int devices = omp_get_num_devices();
    for (int device = 0; device < devices; ++device) {
        open_connection(device);
        comes_while_a_region_runs(device);
    }
    for (int device = 0; device < devices; ++device)
        one_after_the_other(device);
    parts_of_one_array(omp_get_default_device());
    present_data(omp_get_default_device());
    variables(omp_get_default_device());
    printf("%d devices, %s\n", devices, failures == 0 ? "ok" : "failed");
    return failures != 0;
}
