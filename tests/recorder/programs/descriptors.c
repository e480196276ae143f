// SPDX-License-Identifier: Apache-2.0
// Closes, replaces and counts descriptors, both the program's own and descriptors that the program
// does not know.
#define _GNU_SOURCE
#include "work.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kFiles = 8, kNumbers = 40 };

static void write_file(int number, int file) {
    char text[64];
    const int length = snprintf(text, sizeof text, "precious user data %d\n", number);
    CHECK(write(file, text, (size_t)length) == length);
}

static void say_size(int number, int file) {
    struct stat status;
    CHECK(fstat(file, &status) == 0);
    printf("file %d has number %d and %ld bytes\n", number, file, (long)status.st_size);
}

// A daemon closes what it does not know, and opens files of its own.
static void close_all_others(void) {
    int files[kFiles];
    region(2, 10);
    closefrom(3);
    for (int i = 0; i < kFiles; ++i) {
        char name[32];
        snprintf(name, sizeof name, "user%d.dat", i);
        CHECK((files[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644)) >= 0);
        write_file(i, files[i]);
    }
    region(2, 100);
    serial_tasks(3 * kChunkfulOfTasks);
    for (int i = 0; i < kFiles; ++i)
        say_size(i, files[i]);
}

// Its first file after that gets number 1.
static void without_standard_output(void) {
    CHECK(close(1) == 0);
    region(2, 10);
    CHECK(open("output.txt", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0644) == 1);
    CHECK(write(1, "line 1\n", 7) == 7);
    serial_tasks(2 * kChunkfulOfTasks);
    region(2, 100);
    CHECK(write(1, "line 2\n", 7) == 7);
}

// Messages do not go into what has the number of standard error later.
static void without_standard_error(void) {
    CHECK(close(2) == 0);
    CHECK(open("data.txt", O_RDWR | O_CREAT | O_TRUNC, 0644) == 2);
    const struct rlimit none = {0, RLIM_INFINITY}; // no chunk can be had
    CHECK(write(2, "precious user data\n", 19) == 19);
    CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
    region(2, 100);
}

static void limit_numbers(rlim_t numbers) {
    const struct rlimit limit = {numbers, numbers};
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

// A thread for nearly each number that there may be.
static void count_free_numbers(void) {
    limit_numbers(kNumbers);
    region(33, 10);
    int files = 0;
    while (open("/dev/null", O_RDONLY) >= 0)
        ++files;
    printf("%d files could be opened\n", files);
    serial_tasks(2 * kChunkfulOfTasks); // there is none left
}

static void with_three_numbers(void) {
    limit_numbers(3);
    region(2, 10);
    serial_tasks(2 * kChunkfulOfTasks);
}

// One thread closes and replaces all numbers, while another needs chunks.
static volatile int storm_is_over;

static void* storm(void* argument) {
    const int data = *(int*)argument;
    long written = 0;
    do {
        for (int number = 3; number < kNumbers; ++number) {
            if (number == data) continue;
            CHECK(dup2(data, number) == number && write(number, "x", 1) == 1 && close(number) == 0);
            ++written;
        }
    } while (!storm_is_over);
    struct stat status;
    CHECK(fstat(data, &status) == 0);
    printf("what was written is there: %d\n", status.st_size == written);
    CHECK(ftruncate(data, 0) == 0);
    return NULL;
}

static void replace_all_numbers(void) {
    int data = open("data.dat", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0644);
    pthread_t thread;
    CHECK(data >= 0 && pthread_create(&thread, NULL, storm, &data) == 0);
    serial_tasks(20 * kChunkfulOfTasks);
    storm_is_over = 1;
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(int count, char** words) {
    static const struct Mode kModes[] = {
        {"close-all-others", close_all_others},
        {"without-standard-output", without_standard_output},
        {"without-standard-error", without_standard_error},
        {"count-free-numbers", count_free_numbers},
        {"with-three-numbers", with_three_numbers},
        {"replace-all-numbers", replace_all_numbers},
        {NULL, NULL},
    };
    return run_mode(kModes, count > 1 ? words[1] : "");
}
